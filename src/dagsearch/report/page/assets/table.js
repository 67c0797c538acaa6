// Tables that are sorted by a click on a heading, and filtered by what is typed.
function sortBy(table, column, ascending) {
  const body = table.tBodies[0];
  const isNumeric = table.tHead.rows[0].cells[column].classList.contains("number");
  const keyOf = (row) => {
    const { key } = row.cells[column].dataset;
    return isNumeric ? (key === undefined ? null : Number(key)) : key ?? row.cells[column].textContent;
  };
  const compare = (a, b) => (isNumeric ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const rows = [...body.rows].map((row, place) => ({ row, place, key: keyOf(row) }));
  // What has no number stands last, whichever way the others are sorted.
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.place - b.place;
    return (ascending ? 1 : -1) * compare(a.key, b.key) || a.place - b.place;
  });
  body.append(...rows.map(({ row }) => row));
  [...table.tHead.rows[0].cells].forEach((cell, k) => {
    cell.setAttribute("aria-sort", k !== column ? "none" : ascending ? "ascending" : "descending");
  });
}

function startTables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      cell.querySelector("button").addEventListener("click", () => {
        const isNumeric = cell.classList.contains("number");
        const now = cell.getAttribute("aria-sort");
        // The largest numbers are looked for first, but the smallest p-values.
        const first = cell.classList.contains("small-first") || !isNumeric;
        sortBy(table, column, now === "none" ? first : now === "descending");
      });
    });
  }
  const filter = byId("edge-filter");
  if (!filter) return;
  filter.addEventListener("input", () => filterEdges(filter.value));
  filterEdges("");
}

function filterEdges(text) {
  const wanted = text.trim().toLowerCase();
  const rows = [...byId("edge-table").tBodies[0].rows];
  for (const row of rows) row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
  const shown = rows.filter((row) => !row.hidden).length;
  byId("edge-count").textContent = `${shown} of ${rows.length} rows`;
}
