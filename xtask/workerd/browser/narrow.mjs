// A narrow window, one that is zoomed in, and a phone with letters of twice the size: nothing
// scrolls sideways, nothing is cut off, and nothing is missing. The short form leaves out the
// middle one.

import { none } from "../checks.mjs";
import { content, lost, overflowing, shown } from "./tools/page.mjs";
import { DESKTOP, each, PHONE } from "./tools/visit.mjs";

/** What WCAG calls reflow: the window that is left of 1280 pixels at 400 %. */
const NARROW = { screen: "narrow", width: 320, height: 256, scale: 1 };
/** A zoom of 200 % halves the window, and doubles what is in it. */
const ZOOMED = { screen: "zoomed", width: DESKTOP.width / 2, height: DESKTOP.height / 2, scale: 2 };
/** What a reader sets who has poor sight: text of 200 %, in the same window. */
const LARGE = { ...PHONE, screen: "large-text", text: "200%" };

export async function narrow({ places, full, visit, screenshot }) {
  await each(places, async (place) => {
    const look = async (page, what) => {
      await shown(page);
      none(`${what}: fits`, await overflowing(page));
      return content(page);
    };
    const whole = await visit(place, DESKTOP, look);
    for (const screen of full ? [NARROW, ZOOMED, LARGE] : [NARROW, LARGE]) {
      const part = await visit(place, screen, async (page, what) => {
        if (screen.text !== undefined) await page.evaluate((size) => (document.documentElement.style.fontSize = size), screen.text);
        await screenshot(page, place.name, "light", screen.screen);
        return look(page, what);
      });
      none(`${place.name}, ${screen.screen}: nothing is lost`, lost(whole, part));
    }
  });
}
