"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("details");
  const cells = [...document.querySelectorAll("td[data-verdict]")];
  const squares = [...document.querySelectorAll(".squares a")];
  const cellOf = (square) => document.getElementById(square.getAttribute("href").slice(1));

  // Details: a popover for the cell (or square) under the pointer or with the focus.
  let hiding = 0;
  let current = null;
  let resting = false; // the page was scrolled under a pointer that has not moved since

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const fill = (cell) => {
    const [ours, error, difference, tolerance, reason, command, notRun] = data.cells[cell.id];
    const { dataset, method, metric, setting, record } = cell.dataset;
    const verdict = record ?? cell.dataset.verdict;
    const name = [dataset, method, metric, setting].filter(Boolean).join(" · ").replaceAll("_", " ").replaceAll(";", ", ");
    const facts = document.createElement("dl");
    const say = (term, value) => facts.append(element("dt", term), element("dd", value || "–"));
    say("published", cell.querySelector(".published").textContent);
    say(record ? "of the record" : "ours", ours);
    say("standard error", ours && !error ? "– (a single split)" : error);
    say("difference", difference);
    say("tolerance", tolerance);
    say("verdict", "");
    const mark = element("i", "", `mark ${record ? "recorded " : ""}${verdict.replace(" ", "-")}`);
    const unjudged = { "": "N/A in the paper: nothing to judge", own: "a method of your own: nothing to judge" }[verdict];
    facts.lastChild.replaceChildren(...(unjudged ? [unjudged] : [mark, ` ${verdict}`]));
    box.replaceChildren(element("h4", name), facts);
    if (record) box.append(element("p", `Not run here: ${data.texts[notRun]}.`, "not-here"));
    if (data.texts[reason]) box.append(element("p", data.texts[reason]));
    if (data.texts[command]) box.append(element("code", data.texts[command]));
  };

  const place = (target) => {
    const at = target.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const below = at.bottom + box.offsetHeight + 12 < window.innerHeight || at.top < box.offsetHeight + 12;
    const left = Math.max(8, Math.min(at.left, room - box.offsetWidth - 8));
    box.style.left = `${left + window.scrollX}px`;
    box.style.top = `${(below ? at.bottom + 6 : at.top - box.offsetHeight - 6) + window.scrollY}px`;
  };

  const show = (target) => {
    clearTimeout(hiding);
    current = target;
    fill(target.matches("td") ? target : cellOf(target));
    box.hidden = false;
    place(target);
    document.querySelector("[aria-describedby=details]")?.removeAttribute("aria-describedby");
    target.setAttribute("aria-describedby", "details");
  };

  const hide = () => { clearTimeout(hiding); box.hidden = true; };

  const targetOf = (event) => event.target.closest?.("td[data-verdict], .squares a");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || resting) return;
    const target = targetOf(event);
    if (target) show(target);
    else if (event.target.closest("#details")) clearTimeout(hiding);
  });
  document.addEventListener("pointerout", (event) => {
    // A moment's grace, so that the pointer can travel into the popover to select the command.
    if (event.pointerType === "mouse" && !resting && (targetOf(event) || event.target.closest("#details"))) {
      clearTimeout(hiding);
      hiding = setTimeout(hide, 250);
    }
  });
  document.addEventListener("pointermove", (event) => { if (event.movementX || event.movementY) resting = false; });
  document.addEventListener("focusin", (event) => { if (targetOf(event)) show(targetOf(event)); });
  document.addEventListener("focusout", (event) => {
    if (targetOf(event) && !box.matches(":hover")) hide();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target?.matches("td")) { target.focus({ preventScroll: true }); show(target); }
    else if (!target && !event.target.closest("#details")) hide();
  });
  for (const scroller of document.querySelectorAll(".scroll")) {
    scroller.addEventListener("scroll", () => { if (!box.hidden) place(current); });
  }

  // From a square to its cell, also when the page is opened at a cell's address.
  const visit = (cell) => {
    filter("");
    cell.closest("details")?.setAttribute("open", "");
    resting = true;
    location.hash = cell.id;
    cell.scrollIntoView({ block: "center", inline: "center" });
    requestAnimationFrame(() => { cell.focus({ preventScroll: true }); show(cell); });
  };

  document.addEventListener("click", (event) => {
    const square = event.target.closest?.(".squares a");
    if (!square || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(cellOf(square));
  });

  // One tab stop for each strip of squares and each table; the arrow keys move inside.
  const rove = (members, next) => {
    members.forEach((member, index) => { member.tabIndex = index ? -1 : 0; });
    members[0]?.parentElement.closest(".squares, table").addEventListener("keydown", (event) => {
      const here = members.indexOf(document.activeElement);
      const there = here < 0 ? null : next(document.activeElement, event.key);
      if (!there) return;
      event.preventDefault();
      members.forEach((member) => { member.tabIndex = member === there ? 0 : -1; });
      there.focus();
    });
  };

  const nextSquare = (square, key) =>
    ({ ArrowRight: square.nextElementSibling, ArrowLeft: square.previousElementSibling,
       ArrowDown: square.nextElementSibling, ArrowUp: square.previousElementSibling })[key];

  const nextCell = (cell, key) => {
    const usable = (other) => other?.matches("td[data-verdict]");
    const across = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[key];
    const along = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[key];
    let there = cell;
    if (across) do { there = there[across]; } while (there && !usable(there));
    else if (along) {
      let row = cell.parentElement;
      do { row = row[along]; there = row?.cells[cell.cellIndex]; } while (row && (row.hidden || !usable(there)));
    } else return null;
    return there;
  };

  for (const strip of document.querySelectorAll(".squares")) rove([...strip.children], nextSquare);
  for (const table of document.querySelectorAll(".comparison")) rove([...table.querySelectorAll("td[data-verdict]")], nextCell);

  // The filter dims other cells and leaves out rows, blocks and tables that hold none of the wanted.
  const bar = document.getElementById("filter");
  const buttons = [...bar.querySelectorAll("button")];

  let filtered = "";
  const filter = (verdict) => {
    filtered = verdict;
    const wanted = (cell) => !verdict || cell.dataset.verdict === verdict;
    const holds = (part) => [...part.querySelectorAll("td[data-verdict]")].some(wanted);
    buttons.forEach((button) => button.setAttribute("aria-pressed", button.dataset.show === verdict));
    cells.forEach((cell) => cell.classList.toggle("dim", !wanted(cell)));
    squares.forEach((square) => square.classList.toggle("dim", !wanted(cellOf(square))));
    document.querySelectorAll(".comparison tbody tr").forEach((row) => { row.hidden = !holds(row); });
    document.querySelectorAll(".block").forEach((block) => { block.hidden = !holds(block); });
    document.querySelectorAll("section.table .nothing").forEach((note) => { note.hidden = holds(note.parentElement); });
    const count = squares.filter((square) => wanted(cellOf(square))).length;
    document.getElementById("shown").textContent = verdict ? `${count} of ${squares.length} numbers` : "";
    hide();
  };

  // The switch counts the numbers of the record among those of this run.
  const together = document.querySelector("#together input");
  const count = (on) => {
    document.body.classList.toggle("together", on);
    document.querySelectorAll("td[data-record]").forEach((cell) => { cell.dataset.verdict = on ? cell.dataset.record : "not run"; });
    document.querySelectorAll(".squares a[data-record]").forEach((square) => {
      const verdict = on ? square.dataset.record : "not run";
      square.className = `mark ${on ? "recorded " : ""}${verdict.replace(" ", "-")}`;
      square.ariaLabel = square.ariaLabel.replace(/: [^:]*$/, on ? `: ${verdict} of the record` : ": not run");
    });
    document.querySelectorAll("span[data-together]:not(.bar span)").forEach((number) => {
      number.dataset.alone ??= number.textContent;
      number.textContent = on ? number.dataset.together : number.dataset.alone;
      const none = number.textContent === "0";
      number.closest("td")?.classList.toggle("zero", none);
      const part = number.closest(".tally span:not([data-together])");
      if (part) part.hidden = none;
    });
    document.querySelectorAll(".bar span").forEach((part) => {
      part.style.flexGrow = on ? part.dataset.together : part.dataset.alone;
    });
    filter(filtered);
  };

  if (together) {
    together.parentElement.hidden = false;
    together.addEventListener("change", () => count(together.checked));
  }

  bar.hidden = !cells.length;
  buttons.forEach((button) => button.addEventListener("click", () => filter(button.dataset.show)));

  // Columns sort up, down, and back to the paper's own order; what has no number stays at the end.
  const numberIn = (cell) => {
    const read = (part) => (part ? parseFloat(part.textContent.replace("−", "-")) : NaN);
    const ours = read(cell.querySelector(".ours, .recorded.n") ?? cell.querySelector(".n"));
    return Number.isNaN(ours) ? read(cell.querySelector(".published")) : ours;
  };

  const compare = (first, second, sign) => {
    if (first.matches("th, .words")) return sign * first.textContent.localeCompare(second.textContent, "en", { numeric: true });
    const [a, b] = [numberIn(first), numberIn(second)];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return sign * (a - b);
  };

  for (const table of document.querySelectorAll(".comparison, .study")) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.querySelectorAll("th[data-sort]")];
    for (const head of heads) {
      const button = element("button", head.textContent);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const now = { ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        const direction = now === undefined ? "ascending" : now;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction) head.setAttribute("aria-sort", direction);
        const column = Number(head.dataset.sort);
        const sign = direction === "descending" ? -1 : 1;
        // Average ranks below the values stay there: they are no such values.
        const [values, summary] = [false, true].map((last) => original.filter((row) => row.matches(".summary") === last));
        if (direction) values.sort((a, b) => compare(a.cells[column], b.cells[column], sign));
        body.append(...values, ...summary);
        hide();
      });
    }
  }

  // On paper nothing can be unfolded.
  window.addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((part) => { part.open = true; }));

  // The browser's own tooltips are for readers without this script.
  cells.forEach((cell) => cell.removeAttribute("title"));
  squares.forEach((square) => { square.ariaLabel = square.title; square.removeAttribute("title"); });
  if (together?.checked) count(true); // as the browser remembers it
  const opened = document.getElementById(location.hash.slice(1));
  if (opened && cells.includes(opened)) visit(opened);
})();
