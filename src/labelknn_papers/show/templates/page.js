"use strict";
document.documentElement.classList.add("js");
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("details");
  const panel = document.getElementById("panel");
  const cells = [...document.querySelectorAll("td[data-verdict]")];
  const squares = [...document.querySelectorAll(".squares a")];
  const cellOf = (square) => document.getElementById(square.getAttribute("href").slice(1));

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const nameOf = (cell) => {
    const names = data.names[cell.dataset.paper];
    return ["dataset", "method", "metric", "setting"].map((field) => names[field][cell.dataset[field]]).filter(Boolean).join(" · ");
  };

  // What is known of a number; times are shown as ratios, and what was measured stands in the cell alone.
  const known = (cell) => {
    const keys = ["ours", "error", "difference", "tolerance", "printed", "reason", "rule", "protocol", "method", "data", "command", "scores", "notRun"];
    const found = Object.fromEntries(data.cells[cell.id].map((text, place) => [keys[place], data.texts[text]]));
    const measured = cell.querySelector(".measured");
    const verdict = cell.dataset.record ?? cell.dataset.verdict;
    const unjudged = { "": "not judged: N/A in the paper", own: "a method of your own, which is not judged" }[verdict];
    return { ...found, verdict, unjudged, name: nameOf(cell), record: cell.dataset.record, published: cell.querySelector(".published").textContent,
      shown: measured?.textContent ?? found.ours, seconds: measured?.dataset.seconds };
  };

  const facts = (pairs) => {
    const list = document.createElement("dl");
    for (const [term, value] of pairs) {
      const said = document.createElement("dd");
      said.append(...[value || "–"].flat());
      list.append(element("dt", term), said);
    }
    return list;
  };

  const verdictOf = (is) =>
    is.unjudged ? [is.unjudged] : [element("i", "", `mark ${is.record ? "recorded " : ""}${is.verdict.replace(" ", "-")}`), ` ${is.verdict}`];
  const errorOf = (is) => (is.ours && !is.error ? "– (a single split)" : is.error);

  // The short form is a popover for the number (or square) under the pointer or with the focus.
  let hiding = 0;
  let current = null;
  let resting = false; // the page was scrolled under a pointer that has not moved since

  const fill = (cell) => {
    const is = known(cell);
    const rows = [["published", is.published], [is.record ? "of the record" : "ours", is.shown]];
    if (is.difference) rows.push(["difference", is.difference]);
    box.replaceChildren(element("h4", is.name), facts([...rows, ["verdict", verdictOf(is)]]));
    if (is.record) box.append(element("p", `Not run here: ${is.notRun}.`));
    if (is.reason) box.append(element("p", is.reason));
    box.append(element("p", "Click or press Enter for how it was made.", "more"));
  };

  // The long form is a panel at the side; the address of the page is then that of the number.
  let opener = null;

  const copier = (what, text) => {
    const button = element("button", what, "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    });
    return navigator.clipboard ? [button] : [];
  };

  const open = (cell, from = cell) => {
    const is = known(cell);
    opener = from;
    hide();
    const close = element("button", "Close", "close");
    close.type = "button";
    close.addEventListener("click", shut);
    const title = element("h2", is.name);
    title.id = "panel-title";
    const table = document.getElementById(`${cell.dataset.paper}-${cell.dataset.table}-title`);
    const paper = document.getElementById(cell.dataset.paper).querySelector(".key");
    const sizes = element("div", "", "sizes");
    sizes.append(element("span", "published"), element("span", is.record ? "of the record" : "ours"));
    [is.published, is.shown || "–"].forEach((value, place) => sizes.children[place].prepend(element("b", value)));
    const rows = [["verdict", verdictOf(is)]];
    if (is.seconds) rows.push(["seconds", `printed ${is.printed}, measured ${is.seconds}`]);
    if (is.ours) rows.push(["standard error", errorOf(is)]);
    if (is.difference) rows.push(["difference", is.difference], ["tolerance", is.tolerance]);
    panel.replaceChildren(close, title, element("div", `${paper.textContent}, ${table.textContent}`), sizes, facts(rows));
    if (is.record) panel.append(element("p", `Not run here: ${is.notRun}.`));
    if (is.reason) panel.append(element("p", is.reason));
    if (is.rule) {
      panel.append(element("p", `${is.rule} `));
      panel.lastChild.append(Object.assign(element("a", "How a number is judged"), { href: "#rule" }));
    }
    const ids = ["dataset", "method", "metric", "setting"].map((field) => cell.dataset[field]).filter(Boolean).join(", ");
    const parts = { "Split": is.protocol, "Method": is.method, "Data": is.data, "Where the scores of its splits are": is.scores, "In the files": ids };
    for (const [head, text] of Object.entries(parts)) {
      if (!text) continue;
      const [first, ...others] = text.split("\n");
      const code = head === "In the files" || head.startsWith("Where");
      panel.append(element("h3", head), element(code ? "code" : "div", first), ...others.map((line) => element(code ? "div" : "code", line)));
    }
    if (is.command) panel.append(element("h3", "To make it again, alone"), element("code", is.command), ...copier("Copy the command", is.command));
    panel.append(element("h3", "Link"), element("code", `#${cell.id}`));
    history.replaceState(null, "", `#${cell.id}`);
    panel.append(...copier("Copy the link", location.href));
    // Beside the number, not on it.
    panel.classList.toggle("left", cell.getBoundingClientRect().right > window.innerWidth - 480);
    panel.hidden = false;
    if (panel.offsetWidth === document.documentElement.clientWidth) { // on a phone it is below
      const [low, high] = [panel.getBoundingClientRect().top, document.getElementById("bar").getBoundingClientRect().bottom];
      const at = cell.getBoundingClientRect();
      if (at.bottom > low || at.top < high) window.scrollBy(0, (at.top + at.bottom - low - high) / 2);
    }
    panel.scrollTop = 0;
    panel.focus({ preventScroll: true });
  };

  const shut = () => {
    if (panel.hidden) return;
    panel.hidden = true;
    opener?.focus({ preventScroll: true });
    hide();
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
  document.addEventListener("focusin", (event) => { if (targetOf(event) && panel.hidden) show(targetOf(event)); });
  document.addEventListener("focusout", (event) => {
    if (targetOf(event) && !box.matches(":hover")) hide();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { hide(); shut(); }
    if (event.key === "Enter" && event.target.matches?.("td[data-verdict]")) open(event.target);
  });
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target?.matches("td")) open(target);
    else if (!target && !event.target.closest("#details, #panel")) { hide(); panel.hidden = true; }
  });
  for (const scroller of document.querySelectorAll(".scroll")) {
    scroller.addEventListener("scroll", () => { if (!box.hidden) place(current); });
  }

  // To a number or any other part of the page, wherever it is folded away.
  const reveal = (part) => {
    for (let around = part.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  };

  const visit = (cell) => {
    filter("");
    reveal(cell);
    resting = true;
    cell.scrollIntoView({ block: "center", inline: "center" });
    open(cell);
  };

  const arrive = () => {
    const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!part || !document.querySelector("main").contains(part)) return;
    if (cells.includes(part)) return visit(part);
    reveal(part);
    part.scrollIntoView();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".squares a, .diamonds a, main a[href^='#'], #panel a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.closest("#panel")) panel.hidden = true;
    history.pushState(null, "", link.getAttribute("href"));
    arrive();
  });
  window.addEventListener("hashchange", arrive);

  // One tab stop for each strip of squares and each table; the arrow keys move inside.
  const rove = (members, next) => {
    members.forEach((member, index) => { member.tabIndex = index ? -1 : 0; });
    members[0]?.parentElement.closest(".squares, .diamonds, table").addEventListener("keydown", (event) => {
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

  for (const strip of document.querySelectorAll(".squares, .diamonds")) rove([...strip.children], nextSquare);
  for (const table of document.querySelectorAll(".comparison")) rove([...table.querySelectorAll("td[data-verdict]")], nextCell);

  // The filter dims other cells and leaves out rows, blocks and tables that hold none of the wanted.
  const bar = document.getElementById("filter");
  const buttons = [...(bar?.querySelectorAll("button") ?? [])];

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

  if (bar) bar.hidden = !cells.length;
  buttons.forEach((button) => button.addEventListener("click", () => filter(button.dataset.show)));

  // Columns sort up, down, and back to the paper's own order; what has no number stays at the end.
  const numberIn = (cell) => {
    const read = (part) => (part ? parseFloat(part.textContent.replace("−", "-").replaceAll(",", "")) : NaN);
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
  document.querySelectorAll(".squares a, .diamonds a").forEach((mark) => { mark.ariaLabel = mark.title; mark.title = mark.closest(".diamonds") ? mark.title : ""; });
  if (together?.checked) count(true); // as the browser remembers it
  if (location.hash) requestAnimationFrame(arrive);
  window.labelknn = { cells, filter, hide, names: data.names, reveal };
})();
