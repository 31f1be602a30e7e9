// A game by mouse, from the front page, won by what the page says: shared by the button,
// counted once, and still there after a reload.

import { none, same, says } from "../../checks.mjs";
import { bisect, gameOn, giveaways, guessByMouse, heard } from "../tools/game.mjs";
import { nextNumber, typed } from "../tools/scout.mjs";

export async function byMouse({ site, today, prices, player }) {
  const before = await nextNumber(site.url, today, prices);
  await player("by-mouse", site.url, { motion: "no-preference" }, async ({ who, context, page, step }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: site.url });
    await page.goto("/");
    const start = await gameOn(page);
    same(`${who}: the start`, [start.turns, start.label, start.record], [[], "Guess 1 of 6, in US dollars", undefined]);
    await step(page, "before the first guess");

    const guess = (cents, nth) => guessByMouse(page, typed(cents), nth);
    const used = await bisect(page, prices.bounds, guess, async (game, nth, cents) => {
      const what = `${who}, guess ${nth}`;
      same(`${what}: the last guess`, [game.turns.length, game.turns.at(-1)[0]], [nth, typed(cents)]);
      same(`${what}: is heard`, await heard(page, `$${typed(cents)}`), game.said);
      if (game.outcome === undefined) same(`${what}: what comes next`, [game.label, game.typed, game.focus], [`Guess ${nth + 1} of 6, in US dollars`, "", "guess"]);
      await step(page, game.outcome ?? `after guess ${nth}`);
    });

    const end = await gameOn(page);
    same(`${who}: it is won`, [end.outcome, end.label], ["won", undefined]);
    says(`${who}: how it is counted`, end.counted, `as number ${before + 1} of`);
    same(`${who}: the record`, end.record, [1, 1, 1, 1]);
    same(`${who}: the address`, page.url(), `${site.url}/`);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    same(`${who}: the copy is heard`, await heard(page, "Copied"), "Copied");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    same(`${who}: what is copied`, copied, end.share);
    none(`${who}: what is shared`, giveaways(copied, { number: today, score: used, signs: used }));
    await step(page, "copied");

    await page.reload();
    await page.locator("[data-outcome=won]").waitFor();
    const again = await gameOn(page);
    const lasting = ({ turns, said, counted, share, record }) => ({ turns, said, counted, share, record });
    same(`${who}: after a reload`, lasting(again), lasting(end));
    await step(page, "after a reload");
  });
  same("a game by mouse is counted once", await nextNumber(site.url, today, prices), before + 2);
}
