// Figures that the data decide on: an element with data-figure says which one it holds.
const FIGURES = { residuals: residualFigures, path: pathFigure, rewards: rewardFigures, calibration: calibrationFigure };

function startFigures() {
  for (const place of document.querySelectorAll("[data-figure]")) {
    place.replaceChildren(...FIGURES[place.dataset.figure]().filter((each) => each !== null));
  }
  const chosen = byId("residual-of");
  chosen?.addEventListener("change", () => {
    document.querySelector('[data-figure="residuals"]').replaceChildren(...residualFigures());
  });
}

const figure = (picture, caption) => html("figure", {}, picture, html("figcaption", {}, caption));

// ---------------------------------------------------------------- residuals

function residualFigures() {
  const chosen = byId("residual-of");
  const fit = data.residuals[chosen ? Number(chosen.value) : 0];
  if (fit.levels) return [sharesFigure(fit)];
  return [histogramFigure(fit), quantileFigure(fit), fittedFigure(fit)].filter((each) => each !== null);
}

const normalDensity = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

function histogramFigure(fit) {
  const { edges, density } = fit;
  const grid = Array.from({ length: 81 }, (_, k) => edges[0] + (k / 80) * (edges.at(-1) - edges[0]));
  const frame = chart({
    x: [edges[0], edges.at(-1)], y: [0, 1.08 * Math.max(0.42, ...density)],
    xLabel: "residual, in standard deviations", yLabel: "density",
    label: `Density of the residuals of ${fit.name}, and that of a normal distribution`,
  });
  density.forEach((height, k) => frame.add("rect", {
    class: "bars", x: frame.toX(edges[k]), width: Math.max(frame.toX(edges[k + 1]) - frame.toX(edges[k]) - 0.5, 0.5),
    y: frame.toY(height), height: frame.toY(0) - frame.toY(height),
  }));
  addLine(frame, grid, grid.map(normalDensity), { class: "reference" });
  return figure(frame.root, `Bars: residuals. Dashed: a normal distribution. ${data.shape}`);
}

function quantileFigure(fit) {
  const { normal_quantiles: x, residual_quantiles: y } = fit;
  const range = rangeOf([...x, ...y]);
  const frame = chart({
    x: range, y: range, xLabel: "quantiles of a normal distribution", yLabel: "of the residuals",
    label: `Quantiles of the residuals of ${fit.name} against those of a normal distribution`,
  });
  addLine(frame, range, range, { class: "reference" });
  addPoints(frame, x, y, { class: "dot big s0" });
  return figure(frame.root, "On the dashed line, residuals are as those of a normal distribution.");
}

function fittedFigure(fit) {
  if (!fit.fitted_values || !fit.n_causes) return null;
  const { fitted_values: x, fitted_residuals: y } = fit;
  const frame = chart({
    x: rangeOf(x), y: rangeOf(y), xLabel: "prediction", yLabel: "residual",
    label: `Residuals of ${fit.name} against its predictions`,
  });
  addLine(frame, rangeOf(x), [0, 0], { class: "reference" });
  addPoints(frame, x, y, { class: "dot" });
  return figure(frame.root, "A bend means a relation that the model lacks, a funnel a noise that grows.");
}

function sharesFigure(fit) {
  const rows = fit.levels.map((level, k) => html("tr", {}, html("th", { scope: "row" }, clipped(level)),
    html("td", { class: "number" }, percent(fit.observed[k])), html("td", { class: "number" }, percent(fit.predicted[k]))));
  const head = ["Level", "Share of the rows", "Predicted where it is seen"].map((text, k) =>
    html("th", { scope: "col", class: k ? "number" : null }, text));
  return html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Levels of ${fit.name}` },
    html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, rows)));
}

// ---------------------------------------------------------------- the graph for other values of min_effect

function pathFigure() {
  const { values, edges, own } = data.path;
  const nameOf = (edge, most) => `${clipped(edge.cause, most)} \u200e→\u200e ${clipped(edge.effect, most)}`;
  const names = edges.map((edge) => nameOf(edge, 18));
  const left = Math.max(70, 12 + 6 * Math.max(...names.map((name) => name.length)));
  const height = 54 + 17 * edges.length;
  const frame = chart({
    x: [-0.5, values.length - 0.5], y: [edges.length - 0.5, -0.5], width: left + 460, height, left, bottom: 44, top: 6,
    xLabel: "min_effect: share of the rest that an edge must explain",
    xTicks: values.map((value, k) => ({ value: k, text: value === own ? `${value} (here)` : String(value) })),
    yTicks: names.map((text, k) => ({ value: k, text })),
    label: "For each edge, the values of min_effect for which the graph has it; the table of edges has its strength",
  });
  edges.forEach((edge, row) => edge.presence.forEach((sign, k) => {
    if (!sign) return;
    const width = frame.toX(1) - frame.toX(0);
    const bar = frame.add("rect", {
      class: `step ${sign > 0 ? "forward" : "backward"}`,
      x: frame.toX(k) - width / 2 + 0.5, width: width - 1, y: frame.toY(row) - (sign > 0 ? 5 : 3), height: sign > 0 ? 10 : 6,
    });
    bar.append(svg("title", {}, `${nameOf(edge, 500)}: ${sign > 0 ? "as written" : "the other way"} at ${values[k]}`));
  }));
  return [frame.root];
}

// ---------------------------------------------------------------- inside the search

function rewardFigures() {
  const points = data.trace.improvements;
  const phases = [...new Set(points.map((point) => point.phase))];
  const kindOf = (phase) => `s${phases.indexOf(phase) % 6}`;
  const against = (key, xLabel) => {
    const frame = chart({
      x: rangeOf(points.map((point) => point[key])), y: rangeOf(points.map((point) => point.reward)),
      xLabel, yLabel: "best reward so far", width: 460, label: `Best reward so far against ${xLabel}`,
    });
    points.slice(1).forEach((point, k) => {
      const before = points[k];
      addLine(frame, [before[key], point[key], point[key]], [before.reward, before.reward, point.reward],
        { class: `series ${kindOf(point.phase)}` });
    });
    return frame.root;
  };
  const said = "Each step up is a better graph than all before";
  const simulates = points.some((point) => point.n_simulations > 0);
  return [
    simulates ? figure(against("n_simulations", "simulations"), `${said}.`) : null,
    figure(against("seconds", "seconds"), `${simulates ? "The same over time" : said}; compiling is not counted.`),
    phases.length > 1 ? legend(phases.map((phase) => ({ name: phase, kind: kindOf(phase) }))) : null,
  ];
}

// ---------------------------------------------------------------- calibration

function calibrationFigure() {
  const { claimed, observed, count } = data.calibration;
  const frame = chart({
    x: [0, 1], y: [0, 1], xLabel: "probability that was claimed", yLabel: "share that was true",
    label: "Shares of true edges against the probabilities that were claimed for them, in simulations",
  });
  addLine(frame, [0, 1], [0, 1], { class: "reference" });
  addLine(frame, claimed, observed, { class: "series s0" });
  const most = Math.max(...count);
  claimed.forEach((x, k) => {
    const mark = frame.add("circle", {
      class: "dot big s0", cx: frame.toX(x), cy: frame.toY(observed[k]), r: 2 + 5 * Math.sqrt(count[k] / most),
    });
    mark.append(svg("title", {}, `${percent(x)} claimed, ${percent(observed[k])} true, ${count[k]} pairs`));
  });
  const pairs = count.reduce((a, b) => a + b).toLocaleString("en");
  return [figure(frame.root, `On the dashed line, claims come true as often as they say; ${pairs} pairs in simulations.`)];
}
