// The graph as a file: as it looks now, with its colours written into it.
const LOOK = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor"];

function standaloneGraph() {
  const copy = graph.picture.cloneNode(true);
  const [originals, copies] = [graph.picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  const hidden = [];
  originals.forEach((original, k) => {
    const look = getComputedStyle(original);
    if (look.display === "none") hidden.push(copies[k]);
    for (const name of LOOK) copies[k].setAttribute(name, look.getPropertyValue(name));
    copies[k].removeAttribute("class");
  });
  for (const element of hidden) element.remove();
  const view = graph.picture.viewBox.baseVal;
  copy.setAttribute("xmlns", SVG_NAMESPACE);
  copy.setAttribute("width", view.width);
  copy.setAttribute("height", view.height);
  const ground = svg("rect", {
    x: view.x, y: view.y, width: view.width, height: view.height,
    fill: getComputedStyle(document.body).backgroundColor,
  });
  copy.prepend(ground);
  return { text: new XMLSerializer().serializeToString(copy), width: view.width, height: view.height };
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function saveSvg() {
  save(new Blob([standaloneGraph().text], { type: "image/svg+xml" }), `${data.file}.svg`);
}

async function savePng() {
  const { text, width, height } = standaloneGraph();
  // Canvases have a largest size, which differs between browsers; this one all have.
  const scale = Math.min(2, 8000 / Math.max(width, height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = html("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, `${data.file}.png`), "image/png");
}

function startDownloads() {
  byId("save-svg").addEventListener("click", saveSvg);
  byId("save-png").addEventListener("click", savePng);
}
