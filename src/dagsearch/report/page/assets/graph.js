// The graph: what the slider shows, what is chosen, how far it is zoomed. Positions never change, so that an edge is
// found again where it was.
const graph = {
  box: byId("graph"), picture: null, viewport: null, edges: [], nodes: [], chosenNode: null, chosenEdge: null,
  zoom: { scale: 1, x: 0, y: 0 },
};

function startGraph() {
  graph.picture = graph.box.querySelector("svg");
  graph.viewport = graph.picture.querySelector(".ds-viewport");
  for (const each of graph.picture.querySelectorAll(".ds-edge")) graph.edges[Number(each.dataset.edge)] = each;
  for (const each of graph.picture.querySelectorAll(".ds-node")) graph.nodes[Number(each.dataset.node)] = each;
  graph.edges.forEach((element, number) => element.classList.toggle("unfitted", !data.graph.edges[number].found));
  listenToChoice();
  listenToControls();
  listenToZoom();
  applyThreshold();
  fitToContent();
  chooseNothing();
  // Of what the page was asked to look at, the first; the others are found by search.
  const [focus] = data.graph.focus;
  if (focus !== undefined) {
    chooseNode(focus);
    bringIntoView(graph.nodes[focus]);
  }
}

// Edges that are not shown take no room.
function fitToContent() {
  const { x, y, width, height } = graph.viewport.getBBox();
  const margin = 14;
  const [w, h] = [width + 2 * margin, height + 2 * margin];
  graph.picture.setAttribute("viewBox", `${x - margin} ${y - margin} ${w} ${h}`);
  // A graph of few variables is not blown up.
  graph.picture.setAttribute("width", 1.25 * w);
  graph.picture.setAttribute("height", 1.25 * h);
  graph.box.classList.toggle("small", 1.25 * w < graph.box.clientWidth);
}

function isShown(edge, threshold) {
  if (edge.missing) return byId("truth")?.checked ?? false;
  if (data.graph.threshold === "probability") return edge.adjacent >= threshold;
  return !isNumber(edge.strength) || edge.strength >= threshold;
}

function applyThreshold() {
  const slider = byId("threshold");
  const threshold = slider ? Number(slider.value) : 0;
  const isProbability = data.graph.threshold === "probability";
  if (slider) byId("threshold-value").textContent = isProbability ? percent(threshold) : `${threshold.toFixed(2)} sd`;
  let shown = 0;
  const joined = new Set();
  data.graph.edges.forEach((edge, number) => {
    const visible = isShown(edge, threshold);
    graph.edges[number].classList.toggle("off", !visible);
    if (visible && !edge.missing) {
      shown += 1;
      joined.add(edge.from).add(edge.to);
    }
  });
  graph.nodes.forEach((node, number) => node.classList.toggle("alone", !joined.has(number)));
  const found = data.graph.edges.filter((edge) => edge.found).length;
  byId("shown-count").textContent = `${counted(shown, "edge")} shown; the fitted graph has ${found}.`;
}

function choose(node, edge, details) {
  [graph.chosenNode, graph.chosenEdge] = [node, edge];
  byId("details").replaceChildren(...details.flat().filter((each) => each !== null));
  const near = new Set(edge === null ? [node] : [data.graph.edges[edge].from, data.graph.edges[edge].to]);
  if (edge === null) {
    data.graph.edges.forEach((each, number) => {
      if ((each.from === node || each.to === node) && !graph.edges[number].classList.contains("off")) {
        near.add(each.from).add(each.to);
      }
    });
  }
  graph.nodes.forEach((each, number) => {
    each.classList.toggle("chosen", number === node);
    each.classList.toggle("far", !near.has(number));
  });
  graph.edges.forEach((each, number) => {
    const own = data.graph.edges[number];
    each.classList.toggle("chosen", number === edge);
    each.classList.toggle("far", edge === null ? own.from !== node && own.to !== node : number !== edge);
  });
  document.querySelectorAll("[data-row]").forEach((row) => {
    row.classList.toggle("chosen", edge !== null && Number(row.dataset.row) === edge);
  });
}

const chooseNode = (node) => choose(node, null, nodeDetails(node));
const chooseEdge = (edge) => choose(null, edge, edgeDetails(data.graph.edges[edge]));

function chooseNothing() {
  [graph.chosenNode, graph.chosenEdge] = [null, null];
  for (const each of [...graph.nodes, ...graph.edges]) each.classList.remove("chosen", "far");
  document.querySelectorAll("[data-row].chosen").forEach((row) => row.classList.remove("chosen"));
  byId("details").replaceChildren(
    html("p", {}, "Choose a variable or an edge: click on it, or use the arrow keys in the graph."),
    ...(isLegible() ? [] : [html("p", {}, "The graph is too large to be read as a whole: a click enlarges what is there, Fit shows all.")]),
  );
}

function listenToChoice() {
  let pressed = null;
  graph.picture.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
  graph.picture.addEventListener("click", (event) => {
    const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : 0;
    if (moved > 5) return;
    const node = event.target.closest(".ds-node");
    const edge = event.target.closest(".ds-edge");
    if (node) chooseNode(Number(node.dataset.node));
    else if (edge) chooseEdge(Number(edge.dataset.edge));
    else if (isLegible()) chooseNothing();
    if (!isLegible()) zoomBy(toBeRead(), pointOf(event));
  });
  // Buttons of the table and of the panel choose edges, too.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-edge]");
    if (!button) return;
    const inPanel = byId("details").contains(button);
    chooseEdge(Number(button.dataset.edge));
    bringIntoView(graph.edges[Number(button.dataset.edge)]);
    // Buttons of the panel are gone with what it showed: whoever goes by keyboard stays there.
    if (inPanel) byId("details").focus({ preventScroll: true });
    if (button.closest("#edge-table")) {
      graph.box.scrollIntoView({ block: "nearest", behavior: "auto" });
      graph.box.focus({ preventScroll: true });
    }
  });
  graph.box.addEventListener("keydown", onGraphKey);
  byId("details").addEventListener("keydown", (event) => { if (event.key === "Escape") graph.box.focus(); });
}

function onGraphKey(event) {
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const actions = {
    "+": () => zoomBy(1.25), "=": () => zoomBy(1.25), "-": () => zoomBy(0.8), 0: resetZoom, Escape: chooseNothing,
    Enter: () => byId("details").querySelector("button")?.focus(),
  };
  if (event.key in directions) chooseNode(nextNode(directions[event.key]));
  else if (event.key in actions && !event.ctrlKey && !event.metaKey) actions[event.key]();
  else return;
  event.preventDefault();
  if (event.key in directions) bringIntoView(graph.nodes[graph.chosenNode]);
}

const centreOf = (node) => {
  const box = graph.nodes[node].getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};

// The nearest variable in a direction; what lies to the side counts double.
function nextNode([dx, dy]) {
  const start = graph.chosenNode ?? (graph.chosenEdge === null ? null : data.graph.edges[graph.chosenEdge].from);
  if (start === null) return 0;
  const [x0, y0] = centreOf(start);
  let best = [Infinity, start];
  graph.nodes.forEach((_, node) => {
    const [x, y] = centreOf(node);
    const [ahead, aside] = dx ? [(x - x0) * dx, Math.abs(y - y0)] : [(y - y0) * dy, Math.abs(x - x0)];
    const distance = ahead + 2 * aside;
    if (ahead > 1 && distance < best[0]) best = [distance, node];
  });
  return best[1];
}

function listenToControls() {
  byId("threshold")?.addEventListener("input", applyThreshold);
  byId("threshold")?.addEventListener("change", refit);
  byId("truth")?.addEventListener("change", (event) => {
    document.body.classList.toggle("with-truth", event.target.checked);
    applyThreshold();
    refit();
  });
  const search = byId("search");
  search.addEventListener("input", () => highlight(search.value));
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const found = matches(search.value)[0];
    if (found === undefined) return;
    chooseNode(found);
    bringIntoView(graph.nodes[found]);
  });
}

function matches(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const named = data.graph.names.map((name, node) => [name.toLowerCase(), node]);
  const exact = named.filter(([name]) => name.trim() === wanted);
  return [...exact, ...named.filter(([name]) => name.trim() !== wanted && name.includes(wanted))].map(([, node]) => node);
}

function highlight(text) {
  const found = new Set(matches(text));
  graph.nodes.forEach((node, number) => node.classList.toggle("match", found.has(number)));
  byId("shown-count").textContent = text.trim() ? `${counted(found.size, "variable")} found.` : "";
  if (!text.trim()) applyThreshold();
  if (found.size === 1) bringIntoView(graph.nodes[[...found][0]]);
}

// ---------------------------------------------------------------- zoom

function applyZoom() {
  const { scale, x, y } = graph.zoom;
  graph.viewport.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
  graph.box.classList.toggle("zoomed", scale > 1.001);
}

function zoomBy(factor, centre = null) {
  const view = graph.picture.viewBox.baseVal;
  const [cx, cy] = centre ?? [view.x + view.width / 2, view.y + view.height / 2];
  const scale = clamp(graph.zoom.scale * factor, 1, 24);
  const change = scale / graph.zoom.scale;
  graph.zoom = { scale, x: cx - (cx - graph.zoom.x) * change, y: cy - (cy - graph.zoom.y) * change };
  keepInside();
  applyZoom();
}

// The picture follows what it shows when the slider rests, unless someone looks closely at a part of it.
function refit() {
  if (graph.zoom.scale <= 1.001) fitToContent();
}

function resetZoom() {
  graph.zoom = { scale: 1, x: 0, y: 0 };
  applyZoom();
}

function keepInside() {
  const view = graph.picture.viewBox.baseVal;
  const { scale } = graph.zoom;
  graph.zoom.x = clamp(graph.zoom.x, (view.x + view.width) * (1 - scale), view.x * (1 - scale));
  graph.zoom.y = clamp(graph.zoom.y, (view.y + view.height) * (1 - scale), view.y * (1 - scale));
}

function pointOf(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.picture.getScreenCTM().inverse());
  return [point.x, point.y];
}

// Letters of 13 units are read with effort from 7 pixels on, and easily from 10.
const pixelsPerUnit = () => graph.picture.getScreenCTM().a * graph.zoom.scale;
const isLegible = () => pixelsPerUnit() >= 0.55;
const toBeRead = () => Math.max(0.8 / pixelsPerUnit(), 1);

// A graph that is too small to read is enlarged around what is looked for.
function bringIntoView(element) {
  const view = graph.picture.viewBox.baseVal;
  if (!isLegible()) zoomBy(toBeRead());
  if (graph.zoom.scale <= 1.001) return;
  const box = element.getBBox();
  const { scale } = graph.zoom;
  graph.zoom.x = view.x + view.width / 2 - scale * (box.x + box.width / 2);
  graph.zoom.y = view.y + view.height / 2 - scale * (box.y + box.height / 2);
  keepInside();
  applyZoom();
}

function listenToZoom() {
  byId("zoom-in").addEventListener("click", () => zoomBy(1.4));
  byId("zoom-out").addEventListener("click", () => zoomBy(1 / 1.4));
  byId("zoom-reset").addEventListener("click", resetZoom);
  graph.box.addEventListener("wheel", (event) => {
    // Without a key the wheel scrolls the page, as everywhere.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 300), pointOf(event));
  }, { passive: false });
  let last = null;
  graph.picture.addEventListener("pointerdown", (event) => { last = event.isPrimary ? pointOf(event) : null; });
  graph.picture.addEventListener("pointermove", (event) => {
    if (!last || !event.buttons || graph.zoom.scale <= 1.001) return;
    const now = pointOf(event);
    graph.zoom.x += now[0] - last[0];
    graph.zoom.y += now[1] - last[1];
    last = now;
    keepInside();
    applyZoom();
  });
  for (const end of ["pointerup", "pointerleave", "pointercancel"]) {
    graph.picture.addEventListener(end, () => { last = null; });
  }
}
