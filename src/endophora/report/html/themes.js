// Sorting, choosing a row, and the words of a row. Texts from data are only ever set as textContent.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const text = (index) => data.texts[index];
  const steering = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
  const visible = (string) => string.replace(steering, (character) =>
    "⟨U+" + character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
  document.documentElement.classList.add("scripted");

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") made.className = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }
  const nats = (value) => value.toFixed(3).replace(/^-0\.000$/, "0.000").replace("-", "−");

  // ---- views: sorting by a heading, choosing a row
  let chosen = null;
  for (const table of document.querySelectorAll("table.view")) {
    const body = table.tBodies[0], original = [...body.rows];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, index) => {
      const button = element("button", { title: "Sort" }, ...heading.childNodes);
      heading.replaceChildren(button);
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const first = index === 0 ? "ascending" : "descending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = heading.getAttribute("aria-sort") === first ? other : first;
        headings.forEach((each) => each.setAttribute("aria-sort", each === heading ? order : "none"));
        const sign = order === "ascending" ? 1 : -1;
        const compare = index === 0
          ? (a, b) => sign * a.cells[0].textContent.localeCompare(b.cells[0].textContent)
          : (a, b) => sign * (Number(a.cells[index].dataset.value) - Number(b.cells[index].dataset.value));
        body.append(...[...original].sort(compare));
      });
    });
    for (const row of original) {
      if (row.dataset.row === undefined) continue;
      row.tabIndex = 0;
      row.setAttribute("aria-selected", "false");
      const take = () => choose(row, data[table.dataset.view][Number(row.dataset.row)], row.cells[0].textContent);
      row.addEventListener("click", take);
      row.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        take();
      });
    }
  }
  function choose(row, tokens, name) {
    const same = chosen !== null && row === chosen.row;
    document.querySelectorAll("tr.chosen").forEach((each) => {
      each.classList.remove("chosen");
      each.setAttribute("aria-selected", "false");
    });
    chosen = same || row === null ? null : { row, tokens, name };
    if (chosen) {
      row.classList.add("chosen");
      row.setAttribute("aria-selected", "true");
    }
    page = 0;
    show();
  }

  // ---- words
  const perPage = 20;
  let page = 0;
  const whole = Array.from({ length: data.top }, (_, number) => number);
  const form = (token) => {
    const segment = data.segments[token.s], at = 3 * token.w;
    return text(segment.t).slice(segment.w[at], segment.w[at + 1]);
  };
  function wanted() {
    const needle = byId("find").value.trim().toLocaleLowerCase();
    const numbers = [...(chosen ? chosen.tokens : whole)].filter((number) => {
      if (!needle) return true;
      const segment = data.segments[data.tokens[number].s];
      return [segment.t, segment.s].some((index) => text(index).toLocaleLowerCase().includes(needle));
    });
    const order = byId("order").value;
    if (order === "text") numbers.sort((a, b) => data.tokens[a].s - data.tokens[b].s || data.tokens[a].w - data.tokens[b].w);
    if (order === "word") numbers.sort((a, b) => form(data.tokens[a]).localeCompare(form(data.tokens[b])) || a - b);
    return numbers;
  }
  function shaded(segment, word) {
    const sentence = text(segment.t), made = element("span", { dir: "auto", lang: data.languages[1] });
    let at = 0;
    for (let i = 0; i < segment.w.length; i += 3) {
      const [start, end, shade] = segment.w.slice(i, i + 3);
      if (start < at) continue;
      made.append(visible(sentence.slice(at, start)));
      const kind = (shade > 0 ? "p" + shade : shade < 0 ? "n" + -shade : "") + (i === 3 * word ? " chosen" : "");
      made.append(element("mark", { class: kind }, visible(sentence.slice(start, end))));
      at = end;
    }
    made.append(visible(sentence.slice(at)));
    return made;
  }
  // The same word earlier on is what a reader looks for first.
  function withEarlier(sentence, word) {
    const made = element("span", { dir: "auto" });
    const lowered = sentence.toLocaleLowerCase(), sought = word.toLocaleLowerCase();
    const letter = /[\p{L}\p{N}]/u;
    let at = 0, from = 0;
    while (sought.length > 1 && lowered.length === sentence.length) {
      const found = lowered.indexOf(sought, from);
      if (found < 0) break;
      from = found + sought.length;
      if (letter.test(sentence[found - 1] || " ") || letter.test(sentence[from] || " ")) continue;
      made.append(visible(sentence.slice(at, found)), element("mark", { class: "earlier" }, visible(sentence.slice(found, from))));
      at = from;
    }
    made.append(visible(sentence.slice(at)));
    return made;
  }
  function article(token) {
    const segment = data.segments[token.s], word = form(token);
    const count = Math.max(segment.sc.length, segment.tc.length);
    const rows = [];
    for (let back = count; back > 0; back -= 1) {
      const [source, target] = [segment.sc[segment.sc.length - back], segment.tc[segment.tc.length - back]];
      rows.push(element("tr", { class: "context" }, element("th", { class: "narrow" }, "−" + back),
        element("td", { dir: "auto", lang: data.languages[0] }, source === undefined ? "" : visible(text(source))),
        element("td", { lang: data.languages[1] }, target === undefined ? "" : withEarlier(text(target), word))));
    }
    rows.push(element("tr", { class: "here" }, element("th", { class: "narrow" }, "here"),
      element("td", { dir: "auto", lang: data.languages[0] }, visible(text(segment.s))),
      element("td", null, shaded(segment, token.w))));
    const names = [token.l, ...token.g].filter((name) => name).map((name) => name.replaceAll("_", " "));
    const facts = [names.join(", "), `probability without context ${token.p.toPrecision(2)}`, `P-CXMI of the sentence ${nats(segment.g)}`,
      `${visible(text(segment.d))}, ${segment.n + 1}`].filter((fact) => fact);
    return element("article", { class: "example" },
      element("header", null,
        element("h3", null, element("span", { class: "tag" }, nats(token.v)), element("bdi", null, visible(word))),
        element("span", { class: "meta" }, facts.join(" · "))),
      element("table", { class: "lines" }, element("tbody", null, ...rows)));
  }
  function show() {
    const numbers = wanted(), pages = Math.max(1, Math.ceil(numbers.length / perPage));
    page = Math.min(page, pages - 1);
    const first = page * perPage;
    byId("list").replaceChildren(...numbers.slice(first, first + perPage).map((number) => article(data.tokens[number])));
    const what = chosen ? `Of “${chosen.name}”` : "Of all words";
    byId("status").textContent = `${what}: the ${numbers.length} shown here with the highest P-CXMI.`;
    byId("page").textContent = `${page + 1} of ${pages}`;
    byId("before").disabled = page === 0;
    byId("after").disabled = page >= pages - 1;
  }
  byId("find").addEventListener("input", () => { page = 0; show(); });
  byId("order").addEventListener("change", () => { page = 0; show(); });
  byId("all").addEventListener("click", () => { byId("find").value = ""; choose(null, [], ""); });
  byId("before").addEventListener("click", () => { page -= 1; show(); });
  byId("after").addEventListener("click", () => { page += 1; show(); });
  show();
})();
