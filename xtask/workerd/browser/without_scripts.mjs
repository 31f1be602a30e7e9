// Without scripts, every page says the same, and leads to the same places.

import { none } from "../checks.mjs";
import { content, lost } from "./tools/page.mjs";
import { DESKTOP, each } from "./tools/visit.mjs";

export async function withoutScripts({ places, visit }) {
  await each(places, async (place) => {
    const whole = await visit(place, DESKTOP, content);
    await visit(place, { ...DESKTOP, scripts: false }, async (page, what) => {
      none(`${what}: says the same`, lost(whole, await content(page)));
    });
  });
}
