// SPDX-License-Identifier: Apache-2.0
// Sorting and filtering of the result table, and opening a row's evidence. The page is whole without it.
"use strict";
(function () {
  const table = document.getElementById("results");
  const body = table.tBodies[0];
  const filter = document.getElementById("filter");
  const evidence = new Map([...document.querySelectorAll("article[data-op]")].map((a) => [a.dataset.op, a]));

  function show(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const hay = row.textContent.toLowerCase();
      const match = words.every((w) => hay.includes(w));
      row.hidden = !match;
      const article = evidence.get(row.dataset.op);
      if (article) article.hidden = !match;
      shown += match ? 1 : 0;
    }
    document.getElementById("shown").textContent = shown + " of " + body.rows.length + " shown";
  }

  function sortBy(column, ascending) {
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.key !== undefined ? parseFloat(cell.dataset.key) : cell.textContent.trim();
    };
    const rows = [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      const order = typeof x === "number" ? x - y : x.localeCompare(y);
      return ascending ? order : -order;
    });
    rows.forEach((row) => body.append(row));
  }

  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const ascending = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sortBy(column, ascending);
    });
  });
  body.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (target) target.querySelector("details").open = true;
  });
  filter.addEventListener("input", () => show(filter.value));
  show("");
})();
