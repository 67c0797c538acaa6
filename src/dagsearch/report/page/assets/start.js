// What the page has is started; a page that compares two graphs has no table of edges, say.
if (byId("graph")) {
  startGraph();
  startDownloads();
}
// Two graphs side by side are not enlarged: they scroll where their letters would be too small.
for (const picture of document.querySelectorAll(".pair svg")) {
  picture.style.minWidth = `${0.6 * picture.viewBox.baseVal.width}px`;
}
startTables();
startFigures();
