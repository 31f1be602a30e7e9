// Every page by keyboard alone: Tab stops at everything that can be used, in the order of
// the page, and shows where it is; Shift and Tab go back the same way; the first stop leads
// past the masthead; and Enter follows a link. In the short form, on a phone only.

import { none, same } from "../checks.mjs";
import { focused, framed, fromTheTop, stopsOf, walk } from "./tools/keyboard.mjs";
import { shown } from "./tools/page.mjs";
import { DESKTOP, each, PHONE, SCREENS } from "./tools/visit.mjs";

export async function keyboard({ site, places, full, visit }) {
  await each(places, async (place) => {
    for (const screen of full ? SCREENS : [PHONE]) {
      await visit(place, screen, async (page, what) => {
        await fromTheTop(page);
        const stops = await stopsOf(page);
        none(`${what}: nothing has a frame before it has the focus`, await framed(page));
        const there = await walk(page);
        none(`${what}: every stop can be seen`, there.flatMap(({ what, complaints }) => complaints.map((complaint) => `${what} ${complaint}`)));
        const order = (walk) => walk.map(({ index }) => index).filter((index) => index >= 0);
        same(`${what}: Tab stops everywhere, in order`, order(there).map((index) => stops[index]), stops);
        await page.evaluate(() => document.activeElement.blur());
        const back = await walk(page, "Shift+Tab");
        same(`${what}: Shift and Tab go back the same way`, order(back), order(there).toReversed());
      });
    }
  });
  const [home] = places;
  await visit(home, PHONE, async (page, what) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    same(`${what}: the first stop leads to the content`, await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("Tab");
    same(`${what}: the next stop is in it`, await page.evaluate(() => document.activeElement.closest("main") !== null), true);
  });
  await visit(home, DESKTOP, async (page, what) => {
    // What is left while a photo of it is on its way, breaks that off.
    await shown(page);
    for (let link = ""; !link.includes('href="/answers"'); link = (await focused(page)).what) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.url}/answers`);
    same(`${what}: Enter follows a link`, await page.evaluate(() => document.querySelector("h1").innerText), "Answers");
  });
}
