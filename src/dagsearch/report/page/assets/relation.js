// The relation along an edge, given the other causes: what the rows show, and the fitted curve with its band.
function drawRelation(edge) {
  const relation = edge.relation;
  if (!relation) return null;
  const [cause, effect] = [data.graph.names[edge.from], data.graph.names[edge.to]];
  if (relation.reason) return html("p", {}, `No picture: ${relation.reason}.`);
  const draw = { curve: relationCurve, boxes: relationBoxes, probabilities: relationCurves, table: relationTable };
  const others = relation.adjusts_for;
  const given = others.length ? `, given ${others.slice(0, 4).map((name) => clipped(name, 60)).join(", ")}${others.length > 4 ? ", …" : ""}` : "";
  const caption = html("figcaption", {}, `${clipped(effect, 60)} by ${clipped(cause, 60)}${given}; ${relation.n_rows.toLocaleString("en")} rows.`);
  return html("figure", {}, draw[relation.kind](relation, cause, effect), caption);
}

function relationCurve(relation, cause, effect) {
  const x = rangeOf(relation.grid);
  const inView = relation.y.filter((_, k) => relation.x[k] >= x[0] && relation.x[k] <= x[1]);
  const frame = chart({
    x, y: rangeOf([...inView, ...relation.lower, ...relation.upper]),
    xLabel: clipped(cause), yLabel: clipped(effect),
    label: `${effect} against ${cause}: rows as dots, the fitted curve with a band of 95 percent`,
  });
  addPoints(frame, relation.x, relation.y, { class: "dot" });
  addBand(frame, relation.grid, relation.lower, relation.upper, { class: "band" });
  addLine(frame, relation.grid, relation.fit, { class: "curve" });
  return frame.root;
}

function relationBoxes(relation, cause, effect) {
  const names = relation.levels;
  const frame = chart({
    x: [-0.6, names.length - 0.4], y: rangeOf(relation.quantiles.flat()),
    xLabel: clipped(cause), yLabel: clipped(effect),
    xTicks: names.map((name, k) => ({ value: k, text: clipped(name, Math.max(4, Math.floor(50 / names.length))) })),
    label: `${effect} for each level of ${cause}: boxes hold half of the rows, dots are means with intervals of 95 percent`,
  });
  relation.quantiles.forEach((quantiles, k) => {
    const [low, first, median, third, high] = quantiles.map(frame.toY);
    const centre = frame.toX(k);
    const half = Math.min(26, 0.3 * (frame.toX(1) - frame.toX(0)));
    frame.add("line", { class: "whisker", x1: centre, x2: centre, y1: low, y2: high });
    frame.add("rect", { class: "box", x: centre - half, width: 2 * half, y: third, height: Math.max(first - third, 1) });
    frame.add("line", { class: "median", x1: centre - half, x2: centre + half, y1: median, y2: median });
    frame.add("line", {
      class: "curve", x1: centre, x2: centre, y1: frame.toY(relation.lower[k]), y2: frame.toY(relation.upper[k]),
    });
    frame.add("circle", { class: "mean", cx: centre, cy: frame.toY(relation.means[k]), r: 3 });
  });
  const more = relation.n_more_levels ? html("p", {}, `${relation.n_more_levels} rarer levels are not shown.`) : null;
  return html("div", {}, frame.root, more);
}

function relationCurves(relation, cause, effect) {
  const frame = chart({
    x: rangeOf(relation.grid), y: [0, 1], xLabel: clipped(cause), yLabel: `P(${clipped(effect, 18)})`,
    label: `Probability of each level of ${effect} against ${cause}: dots are shares of rows, lines the fit`,
  });
  relation.effect_levels.forEach((level, k) => {
    const kind = `s${k % 6}`;
    const ys = (values) => values.map((value) => clamp(value, 0, 1));
    addBand(frame, relation.grid, ys(relation.lower[k]), ys(relation.upper[k]), { class: `band ${kind}` });
    addLine(frame, relation.grid, ys(relation.curves[k]), { class: `series ${kind}` });
    addPoints(frame, relation.bin_x, relation.bin_shares.map((shares) => shares[k]), { class: `dot big ${kind}` });
  });
  return html("div", {}, frame.root, legend(relation.effect_levels.map((level, k) => ({ name: level, kind: `s${k % 6}` }))));
}

function relationTable(relation, cause, effect) {
  const head = html("tr", {}, html("th", { scope: "col" }, `${clipped(cause)} \\ ${clipped(effect)}`),
    relation.effect_levels.map((level) => html("th", { scope: "col", class: "number" }, clipped(level, 16))));
  const rows = relation.levels.map((level, i) => html("tr", {}, html("th", { scope: "row" }, clipped(level, 16)),
    relation.shares[i].map((share) => html("td", { class: `number share-${Math.round(clamp(share, 0, 1) * 5)}` }, percent(share)))));
  return html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${effect} by ${cause}` },
    html("table", {}, html("caption", {}, "Share of the rows with each level of the effect"),
      html("thead", {}, head), html("tbody", {}, rows)));
}
