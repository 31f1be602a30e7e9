// A game by keyboard alone, lost with six wrong guesses: the focus is always where one goes
// on, and what is said is told to whoever does not see it.

import { none, same, says } from "../../checks.mjs";
import { gameOn, giveaways, heard, turns } from "../tools/game.mjs";
import { nextNumber, typed } from "../tools/scout.mjs";

/** More stops than the page has before the field. */
const MOST_STOPS = 30;

export async function byKeyboard({ site, today, prices, player }) {
  const before = await nextNumber(site.url, today, prices);
  await player("by-keyboard", site.url, { scheme: "dark" }, async ({ who, page, step }) => {
    await page.goto("/");
    const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
    const tabTo = async (name) => {
      for (let i = 0; i < MOST_STOPS && (await focus()) !== name; i += 1) await page.keyboard.press("Tab");
      same(`${who}: Tab comes to ${name}`, await focus(), name);
    };
    await tabTo("guess");
    for (let nth = 1; nth <= 6; nth += 1) {
      const text = typed(prices.far + nth);
      await page.keyboard.type(text);
      // Half of them by the button, which is the next stop.
      if (nth % 2 === 0) await tabTo("Guess");
      await page.keyboard.press("Enter");
      await turns(page, nth);
      const said = await heard(page, `$${text}`);
      const game = await gameOn(page);
      const what = `${who}, guess ${nth}`;
      same(`${what}: what is heard stands there`, said, game.said);
      says(what, said, "the price is higher");
      same(`${what}: where the focus is`, game.focus, nth < 6 ? "guess" : "said");
      await step(page, nth < 6 ? `after guess ${nth}` : "lost");
    }
    const end = await gameOn(page);
    same(`${who}: it is lost`, [end.outcome, end.record], ["lost", [1, 0, 0, 0]]);
    says(`${who}: the last words`, end.said, "That was your last guess.");
    says(`${who}: how it is counted`, end.counted, `as number ${before + 1} of`);
    none(`${who}: what is shared`, giveaways(end.share, { number: today, score: "X", signs: 6 }));
    await tabTo("share");
  });
  same("a game by keyboard is counted once", await nextNumber(site.url, today, prices), before + 2);
}
