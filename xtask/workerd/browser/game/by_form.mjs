// A game without scripts: by forms alone, each of which is answered with a page. An answer
// that is asked for again, by a reload or by going back, counts nothing twice.

import { none, same, says } from "../../checks.mjs";
import { bisect, gameOn, giveaways, guessByMouse } from "../tools/game.mjs";
import { nextNumber, typed } from "../tools/scout.mjs";
import { PHONE } from "../tools/visit.mjs";

export async function byForm({ site, today, prices, player }) {
  const before = await nextNumber(site.url, today, prices);
  await player("by-form", site.url, { screen: PHONE, scripts: false }, async ({ who, page, step, expect }) => {
    await page.goto("/");
    await step(page, "before the first guess");
    expect({ path: `/play/${today}`, status: 422 });
    await guessByMouse(page, "1.899");
    await page.locator("#note").waitFor();
    const note = await gameOn(page);
    same(`${who}: what is no price costs no guess`, [note.turns, note.typed, note.label], [[], "1.899", "Guess 1 of 6, in US dollars"]);
    await step(page, "no price");

    const guess = (cents, nth) => guessByMouse(page, typed(cents), nth);
    const used = await bisect(page, prices.bounds, guess, async (game, nth, cents) => {
      const what = `${who}, guess ${nth}`;
      same(`${what}: the last guess`, [game.turns.length, game.turns.at(-1)[0]], [nth, typed(cents)]);
      same(`${what}: the address`, page.url(), `${site.url}/play/${today}#game`);
      await step(page, game.outcome ?? `after guess ${nth}`);
    });
    const end = await gameOn(page);
    same(`${who}: it is won`, [end.outcome, end.record], ["won", undefined]);
    says(`${who}: how it is counted`, end.counted, `as number ${before + 1} of`);
    none(`${who}: what is shared`, giveaways(end.share, { number: today, score: used, signs: used }));
    await page.reload();
    same(`${who}: after a reload`, await gameOn(page), { ...end, focus: (await gameOn(page)).focus });
    await step(page, "after a reload");
  });
  same("a game by form is counted once", await nextNumber(site.url, today, prices), before + 2);
}
