// Makes tables that are wider than the page closer; on a phone each row of these, and of tables of prose, is a block.
// Words of code that are no longer than a phone's line are marked, so that flags and paths are not broken.
// A table that does not scroll is no stop of the Tab key.
const wrappers = [...document.querySelectorAll(".table-wrapper")];
for (const table of wrappers.flatMap((one) => [...one.querySelectorAll("table")])) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.textContent.trim());
  const prose = [...table.querySelectorAll("tbody :is(td, th)")].some((cell) => cell.textContent.length > 40);
  table.classList.toggle("prose", prose && heads.length > 2);
  table.setAttribute("role", "table");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    [...row.cells].forEach((cell, at) => {
      const text = cell.textContent.trim();
      cell.setAttribute("role", cell.tagName === "TD" ? "cell" : cell.scope ? "rowheader" : "columnheader");
      if (cell.tagName === "TD" && at && heads[at]) cell.dataset.head = heads[at];
      cell.classList.toggle("none", !text);
      cell.classList.toggle("short", at > 0 && (cell.dataset.head ?? "").length + text.length < 25);
    });
  }
}
for (const word of document.querySelectorAll("code .pre")) word.classList.toggle("whole", word.textContent.length < 31);
const fit = () => {
  for (const wrapper of wrappers) {
    wrapper.classList.remove("close", "rows");
    const wide = wrapper.scrollWidth > wrapper.clientWidth;
    if (innerWidth >= 736) wrapper.classList.toggle("close", wide);
    else wrapper.classList.toggle("rows", wide || wrapper.querySelector(".prose") !== null);
    if (wrapper.scrollWidth > wrapper.clientWidth) wrapper.tabIndex = 0;
    else wrapper.removeAttribute("tabindex");
  }
};
addEventListener("resize", fit);
fit();
