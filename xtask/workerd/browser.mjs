// Every page of a site in a real browser.
//
//   node browser.mjs CHROMIUM FOLDER (short|full) (all|SCENARIO) server PROGRAM
//   node browser.mjs CHROMIUM FOLDER (short|full) (all|SCENARIO) worker WRANGLER_TOML BUILD_FOLDER STATE_FOLDER PORT
//
// Each scenario stands in a file of its own, which tells what it shows. What they have at
// hand stands in browser/tools; those in browser/game play. In the short form each page is
// seen in fewer ways. Screenshots are left in FOLDER.

import { rmSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { accessible } from "./browser/accessible.mjs";
import { foundOut } from "./browser/found_out.mjs";
import { aroundMidnight } from "./browser/game/around_midnight.mjs";
import { byForm } from "./browser/game/by_form.mjs";
import { byKeyboard } from "./browser/game/by_keyboard.mjs";
import { byMouse } from "./browser/game/by_mouse.mjs";
import { comingAgain } from "./browser/game/coming_again.mjs";
import { failing } from "./browser/game/failing.mjs";
import { keyboard } from "./browser/keyboard.mjs";
import { narrow } from "./browser/narrow.mjs";
import { operator } from "./browser/operator.mjs";
import { still } from "./browser/still.mjs";
import { titles } from "./browser/titles.mjs";
import { stocked } from "./browser/tools/places.mjs";
import { playersOf } from "./browser/tools/players.mjs";
import { sitesOf } from "./browser/tools/sites.mjs";
import { visitorsOf } from "./browser/tools/visit.mjs";
import { withoutScripts } from "./browser/without_scripts.mjs";
import { broke, failed, finish } from "./checks.mjs";

const PAGES = { foundOut, titles, accessible, narrow, keyboard, still, withoutScripts };
const GAMES = { byMouse, byKeyboard, byForm, comingAgain, failing, aroundMidnight };
const SCENARIOS = { ...PAGES, ...GAMES, operator };
// The first watches a page being painted, so it wants a machine that does nothing else; the
// other starts the site three times.
const IN_FULL_ONLY = ["still", "aroundMidnight"];

const [executablePath, folder, form, only, target, ...args] = process.argv.slice(2);
if (only !== "all" && !(only in SCENARIOS)) {
  console.log(`there is no scenario ${only}; there are ${Object.keys(SCENARIOS).join(", ")}`);
  process.exit(1);
}

// An old picture would be taken for one of today's pages.
if (only === "all") rmSync(path.join(folder, target), { recursive: true, force: true });
const { start, lasting } = sitesOf(target, args);
const site = await start();
const table = {};
try {
  const stock = await stocked(site);
  // As root, Chromium has no sandbox; the pages here are our own.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  try {
    const at = { browser, site, target, folder };
    const hands = { ...at, ...stock, lasting, full: form === "full", player: playersOf(at), ...visitorsOf(at) };
    for (const [name, play] of Object.entries(SCENARIOS)) {
      const left = only === "all" ? form === "short" && IN_FULL_ONLY.includes(name) : only !== name;
      if (left) continue;
      console.log(`${target}: ${name}`);
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
