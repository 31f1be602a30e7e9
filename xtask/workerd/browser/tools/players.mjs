// A player: a browser that nobody else has used, with as many tabs as it takes, and an
// album: a picture of every step, by number. A player's pages are quiet as well, but for
// what a scenario expects.

import path from "node:path";
import { none } from "../../checks.mjs";
import { violations } from "./axe.mjs";
import { listen } from "./noise.mjs";
import { overflowing, painted, shown } from "./page.mjs";
import { DESKTOP, inTime } from "./visit.mjs";

/** How long anything that a player waits for may take, on a busy machine too. */
const PATIENCE = 20_000;

/** What scenarios have at hand to play on a site. */
export function playersOf({ browser, target, folder }) {
  /**
   * Lets `act` have a player by this name at the site at `url`. Who plays has a screen, and
   * may want a colour scheme, motion, or no `scripts`; `now` is what the browser's clock shows.
   */
  return async function player(name, url, { screen = DESKTOP, scheme = "light", motion = "reduce", scripts = true, now }, act) {
    const viewport = { width: screen.width, height: screen.height };
    const looks = { baseURL: url, viewport, deviceScaleFactor: screen.scale, colorScheme: scheme, reducedMotion: motion };
    const context = await browser.newContext({ ...looks, javaScriptEnabled: scripts });
    context.setDefaultTimeout(PATIENCE);
    /** What axe finds. It is a script: where there are none, it looks at the same page in another browser. */
    const broken = async (page) => {
      if (scripts) return violations(page);
      const [twin, body] = [await browser.newPage(looks), (await page.content()).replace(/<script[^]*?<\/script>/g, "")];
      await twin.route(page.url().split("#")[0], (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body }));
      await twin.goto(page.url());
      return violations(twin).finally(() => twin.close());
    };
    const [album, who] = [path.join(folder, target, "steps", name), `${target}: ${name}`];
    const [expected, noises] = [[], []];
    let pictures = 0;
    if (now !== undefined) await context.clock.install({ time: now });
    /** Another tab of the same browser. */
    const tab = async () => {
      const page = await context.newPage();
      noises.push(listen(page, url, expected));
      return page;
    };
    /** Looks at the page as it is after a step: by a picture, by axe, and for what sticks out. */
    const step = async (page, what) => {
      pictures += 1;
      // Without scripts, no photo is put off until it comes into view.
      if (scripts) await shown(page).then(() => painted(page));
      const file = `${String(pictures).padStart(2, "0")}-${what.replaceAll(" ", "-")}.png`;
      await page.screenshot({ path: path.join(album, file), fullPage: true, animations: "disabled" });
      none(`${who}, ${what}: fits`, await overflowing(page));
      none(`${who}, ${what}: breaks no rule`, await inTime(`${who}, ${what}`, broken(page)));
    };
    try {
      await act({ who, context, page: await tab(), tab, step, expect: (...more) => expected.push(...more) });
      none(`${who}: is quiet`, noises.flat());
    } finally {
      await context.close();
    }
  };
}
