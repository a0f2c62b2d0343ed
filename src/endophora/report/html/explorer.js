// Sorting, single documents and occurrences. Texts from data are only ever set as textContent or as a property's value.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const text = (index) => data.texts[index];
  const steering = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  const steeringAll = new RegExp(steering.source, "g");
  const named = (character) => "U+" + character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const visible = (string) => string.replace(steeringAll, (character) => "⟨" + named(character) + "⟩");
  document.documentElement.classList.add("scripted");

  // ---- building elements
  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") made.className = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }
  function drawn(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  const isolated = (string) => element("bdi", null, visible(string));
  function fill(select, options, all) {
    const kept = select.value;
    select.replaceChildren(...(all === null ? [] : [new Option(all, "")]),
      ...options.map(([value, label]) => new Option(visible(label), value)));
    select.value = options.some(([value]) => String(value) === kept) || all === null ? kept : "";
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  }
  function pieces(string) {
    const parts = [];
    for (const part of string.split(new RegExp("(" + steering.source + ")"))) {
      if (part === "") continue;
      parts.push(steering.test(part) ? element("span", { class: "control" }, named(part)) : part);
    }
    return parts;
  }
  // A passage is [text, start, end, role, start, end, role, …].
  function passage(flat, language) {
    const whole = text(flat[0]);
    const made = element("span", { dir: "auto", lang: language });
    let at = 0;
    for (let i = 1; i < flat.length; i += 3) {
      made.append(...pieces(whole.slice(at, flat[i])));
      made.append(element("mark", { class: data.roles[flat[i + 2]] }, ...pieces(whole.slice(flat[i], flat[i + 1]))));
      at = flat[i + 1];
    }
    made.append(...pieces(whole.slice(at)));
    return made;
  }

  // ---- the matrix: sorting by a click on a heading
  const table = byId("matrix-table");
  const columnNames = data.columns.map((column) => column.name);
  function sortable() {
    const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const original = [...table.tBodies[0].rows];
    headings.forEach((heading, index) => {
      const label = heading.querySelector(".sort");
      const button = element("button", { title: "Sort" }, ...label.childNodes);
      label.replaceWith(button);
      heading.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const best = heading.dataset.higher === "1" ? "descending" : "ascending";
        const other = best === "descending" ? "ascending" : "descending";
        const order = heading.getAttribute("aria-sort") === best ? other : best;
        headings.forEach((each) => each.setAttribute("aria-sort", each === heading ? order : "none"));
        const sign = order === "ascending" ? 1 : -1;
        const key = (row) => {
          const value = row.cells[index].dataset.value;
          return value === "" || value === undefined ? null : Number(value);
        };
        const compare = index === 0
          ? (a, b) => sign * a.cells[0].textContent.localeCompare(b.cells[0].textContent)
          : (a, b) => {
              const [x, y] = [key(a), key(b)];
              if (x === null || y === null) return (x === null) - (y === null);
              return sign * (x - y);
            };
        table.tBodies[0].append(...[...original].sort(compare));
      });
    });
  }
  function choose(system, column) {
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row) => {
      const here = row.cells[0].querySelector("bdi").textContent === visibleRow(system);
      row.classList.toggle("chosen", here);
      [...row.cells].forEach((cell, index) => cell.classList.toggle("chosen", here && index === column + row.cells.length - data.columns.length));
    });
  }
  // The page's own text writes controls as \x1b; compare with the same spelling.
  const visibleRow = (index) => data.systems[index].replace(steeringAll, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
  });

  // ---- documents of one figure
  const shownDocuments = 12, few = 3; // documents of fewer judged words come last
  let allDocuments = false, figure = {};
  const baselineOf = (column) => {
    const named = data.systems.indexOf(data.baseline);
    if (named >= 0) return named;
    const compared = data.cells.map((row) => row[column].compared).find(Boolean);
    return compared ? data.systems.indexOf(compared.baseline) : -1;
  };
  const shown = (value) => (value === null || value === undefined ? "–" : value.toFixed(1));
  const signed = (value) => {
    if (value === null) return "";
    const size = Math.abs(value).toFixed(1);
    return (Number(size) === 0 ? "" : value > 0 ? "+" : "−") + size;
  };

  function showDocuments(mark) {
    const system = Number(byId("d-system").value), column = Number(byId("d-column").value);
    const { higher, phenomenon, name, title, words } = data.columns[column];
    const cell = data.cells[system][column], base = baselineOf(column);
    const reference = base >= 0 && base !== system ? data.cells[base][column].documents || [] : [];
    const worse = higher ? 1 : -1;
    const rows = (cell.documents || []).map((value, index) => {
      const other = reference[index] ?? null;
      return { index, value, other, few: (words[index] ?? few) < few, ahead: value === null || other === null ? null : value - other };
    });
    const order = byId("d-order").value;
    const last = (a, b) => (a === null) - (b === null), fewer = (a, b) => a.few - b.few;
    const sorted = [...rows];
    if (order === "worst") sorted.sort((a, b) => last(a.value, b.value) || fewer(a, b) || worse * (a.value - b.value));
    if (order === "behind") sorted.sort((a, b) => last(a.ahead, b.ahead) || fewer(a, b) || worse * (a.ahead - b.ahead));
    const top = phenomenon ? 100 : Math.max(1, ...rows.map((row) => row.value ?? 0));
    if (mark) {
      figure = { figureSystem: data.systems[system], figureColumn: name };
      choose(system, column);
    }
    byId("d-view").replaceChildren(
      summary(cell, base >= 0 ? data.systems[base] : "", base === system),
      rows.length > 1 ? spark(rows, cell.points, top, higher) : "",
      documentTable(allDocuments ? sorted : sorted.slice(0, shownDocuments), { title, top, base, system, phenomenon, name, words }),
      sorted.length > shownDocuments && !allDocuments
        ? element("button", { type: "button", onclick: () => { allDocuments = true; showDocuments(mark); } }, `Show all ${sorted.length} documents`)
        : "");
  }
  function summary(cell, baseline, self) {
    const made = element("div", { class: "summary" }, element("span", { class: "big" }, cell.value));
    const add = (...parts) => made.append(element("span", null, ...parts));
    if (cell.interval) add("interval ", cell.interval);
    if (cell.precision != null) add("precision ", shown(cell.precision));
    if (cell.recall != null) add("recall ", shown(cell.recall));
    for (const [name, count] of Object.entries(cell.counts || {})) add(`${name} ${count.toLocaleString("en")}`);
    if (self) add("the baseline itself");
    else if (cell.compared) {
      add(element("b", { class: { worse: "bad", better: "good" }[cell.verdict] || "" },
        `${{ worse: "▼ ", better: "▲ " }[cell.verdict] || ""}${cell.compared.difference}`), " against ", isolated(baseline),
        cell.compared.interval ? ` (${cell.compared.interval})` : "", `, ${cell.compared.p}, Holm-corrected ${cell.compared.adjusted}`);
    }
    return made;
  }
  function spark(rows, mean, top, higher) {
    const width = 10 * Math.max(rows.length, 1);
    const svg = drawn("svg", { class: "spark", viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none", role: "img",
      "aria-label": `Figures of ${rows.length} documents in the order of the corpus` });
    svg.style.maxWidth = `${3 * rows.length}rem`;
    rows.forEach(({ index, value }) => {
      if (value === null) return;
      const height = Math.max(1, (92 * Math.max(0, value)) / top);
      const low = mean !== null && (higher ? value < mean : value > mean);
      const bar = drawn("rect", { x: 10 * index + 1, y: 100 - height, width: 8, height, class: low ? "low" : "" });
      bar.append(drawn("title", {}, `${visible(data.documents[index][0])}: ${shown(value)}`));
      svg.append(bar);
    });
    if (mean !== null && mean !== undefined) {
      const y = 100 - (92 * mean) / top;
      svg.append(drawn("line", { x1: 0, x2: width, y1: y, y2: y, "vector-effect": "non-scaling-stroke" }));
    }
    return svg;
  }
  function documentTable(rows, { title, top, base, system, phenomenon, name, words }) {
    const compared = base >= 0 && base !== system;
    const body = rows.map(({ index, value, other, ahead }) => {
      const [id, segments] = data.documents[index];
      const bar = drawn("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        drawn("rect", { width: (100 * Math.max(0, value ?? 0)) / top, height: 8 }));
      const open = !form ? isolated(id) : element("button", { class: "link", title: "Its occurrences", onclick: () => openExplorer({
        document: id, system: data.systems[system], phenomenon: phenomenon ? name : "" }) }, isolated(id));
      return element("tr", null, element("th", { scope: "row" }, open),
        element("td", { class: "num optional" }, String(words.length ? words[index] : segments)), element("td", { class: "num" }, shown(value)),
        element("td", { class: "bars" }, bar),
        ...(compared ? [element("td", { class: "num optional" }, shown(other)), element("td", { class: "num" }, signed(ahead))] : []));
    });
    const heads = [["document", ""], [words.length ? "words" : "segments", "num optional"], [title, "num"], ["", "bars"],
      ...(compared ? [["baseline", "num optional"], ["difference", "num"]] : [])];
    const head = element("tr", null, ...heads.map(([label, kind]) =>
      label ? element("th", { scope: "col", class: kind }, visible(label)) : element("td", { class: kind })));
    return element("table", { class: "docs" },
      element("caption", { class: "hidden" }, `${visible(title)} of ${visible(data.systems[system])} by document`),
      element("thead", null, head), element("tbody", null, ...body));
  }

  // ---- occurrences
  const form = byId("o-form"), pageSize = innerWidth < 640 ? 4 : 10;
  const KINDS = ["wrong", "right", "other", "missing", "unjudged"], ORDER = [2, 4, 3, 1, 0];
  const filters = ["phenomenon", "rule", "system", "verdict", "distance", "document", "text"];
  const field = (name) => form.elements[name];
  let page = 0, found = [];
  const spelled = (name) => name.replaceAll("_", " ");
  const distinct = (values) => [...new Set(values)];

  function explorer() {
    const counted = (values) => {
      const counts = new Map();
      values.forEach((value) => counts.set(value, (counts.get(value) || 0) + 1));
      return [...counts];
    };
    const options = (key) => counted(data.examples.map((one) => text(one[key])));
    fill(field("phenomenon"), options("phenomenon").map(([name, count]) => [name, `${spelled(name)} (${count})`]), "all");
    fill(field("document"), options("document").map(([name, count]) => [name, `${name} (${count})`]), "all");
    const distances = counted(data.examples.map((one) => one.distance)).sort((a, b) => (a[0] ?? 1e9) - (b[0] ?? 1e9));
    fill(field("distance"), distances.map(([at, count]) => at === null ? ["none", `none (${count})`]
      : [String(at), `${at === 0 ? "same segment" : `${at} before`} (${count})`]), "all");
    if (field("system")) fill(field("system"), data.systems.map((name) => [name, name]), "any");
    ruleOptions();
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => { ruleOptions(); page = 0; search(true); }));
    let waiting = 0;
    form.addEventListener("input", (event) => {
      clearTimeout(waiting);
      if (event.target.name === "phenomenon") ruleOptions();
      waiting = setTimeout(() => { page = 0; search(true); }, event.target.name === "text" ? 180 : 0);
    });
    byId("o-previous").addEventListener("click", () => turn(-1));
    byId("o-next").addEventListener("click", () => turn(1));
  }
  function ruleOptions() {
    const chosen = field("phenomenon").value;
    const rules = distinct(data.examples.filter((one) => !chosen || text(one.phenomenon) === chosen).map((one) => text(one.rule)));
    fill(field("rule"), rules.sort().map((name) => [name, spelled(name)]), "all");
  }
  function turn(by) {
    page += by;
    search(true);
    byId("o-status").scrollIntoView();
  }
  const folded = [];
  function foldedText(index) {
    return (folded[index] ??= data.texts[index].toLowerCase());
  }
  function matches(one, chosen, system, base) {
    if (chosen.phenomenon && text(one.phenomenon) !== chosen.phenomenon) return false;
    if (chosen.rule && text(one.rule) !== chosen.rule) return false;
    if (chosen.document && text(one.document) !== chosen.document) return false;
    if (chosen.distance && String(one.distance ?? "none") !== chosen.distance) return false;
    if (chosen.verdict) {
      const wanted = Math.max(0, KINDS.indexOf(chosen.verdict));
      const mine = one.outputs.filter((output) => system < 0 || output[0] === system);
      if (!mine.some((output) => output[1] === wanted)) return false;
      if (chosen.verdict === "only" && !one.outputs.some((output) => output[0] === base(one) && output[1] === 1)) return false;
    }
    if (!chosen.text) return true;
    const places = [one.expected, one.antecedent, one.source[0], one.reference[0], ...one.context.flatMap((line) => [line[1][0], line[2][0]])];
    const outputs = one.outputs.filter((output) => system < 0 || output[0] === system).flatMap((output) => [output[2], output[4]]);
    return [...places, ...outputs].some((index) => foldedText(index).includes(chosen.text));
  }
  function search(remember, only) {
    if (!form) return;
    const chosen = Object.fromEntries(filters.map((name) => [name, field(name) ? field(name).value : ""]));
    const system = data.systems.indexOf(chosen.system);
    const base = (one) => {
      const column = columnNames.indexOf(text(one.phenomenon));
      return column < 0 ? data.systems.indexOf(data.baseline) : baselineOf(column);
    };
    const wanted = { ...chosen, text: chosen.text.trim().toLowerCase() };
    found = only ? [only] : data.examples.filter((one) => matches(one, wanted, system, base));
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    page = Math.min(Math.max(0, page), pages - 1);
    let status = `${found.length.toLocaleString("en")} occurrence${found.length === 1 ? "" : "s"}`;
    if (system >= 0 && found.length) {
      const count = (kind) => found.filter((one) => one.outputs.some((output) => output[0] === system && output[1] === kind)).length;
      status += `; ${visible(chosen.system)} has ${count(1)} right, ${count(0)} wrong`;
    }
    byId("o-status").replaceChildren(only ? "One occurrence. " : status, only
      ? element("button", { class: "link", onclick: () => { page = 0; search(true); } }, "Show all") : "");
    byId("o-words").replaceChildren(...(only ? [] : often(system)));
    byId("o-page").textContent = `page ${page + 1} of ${pages}`;
    byId("o-previous").disabled = page === 0;
    byId("o-next").disabled = page === pages - 1;
    byId("o-list").replaceChildren(...(found.length
      ? found.slice(page * pageSize, (page + 1) * pageSize).map((one) => example(one, system))
      : [element("p", { class: "empty" }, "No occurrence is like that. Clear a filter.")]));
    if (remember) {
      const kept = new URLSearchParams([["view", "occurrences"], ...Object.entries({ ...chosen, ...figure }).filter(([, value]) => value)]);
      if (page) kept.set("page", page + 1);
      try { history.replaceState(null, "", "#" + kept); } catch { /* a notebook's frame has no address */ }
    }
  }
  // Which expected words are wrong most often among what is found: of one system, or of all together. A click looks for one.
  function often(system) {
    const counts = new Map();
    for (const one of found) {
      // A word is written as it is within a sentence, where it has been met there: a capital may be the sentence's.
      const written = text(one.expected), key = written.toLowerCase(), [wrong, all, before] = counts.get(key) || [0, 0, written];
      const mine = one.outputs.filter((output) => (system < 0 || output[0] === system) && output[1] < 4);
      counts.set(key, [wrong + mine.filter((output) => output[1] === 0).length, all + mine.length, before === key ? before : written]);
    }
    const most = [...counts.values()].filter(([wrong, , word]) => word && wrong > 1)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([wrong, all, word]) => [word, [wrong, all]]).slice(0, 8);
    return most.length ? [system < 0 && data.systems.length > 1 ? "Wrong most often, of all outputs:" : "Wrong most often:", ...most.flatMap(([word, [wrong, all]], place) => [" ", element("span", { class: "often" },
      element("button", { type: "button", class: "link", lang: data.languages[1], onclick: () => { field("text").value = word; page = 0; search(true); } }, isolated(word)),
      ` ${wrong} of ${all}${place + 1 < most.length ? "," : ""}`)])] : [];
  }
  function example(one, system) {
    const [from, to] = data.languages;
    const source = one.source.length > 1 ? text(one.source[0]).slice(one.source[1], one.source[2]) : "";
    const refers = text(one.phenomenon) === "pronouns";  // what else is tagged has no antecedent, but earlier words that decide it
    const meta = [text(one.rule) ? "rule " + spelled(text(one.rule)) : "",
      text(one.antecedent) ? (refers ? "antecedent " : "earlier ") + text(one.antecedent) : "",
      one.distance === null ? "" : one.distance === 0 ? "same segment" : `${one.distance} segment${one.distance > 1 ? "s" : ""} back`,
      one.probability === null || !refers ? "" : "p " + one.probability.toFixed(2)].filter(Boolean).join(" · ");
    const place = `${text(one.document)}, segment ${one.segment} (${text(one.file)}:${one.line})`;
    const line = (kind, number, left, right) => element("tr", { class: kind }, element("th", { scope: "row" }, String(number)),
      element("td", null, passage(left, from)), element("td", null, passage(right, to)));
    const head = element("header", null,
      element("h3", null, element("span", { class: "tag" }, visible(spelled(text(one.phenomenon)))),
        ...(source ? [element("bdi", { lang: from }, visible(source)), " → "] : []), element("bdi", { lang: to }, visible(text(one.expected)))),
      element("span", { class: "meta" }, isolated(meta)), element("span", { class: "meta" }, isolated(place)),
      element("a", { class: "meta", href: `#view=one&n=${data.examples.indexOf(one) + 1}`, title: "A link to this occurrence" }, "link"));
    const heads = element("thead", { class: "hidden" }, element("tr", null, ...["segment", "source", "reference"].map((name) => element("th", { scope: "col" }, name))));
    return element("article", { class: "example" }, head,
      element("table", { class: "lines" }, element("caption", { class: "hidden" }, "Context, source and reference"),
        element("colgroup", null, element("col", { class: "narrow" }), element("col"), element("col")), heads,
        element("tbody", null, ...one.context.map((context) => line("context", ...context)), line("here", one.segment, one.source, one.reference))),
      one.outputs.length ? groups(one, system, to) : null);
  }
  // Systems that wrote the same in its place stand together; their passages are made when the group is opened.
  function groups(one, system, language) {
    const kinds = new Map();
    for (const output of one.outputs) {
      const key = `${output[1]} ${output[2]} ${output[3]}`;
      if (!kinds.has(key)) kinds.set(key, []);
      kinds.get(key).push(output);
    }
    const right = one.outputs.filter((output) => output[1] === 1).length, left = one.outputs.filter((output) => output[1] === 4).length;
    const ordered = [...kinds.values()].sort((a, b) => ORDER[b[0][1]] - ORDER[a[0][1]] || b.length - a.length);
    return element("div", { class: "groups" },
      one.outputs.length > 1 ? element("p", { class: "tally" }, left === one.outputs.length ? "not judged of any system"
        : `${right} of ${one.outputs.length - left} systems right` + (left ? `, ${left} not judged` : "")) : null,
      ...(one.outputs.length < 4 ? [alone(one.outputs, system, language)]
        : ordered.map((outputs) => group(outputs, system, language))));
  }
  // An output is [system, place in KINDS, what stands there, what was asked and shown, passage …].
  const marked = (kind) => element("span", { class: "verdict", role: "img", "aria-label": KINDS[kind] }, "✗✓–∅·"[kind]);
  const reason = (output) => text(output[3]) ? element("small", { class: "why" }, ` ${text(output[3])}`) : null;
  // Few systems need no groups: one line each.
  function alone(outputs, system, language) {
    return element("ul", { class: "alone" }, ...outputs.map((output) =>
      element("li", { class: KINDS[output[1]] + (output[0] === system ? " chosen" : "") }, marked(output[1]),
        element("span", { class: "who" }, isolated(data.systems[output[0]])),
        element("span", null, passage(output.slice(4), language), text(output[2]) ? null : element("i", { class: "empty" }, " (nothing in its place)"), reason(output)))));
  }
  function group(outputs, system, language) {
    const [, place, written] = outputs[0], kind = KINDS[place];
    const names = outputs.map((output) => isolated(data.systems[output[0]]));
    const made = element("details", { class: "group" }, element("summary", { class: kind },
      marked(place), text(written) ? element("mark", { class: "written", lang: language }, isolated(text(written))) : element("i", null, "nothing in its place"),
      ` ${outputs.length} · `, element("span", { class: "names" }, ...names), reason(outputs[0])));
    let filled = false;
    const fillIn = () => {
      if (filled) return;
      filled = true;
      made.append(element("ul", { class: "outputs " + kind }, ...outputs.map((output) =>
        element("li", { class: output[0] === system ? "chosen" : "" }, element("span", { class: "who" }, isolated(data.systems[output[0]])),
          passage(output.slice(4), language)))));
    };
    made.addEventListener("toggle", () => made.open && fillIn());
    if (outputs.some((output) => output[0] === system)) {
      made.open = true;
      fillIn();
    }
    return made;
  }
  function openExplorer(values) {
    if (!form) return;
    filters.forEach((name) => { if (field(name)) field(name).value = values[name] || ""; });
    filters.forEach((name) => { if (field(name) && field(name).selectedIndex < 0) field(name).selectedIndex = 0; });
    ruleOptions();
    if (values.rule) field("rule").value = values.rule;
    page = Number(values.page || 1) - 1 || 0;
    search(true);
    byId("occurrences").scrollIntoView();
  }

  // ---- the address: #view=cell&system=…&column=…, #view=occurrences&phenomenon=…
  function reveal(id, stay) {
    const fold = byId(id)?.querySelector(":scope > details.fold");
    if (!fold) return;
    fold.open = true;
    if (!stay) byId(id).scrollIntoView();
  }
  function follow() {
    reveal(location.hash.slice(1));
    const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    if (asked.view === "cell" && chooseFigure(asked.system, asked.column)) {
      const { phenomenon } = data.columns[columnNames.indexOf(asked.column)];
      openExplorer({ phenomenon: phenomenon ? asked.column : "", system: asked.system, verdict: phenomenon ? "wrong" : "" });
      reveal("documents", phenomenon && form);
    } else if (asked.view === "one") {
      search(false, data.examples[Number(asked.n) - 1]);
      byId("occurrences")?.scrollIntoView();
    } else if (asked.view === "occurrences") {
      chooseFigure(asked.figureSystem, asked.figureColumn);
      openExplorer(asked);
    }
  }
  function chooseFigure(systemName, columnName) {
    const system = data.systems.indexOf(systemName), column = columnNames.indexOf(columnName);
    if (!table || system < 0 || column < 0) return false;
    byId("d-system").value = system;
    byId("d-column").value = column;
    allDocuments = false;
    showDocuments(true);
    return true;
  }
  if (table) {
    sortable();
    fill(byId("d-system"), data.systems.map((name, index) => [index, name]), null);
    fill(byId("d-column"), data.columns.map((column, index) => [index, column.title]), null);
    ["d-system", "d-column", "d-order"].forEach((id) => byId(id).addEventListener("change", () => {
      showDocuments(true);
      search(true);
    }));
    const broken = data.cells.flatMap((row, system) => row.map((cell, column) => ({ ...cell, system, column })))
      .filter((cell) => cell.verdict === "worse" && data.columns[cell.column].phenomenon)
      .sort((a, b) => a.points - b.points);
    const first = broken[0] ?? data.cells.flatMap((row, system) => row.map((cell, column) => ({ ...cell, system, column })))
      .find((cell) => cell.points !== null && cell.points !== undefined);
    if (first) {
      byId("d-system").value = first.system;
      byId("d-column").value = first.column;
    }
    showDocuments();
  }
  if (form) explorer();
  search(false);
  window.addEventListener("hashchange", follow);
  follow();
})();
