
// The side bar, where one is, and the search.
(() => {
  const { cells, filter, hide, names, reveal } = window.labelknn;
  const side = document.getElementById("side");
  const menu = document.getElementById("menu");
  const where = document.getElementById("where");
  const links = [...side.querySelectorAll("a")];
  const places = links.map((link) => [document.getElementById(link.hash.slice(1)), link]).filter(([part]) => part);

  const here = () => {
    const line = document.getElementById("bar").getBoundingClientRect().bottom + 60;
    // What is folded away has no place of its own; the last place above the line is where one is.
    const passed = places.filter(([part]) => part.checkVisibility() && part.getBoundingClientRect().top <= line);
    const link = (passed.sort(([a], [b]) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).at(-1) ?? places[0])?.[1];
    if (!link || link.ariaCurrent === "location") return;
    links.forEach((other) => { other.ariaCurrent = other === link ? "location" : null; });
    const group = link.closest("#side > ul > li");
    side.querySelectorAll(".here").forEach((other) => other.classList.toggle("here", other === group));
    group.classList.add("here");
    const top = group.querySelector("a");
    where.textContent = top === link ? top.textContent : `${top.textContent} · ${link.textContent}`;
    if (side.scrollHeight > side.clientHeight) link.scrollIntoView({ block: "nearest" });
  };

  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; here(); fades(); });
  };

  // A table that goes on to the right fades there.
  const fades = () => document.querySelectorAll(".scroll").forEach((part) => {
    part.classList.toggle("goes-on", part.scrollLeft + part.clientWidth < part.scrollWidth - 2);
  });
  document.querySelectorAll(".scroll").forEach((part) => {
    part.addEventListener("scroll", soon, { passive: true });
    new ResizeObserver(soon).observe(part);
  });
  window.addEventListener("scroll", soon, { passive: true });
  window.addEventListener("resize", soon);

  const toggle = (shown) => {
    document.body.classList.toggle("menu", shown);
    menu.setAttribute("aria-expanded", shown);
  };
  const narrow = matchMedia("(max-width: 64rem)");
  const fit = () => { menu.hidden = !narrow.matches; toggle(false); };
  narrow.addEventListener("change", fit);
  fit();
  menu.addEventListener("click", () => toggle(!document.body.classList.contains("menu")));
  side.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    toggle(false);
    reveal(document.getElementById(link.hash.slice(1)));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("menu")) { toggle(false); menu.focus(); }
  });

  // The search knows each method, data set and measure of a table, and all that the side bar has.
  const kinds = { method: "Method", dataset: "Data set", metric: "Measure" };
  const entries = new Map();
  for (const cell of cells) {
    const { paper, table } = cell.dataset;
    for (const field of Object.keys(kinds)) {
      const id = cell.dataset[field];
      if (!id) continue;
      const key = [paper, table, field, id].join("\n");
      if (!entries.has(key)) {
        const title = document.getElementById(`${paper}-${table}-title`).textContent;
        const of = document.getElementById(paper).querySelector(".key").textContent;
        const name = names[paper][field][id];
        entries.set(key, { name, words: `${name} ${id}`.toLowerCase(), said: `${kinds[field]} · ${of}, ${title}`, cells: [] });
      }
      entries.get(key).cells.push(cell);
    }
  }
  for (const link of links) {
    const group = link.closest("#side > ul > li").querySelector("a");
    entries.set(link.hash, { name: link.textContent, words: link.textContent.toLowerCase(), said: group === link ? "Section" : group.textContent, link, cells: [] });
  }

  const search = document.getElementById("search");
  const input = search.querySelector("input");
  const hits = document.getElementById("hits");
  let found = [];
  let chosen = 0;

  const choose = (place) => {
    chosen = (place + found.length) % found.length;
    [...hits.children].forEach((item, index) => item.setAttribute("aria-selected", index === chosen));
    hits.children[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", hits.children[chosen].id);
  };

  const close = () => {
    hits.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const look = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = (entry) => (entry.name.toLowerCase() === words.join(" ") ? 0 : entry.name.toLowerCase().startsWith(words[0]) ? 1 : 2);
    const fits = (entry) => words.every((word) => `${entry.words} ${entry.said.toLowerCase()}`.includes(word)) && entry.words.includes(words[0]);
    found = words.length ? [...entries.values()].filter(fits).sort((a, b) => rank(a) - rank(b)).slice(0, 40) : [];
    hits.replaceChildren(...found.map((entry, index) => {
      const item = document.createElement("li");
      item.id = `hit-${index}`;
      item.setAttribute("role", "option");
      const more = document.createElement("small");
      more.textContent = entry.said;
      item.append(entry.name, more);
      return item;
    }));
    if (!found.length) return close();
    hits.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
  };

  const clear = () => document.querySelectorAll("td.found").forEach((cell) => cell.classList.remove("found"));

  const go = (entry) => {
    close();
    clear();
    if (entry.link) return entry.link.click();
    filter("");
    reveal(entry.cells[0]);
    entry.cells.forEach((cell) => cell.classList.add("found"));
    entry.cells[0].focus({ preventScroll: true });
    hide();
    entry.cells[0].scrollIntoView({ block: "center", inline: "center" });
  };

  search.hidden = false;
  input.addEventListener("input", look);
  input.addEventListener("focus", look);
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { input.value = ""; clear(); close(); }
    if (hits.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(found[chosen]);
    }
  });
  hits.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("li");
    if (item) go(found[[...hits.children].indexOf(item)]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, textarea")) { event.preventDefault(); input.focus(); }
  });

  soon();
})();
