// Runs axe on pages in Chromium, at 1280 and 390 px, light and dark, everything folded opened; exit status 1 if a rule is violated.
//
//     npm install axe-core playwright-core
//     node benchmarks/accessible.mjs [--chromium /usr/bin/chromium] [--shots FOLDER] [--done FILE] PAGE.html …
//
// A line a page as it ends, with what is violated below it. With --done the same command after an interruption takes up where it stopped: FILE has a line
// for each page that ended, and one whose text, style or script changed since runs again. One browser for all pages, started again where it crashed.
// Nothing is asked of the network. The page's own script runs; axe runs in a world of its own, so its policy stays.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core");

const given = process.argv.slice(2);
const option = (name) => {
  const at = given.indexOf(name);
  return at < 0 ? undefined : given.splice(at, 2)[1];
};
const executablePath = option("--chromium") ?? "/usr/bin/chromium";
const shots = option("--shots");
const kept = option("--done");

const VIEWS = [1280, 390].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));
const args = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let browser;

// What a page is made of: itself, and the style and script that it names in its own folders.
function fingerprint(file) {
  const text = readFileSync(file, "utf8");
  const hash = createHash("sha256").update(axe.version).update(text);
  for (const [, name] of text.matchAll(/(?:href|src)="([^":?#]+\.(?:css|js))/g)) {
    const used = join(dirname(file), name);
    if (existsSync(used)) hash.update(readFileSync(used));
  }
  return hash.digest("hex").slice(0, 16);
}

async function look(file, name, { width, colorScheme }) {
  if (!browser?.isConnected()) browser = await chromium.launch({ executablePath, args, chromiumSandbox: false });
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  try {
    await context.route(/^https?:/, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href, { timeout: 180_000 });
    if (shots) await page.screenshot({ path: join(shots, `${name.replaceAll("/", "-")}-${width}-${colorScheme}.png`) });
    await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => { one.open = true; }));
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
    const found = violations.map(({ id, impact, help, nodes }) => ({
      rule: `${id} (${impact}): ${help}`,
      count: nodes.length,
      html: nodes[0].html.slice(0, 160),
      message: nodes[0].any.concat(nodes[0].all, nodes[0].none)[0]?.message ?? "",
    }));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    return { view: `${width} ${colorScheme}`, found, wide: wide > width ? wide : 0 };
  } finally {
    await context.close().catch(() => {});
  }
}

const done = new Map();
if (kept && existsSync(kept)) {
  for (const line of readFileSync(kept, "utf8").split("\n").filter(Boolean)) {
    const { page, made, views } = JSON.parse(line);
    done.set(page, { made, views });
  }
}
const rules = new Set();
let runs = 0, again = 0, failed = 0, wider = 0;
for (const [number, one] of given.entries()) {
  const file = resolve(one), made = fingerprint(file);
  const name = join(basename(dirname(file)), basename(file, ".html"));
  const before = done.get(file);
  let views = before?.made === made ? before.views : undefined;
  if (views) again += 1;
  for (let attempt = 0; !views && attempt < 2; attempt += 1) {
    try {
      const fresh = [];
      for (const view of VIEWS) fresh.push(await look(file, name, view));
      views = fresh;
      if (kept) appendFileSync(kept, `${JSON.stringify({ page: file, made, views })}\n`);
    } catch (error) {
      console.log(`${name}: ${String(error).split("\n")[0]}`);
      await browser?.close().catch(() => {});
      browser = undefined;
    }
  }
  if (!views) failed += 1;
  runs += views?.length ?? 0;
  const faults = (views ?? []).flatMap(({ view, found }) => found.map((each) => ({ view, ...each })));
  faults.forEach(({ rule }) => rules.add(rule));
  console.log(`${number + 1} of ${given.length} ${name}: ${views ? `${faults.length} violated` : "not read"}`);
  for (const { view, rule, count, html, message } of faults) console.log(`  ${rule}\n    ${view}: ${count}, as ${html}\n    ${message}`);
  for (const { view, wide } of (views ?? []).filter((each) => each.wide)) {
    wider += 1;
    console.log(`  ${view}: the page is ${wide} px wide`);
  }
}
await browser?.close();
for (const rule of rules) console.log(rule);
console.log(
  `${given.length} pages, ${runs} runs of axe ${axe.version} (${again} pages kept from before), ${rules.size} rules violated, ` +
    `${wider} views wider than their window, ${failed} pages not read`,
);
process.exit(rules.size || failed ? 1 : 0);
