// What the page has is started; a page that compares two graphs has no table of edges, say.
if (byId("graph")) {
  startGraph();
  startDownloads();
}
startTables();
startFigures();
