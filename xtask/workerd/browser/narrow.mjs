// A narrow window, and one that is zoomed in: nothing scrolls sideways, nothing is cut off,
// and nothing is missing.

import { none } from "../checks.mjs";
import { content, lost, overflowing, shown } from "./tools/page.mjs";
import { DESKTOP, each } from "./tools/visit.mjs";

/** What WCAG calls reflow: the window that is left of 1280 pixels at 400 %. */
const NARROW = { screen: "narrow", width: 320, height: 256, scale: 1 };
/** A zoom of 200 % halves the window, and doubles what is in it. */
const ZOOMED = { screen: "zoomed", width: DESKTOP.width / 2, height: DESKTOP.height / 2, scale: 2 };

export async function narrow({ places, visit, screenshot }) {
  await each(places, async (place) => {
    const look = async (page, what) => {
      await shown(page);
      none(`${what}: fits`, await overflowing(page));
      return content(page);
    };
    const whole = await visit(place, DESKTOP, look);
    for (const screen of [NARROW, ZOOMED]) {
      const part = await visit(place, screen, async (page, what) => {
        await screenshot(page, place.name, "light", screen.screen);
        return look(page, what);
      });
      none(`${place.name}, ${screen.screen}: nothing is lost`, lost(whole, part));
    }
  });
}
