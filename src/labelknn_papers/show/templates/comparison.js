"use strict";
(() => {
  const numberIn = (cell) => {
    const text = (cell.querySelector(".n") ?? cell).textContent.trim();
    return /^[-−.\d]/.test(text) ? parseFloat(text.replace("−", "-")) : NaN;
  };
  const compare = (first, second, sign) => {
    if (first.matches("th, .words")) return sign * first.textContent.localeCompare(second.textContent, "en", { numeric: true });
    const [a, b] = [numberIn(first), numberIn(second)];
    // What has no number stays at the end.
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (a - b);
  };

  // Columns sort up, down, and back to the order of the file.
  for (const table of document.querySelectorAll("table.study")) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const now = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        const direction = now === undefined ? "ascending" : now;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction) head.setAttribute("aria-sort", direction);
        const sign = direction === "descending" ? -1 : 1;
        body.append(...(direction ? [...original].sort((a, b) => compare(a.cells[column], b.cells[column], sign)) : original));
      });
    });
  }

  // One measure, and one data set or all of them.
  for (const task of document.querySelectorAll(".task")) {
    const choices = task.querySelector(".choices");
    const chosen = (name) => choices.querySelector(`[data-choose="${name}"]`).value;
    const show = () => {
      const view = chosen("view");
      const dataset = chosen("dataset");
      task.querySelectorAll("[data-view]").forEach((part) => { part.hidden = part.dataset.view !== "" && part.dataset.view !== view; });
      task.querySelectorAll(".matrix").forEach((table) => {
        table.classList.toggle("one", dataset !== "");
        table.querySelectorAll("[data-dataset]").forEach((cell) => { cell.hidden = dataset !== "" && cell.dataset.dataset !== dataset; });
      });
    };
    choices.hidden = false;
    choices.addEventListener("change", show);
    show();
  }

  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
})();
