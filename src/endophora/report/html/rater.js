// Items one by one; answers are kept in the browser and exported as CSV. Texts are only ever set as textContent.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const place = "endophora " + data.study + " " + data.rater;
  let answers = {}, at = 0, kept = true;
  try { answers = JSON.parse(localStorage.getItem(place) || "{}"); } catch { kept = false; }
  const of = (item) => (answers[item.id] ||= { ranks: {}, errors: {} });
  const letters = (item) => [...data.letters].slice(0, item.options.length);
  const isDone = (item) => letters(item).every((letter) => answers[item.id]?.ranks[letter]);
  const save = () => {
    try { localStorage.setItem(place, JSON.stringify(answers)); } catch { kept = false; }
    byId("kept").textContent = kept ? "" : "This browser keeps nothing: export your answers before you close the page.";
    byId("done").textContent = data.items.filter(isDone).length + " of " + data.items.length + " done";
  };

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  const lines = (texts, kind) => element("div", { class: "text " + kind, dir: "auto" },
    ...texts.map((text) => element("p", {}, text)));
  const choice = (type, name, value, label, checked, changed) => {
    const input = element("input", { type, name, value });
    input.checked = checked;
    input.addEventListener("change", () => { changed(input.checked); save(); });
    return element("label", {}, input, " " + label);
  };

  function show() {
    const item = data.items[at], own = of(item);
    const before = item.level === "doc"
      ? data.items.filter((one, place) => one.level === "doc" && one.document === item.document && one.start < item.start
        && data.items.findIndex((first) => first.level === "doc" && first.document === one.document && first.start === one.start) === place) : [];
    byId("head").textContent = "Item " + (at + 1) + " of " + data.items.length + ": " + item.criterion;
    const made = [];
    if (item.source.length) {
      const earlier = lines(before.flatMap((one) => one.source), "before");
      made.push(element("div", { class: "source" }, earlier, lines(item.source, "")));
    }
    letters(item).forEach((letter, number) => {
      const ranks = letters(item).map((_, rank) => choice("radio", "rank " + letter, rank + 1, rank + 1,
        own.ranks[letter] === rank + 1, () => { own.ranks[letter] = rank + 1; }));
      const errors = data.errors.map(([path, title]) => choice("checkbox", "errors " + letter, path, title,
        (own.errors[letter] || []).includes(path), (on) => {
          const rest = (own.errors[letter] || []).filter((one) => one !== path);
          own.errors[letter] = on ? [...rest, path] : rest;
        }));
      made.push(element("fieldset", { class: "option" }, element("legend", {}, letter),
        lines(before.flatMap((one) => one.options[number]), "before"), lines(item.options[number], ""),
        element("div", { class: "ranks" }, "rank: ", ...ranks), element("div", { class: "errors" }, ...errors)));
    });
    byId("item").replaceChildren(...made);
    byId("back").disabled = at === 0;
    save();
  }
  function go(step) {
    at = Math.min(Math.max(at + step, 0), data.items.length - 1);
    show();
    byId("head").focus();
  }
  byId("back").addEventListener("click", () => go(-1));
  byId("next").addEventListener("click", () => go(1));
  byId("open").addEventListener("click", () => {
    const open = data.items.findIndex((item) => !isDone(item));
    if (open >= 0) go(open - at);
  });
  byId("export").addEventListener("click", () => {
    const header = ["item", ...[...data.letters].map((one) => "rank " + one), ...[...data.letters].map((one) => "errors " + one)];
    const rows = data.items.map((item) => [item.id, ...[...data.letters].map((one) => of(item).ranks[one] || ""),
      ...[...data.letters].map((one) => (of(item).errors[one] || []).join(" "))]);
    const text = [header, ...rows].map((row) => row.join(",") + "\n").join("");
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: data.rater + ".csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const open = data.items.findIndex((item) => !isDone(item));
  at = Math.max(open, 0);
  show();
})();
