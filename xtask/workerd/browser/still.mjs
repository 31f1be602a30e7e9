// A page stays where it is: its images have their places before they are there, and
// nothing moves for somebody who asked for less motion.

import { none, same } from "../checks.mjs";
import { moving, painted, shifts, shown, unsized } from "./tools/page.mjs";
import { each, SCREENS } from "./tools/visit.mjs";

/**
 * The least that counts as a shift, as a share of the window: what is good is a hundred times
 * as much. On a machine that is busy, a long text that comes in parts moves by less.
 */
const LEAST = 0.001;

export async function still({ places, visit }) {
  await each(places, async (place) => {
    for (const screen of SCREENS) {
      let release;
      const released = new Promise((resolve) => (release = resolve));
      // Photos come late, when all else is painted.
      const before = (page) => page.route(/\/image/, async (route) => {
        await released;
        await route.continue();
      });
      const look = async (page, what) => {
        await painted(page);
        release();
        await shown(page);
        await painted(page);
        same(`${what}: nothing shifts`, (await shifts(page)).filter((shift) => parseFloat(shift) >= LEAST), []);
        none(`${what}: images have their size`, await unsized(page));
        none(`${what}: nothing moves`, await moving(page));
      };
      await visit(place, screen, look, { before, until: "domcontentloaded" });
    }
  });
}
