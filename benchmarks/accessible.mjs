// Runs axe on pages in Chromium, at 1280 and 390 px, light and dark, everything folded opened; exit status 1 if a rule is violated.
//
//     npm install axe-core playwright-core
//     node benchmarks/accessible.mjs [--chromium /usr/bin/chromium] [--shots FOLDER] PAGE.html …
//
// Nothing is asked of the network. The page's own script runs; axe runs in a world of its own, so its policy stays.

import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = require("axe-core").source;

const given = process.argv.slice(2);
const option = (name) => {
  const at = given.indexOf(name);
  return at < 0 ? undefined : given.splice(at, 2)[1];
};
const executablePath = option("--chromium") ?? "/usr/bin/chromium";
const shots = option("--shots");

const args = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath, args, chromiumSandbox: false });
const found = new Map();
let runs = 0;
for (const file of given) {
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      await context.route(/^https?:/, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(pathToFileURL(resolve(file)).href);
      const name = join(basename(dirname(file)), basename(file, ".html"));
      if (shots) await page.screenshot({ path: join(shots, `${name.replaceAll("/", "-")}-${width}-${colorScheme}.png`) });
      await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => { one.open = true; }));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      runs += 1;
      for (const { id, impact, help, nodes } of violations) {
        const key = `${id} (${impact}): ${help}`;
        if (!found.has(key)) found.set(key, []);
        found.get(key).push({ at: `${name} ${width} ${colorScheme}`, count: nodes.length, first: nodes[0] });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) console.log(`${name} ${width} ${colorScheme}: the page is ${wide} px wide`);
      await context.close();
    }
  }
}
await browser.close();
for (const [rule, places] of found) {
  console.log(rule);
  for (const { at, count, first } of places) {
    console.log(`  ${at}: ${count}, as ${first.html.slice(0, 160)}`);
    console.log(`    ${first.any.concat(first.all, first.none)[0]?.message ?? ""}`);
  }
}
console.log(`${given.length} pages, ${runs} runs of axe ${require("axe-core").version}, ${found.size} rules violated`);
process.exit(found.size ? 1 : 0);
