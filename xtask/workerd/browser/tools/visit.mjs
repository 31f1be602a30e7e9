// A reader who comes to a page. Whatever a scenario looks at, the page has to be quiet:
// nothing on the console, no request that fails, and none to anybody else.

import path from "node:path";
import { none, same } from "../../checks.mjs";
import { listen } from "./noise.mjs";
import { shown } from "./page.mjs";

/** How long a look at a page may take, on a busy machine too. */
const PATIENCE = 30_000;

export const PHONE = { screen: "phone", width: 360, height: 740, scale: 2 };
export const DESKTOP = { screen: "desktop", width: 1280, height: 800, scale: 1 };
export const SCREENS = [PHONE, DESKTOP];
export const SCHEMES = ["light", "dark"];

/** How many pages are open at once: while one is waited for, another has something to do. */
const LANES = 2;

/** Calls `act` with each of the items, a few at a time. */
export async function each(items, act) {
  const waiting = [...items];
  const lane = async () => {
    while (waiting.length > 0) await act(waiting.shift());
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** The driver lets a page take its time over what it is asked in a script of its own. */
export async function inTime(what, look) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: took longer than ${PATIENCE / 1000} s`)), PATIENCE);
  });
  return Promise.race([look, late]).finally(() => clearTimeout(timer));
}

/** Lets the visit to a place be what a form makes it. */
function sends(page, { path, form }) {
  const request = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    postData: new URLSearchParams(form).toString(),
  };
  return page.route(`**${path}`, (route) => route.continue(request), { times: 1 });
}

/** What scenarios have at hand to come to the pages of a site. */
export function visitorsOf({ browser, site, target, folder }) {
  /** Windows that are open and idle, by what makes them: opening one takes longer than a visit. */
  const idle = new Map();

  async function windowFor({ width, height, scale, scheme, scripts }) {
    const options = {
      baseURL: site.url,
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: scheme,
      reducedMotion: "reduce",
      javaScriptEnabled: scripts,
    };
    const kind = JSON.stringify(options);
    if (!idle.has(kind)) idle.set(kind, []);
    const known = idle.get(kind).pop();
    if (known !== undefined) return { page: known, kind };
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return { page: await context.newPage(), kind };
  }

  /** The next reader in this window is another one, and knows nothing of this one. */
  async function leave(page, kind) {
    page.removeAllListeners();
    await page.unrouteAll();
    await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
    await page.context().clearCookies();
    await page.goto("about:blank");
    idle.get(kind).push(page);
  }

  /**
   * Comes to a place, lets `look` have the page, and leaves. Answers what `look` answers.
   *
   * `reader` is a screen, and may name a colour scheme, or have no `scripts`. `before` gets
   * the page before anything is asked for. The page is complete, or `until` says how far.
   */
  async function visit(place, reader, look, { before = async () => {}, until = "load" } = {}) {
    const { scheme = "light", scripts = true } = reader;
    const what = [`${target}: ${place.name}`, scheme, `${reader.screen} (${reader.width} px)`, ...(scripts ? [] : ["no scripts"])].join(", ");
    const { page, kind } = await windowFor({ ...reader, scheme, scripts });
    const noise = listen(page, site.url, [place]);
    await before(page);
    if (place.form !== undefined) await sends(page, place);
    const response = await page.goto(place.path, { waitUntil: until });
    same(`${what}: the status`, response.status(), place.status);
    const answer = await inTime(what, look(page, what, response));
    none(`${what}: is quiet`, noise);
    await leave(page, kind);
    return answer;
  }

  /** Keeps what the whole page looks like, by a name that tells which. */
  async function screenshot(page, ...names) {
    await shown(page);
    await page.screenshot({ path: path.join(folder, target, `${names.join(".")}.png`), fullPage: true });
  }

  return { visit, screenshot };
}
