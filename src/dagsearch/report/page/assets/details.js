// The panel beside the graph: what is known of the variable or the edge that is chosen.
function factList(facts) {
  return html("dl", {}, facts.map(([term, said]) => html("div", {}, html("dt", {}, term), html("dd", {}, said))));
}

const edgeName = (edge) =>
  // The marks keep the cause before the effect, also where names are written from right to left.
  `${data.graph.names[edge.from]} \u200e${edge.directed ? "→" : "—"}\u200e ${data.graph.names[edge.to]}`;

function edgeDetails(edge) {
  const status = edge.missing
    ? "In the known graph, but not found."
    : edge.found ? null : "Likely, though not in the fitted graph.";
  return [
    html("h3", {}, edgeName(edge)),
    status ? html("p", {}, status) : null,
    edge.sentences.map((sentence) => html("p", {}, sentence)),
    factList(edge.facts),
    drawRelation(edge),
  ];
}

function edgeButtons(title, edges, name) {
  if (!edges.length) return null;
  const items = edges.map(([number, edge]) => {
    const button = html("button", { type: "button", class: "link", "data-edge": number }, name(edge));
    return html("li", {}, button, isNumber(edge.adjacent) ? html("small", {}, ` ${percent(edge.adjacent)}`) : null);
  });
  return html("div", {}, html("h4", {}, title), html("ul", {}, items));
}

function nodeDetails(node) {
  const { names, nodes, edges } = data.graph;
  const found = [...edges.entries()].filter(([, edge]) => edge.found);
  const fit = nodes[node];
  const explained = isNumber(fit.explained) ? [["Explained by its causes", percent(fit.explained)]] : [];
  const other = (edge) => names[edge.from === node ? edge.to : edge.from];
  const causes = found.filter(([, edge]) => edge.directed && edge.to === node);
  const effects = found.filter(([, edge]) => edge.directed && edge.from === node);
  const open = found.filter(([, edge]) => !edge.directed && (edge.from === node || edge.to === node));
  return [
    html("h3", {}, names[node]),
    factList([...explained, ...(fit.rows ? [["Rows", fit.rows.toLocaleString("en")]] : [])]),
    edgeButtons("Causes", causes, other),
    edgeButtons("Effects", effects, other),
    edgeButtons("Direction open", open, other),
    causes.length + effects.length + open.length ? null : html("p", {}, "No edge of the fitted graph ends here."),
  ];
}
