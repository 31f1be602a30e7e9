// Every page of a site in a real browser.
//
//   node browser.mjs CHROMIUM FOLDER (short|full) (all|SCENARIO) server PROGRAM
//   node browser.mjs CHROMIUM FOLDER (short|full) (all|SCENARIO) worker WRANGLER_TOML BUILD_FOLDER STATE_FOLDER PORT
//
// Each scenario stands in a file of its own, which tells what it shows. What they have at
// hand stands in browser/tools. In the short form each page is seen in fewer ways.
// Screenshots are left in FOLDER.

import { rmSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { accessible } from "./browser/accessible.mjs";
import { foundOut } from "./browser/found_out.mjs";
import { keyboard } from "./browser/keyboard.mjs";
import { narrow } from "./browser/narrow.mjs";
import { still } from "./browser/still.mjs";
import { titles } from "./browser/titles.mjs";
import { stocked } from "./browser/tools/places.mjs";
import { visitorsOf } from "./browser/tools/visit.mjs";
import { withoutScripts } from "./browser/without_scripts.mjs";
import { broke, failed, finish } from "./checks.mjs";
import { develop } from "./dev_site.mjs";
import { serve } from "./server.mjs";

const SCENARIOS = { foundOut, titles, accessible, narrow, keyboard, still, withoutScripts };
// It watches a page being painted, so it wants a machine that does nothing else.
const IN_FULL_ONLY = ["still"];
const TARGETS = { server: ([program]) => serve(program, ["--demo"]), worker: develop };

const [executablePath, folder, form, only, target, ...args] = process.argv.slice(2);
if (only !== "all" && !(only in SCENARIOS)) {
  console.log(`there is no scenario ${only}; there are ${Object.keys(SCENARIOS).join(", ")}`);
  process.exit(1);
}

// An old picture would be taken for one of today's pages.
if (only === "all") rmSync(path.join(folder, target), { recursive: true, force: true });
const site = await TARGETS[target](args);
const table = {};
try {
  const places = await stocked(site);
  // As root, Chromium has no sandbox; the pages here are our own.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  try {
    const hands = { site, browser, places, full: form === "full", ...visitorsOf({ browser, site, target, folder }) };
    for (const [name, play] of Object.entries(SCENARIOS)) {
      const left = only === "all" ? form === "short" && IN_FULL_ONLY.includes(name) : only !== name;
      if (left) continue;
      const [begun, failedBefore] = [Date.now(), failed()];
      await play(hands).catch((error) => broke(`${target}: ${name}`, error));
      table[`${target}: ${name}`] = { seconds: Math.round((Date.now() - begun) / 100) / 10, ok: failed() === failedBefore };
    }
  } finally {
    await browser.close();
  }
} finally {
  await site.stop();
  if (failed() > 0) console.log(`the site logged:\n${site.log()}`);
}
console.table(table);
finish();
