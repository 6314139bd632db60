"use strict";
document.documentElement.classList.add("has-script");

// Filter the pages by words in their title or URL.
const filter = document.getElementById("filter");
const found = document.getElementById("found");
const pages = Array.from(document.querySelectorAll(".page"), (element) => [element, element.textContent.toLowerCase()]);
const folders = Array.from(document.querySelectorAll(".tree details"));
const wasOpen = new Map(folders.map((folder) => [folder, folder.open]));

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const [element, text] of pages) {
    const matches = words.every((word) => text.includes(word));
    element.hidden = !matches;
    count += matches ? 1 : 0;
  }
  for (const folder of folders.slice().reverse()) {
    folder.hidden = words.length > 0 && !folder.querySelector(".page:not([hidden])");
    folder.open = words.length > 0 ? true : wasOpen.get(folder);
  }
  found.textContent = words.length > 0 ? `${count} of ${pages.length} URLs` : "";
}
filter.addEventListener("input", applyFilter);

function openAll(isOpen) {
  for (const folder of folders) {
    folder.open = isOpen;
    wasOpen.set(folder, isOpen);
  }
}
document.getElementById("open-all").addEventListener("click", () => openAll(true));
document.getElementById("close-all").addEventListener("click", () => openAll(false));

// A printed report shows what is folded.
let folded = [];
window.addEventListener("beforeprint", () => {
  folded = Array.from(document.querySelectorAll("details:not([open])"));
  folded.forEach((element) => element.setAttribute("open", ""));
});
window.addEventListener("afterprint", () => folded.forEach((element) => element.removeAttribute("open")));

// Sort a table by a column when its heading is chosen.
function sortBy(table, column, button) {
  const heading = button.closest("th");
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.querySelectorAll("th")) {
    other.removeAttribute("aria-sort");
  }
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const rows = Array.from(body.rows).sort((a, b) => (ascending ? 1 : -1) * compare(key(a), key(b)));
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.addEventListener("click", () => sortBy(table, column, button));
    heading.replaceChildren(button);
  });
}
