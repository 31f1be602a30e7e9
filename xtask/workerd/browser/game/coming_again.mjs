// A game that is left in the middle: it goes on after a reload and in another tab, both tabs
// show the same, and tabs that begin at once are one player. A game that is none any more is
// let go of, and so is what is left of those that are long over.

import { same, says } from "../../checks.mjs";
import { gameOn, guessByMouse, heard, turns } from "../tools/game.mjs";
import { nextNumber, typed } from "../tools/scout.mjs";
import { PHONE } from "../tools/visit.mjs";

const state = ({ turns, said, label, outcome, counted }) => ({ turns, said, label, outcome, counted });

export async function comingAgain(hands) {
  await leftInTheMiddle(hands);
  await begunTwice(hands);
  await leftLongAgo(hands);
  await begunWithoutItsScript(hands);
}

async function leftInTheMiddle({ site, today, prices, player }) {
  const { far, close, right } = prices;
  await player("coming-again", site.url, { screen: PHONE, scheme: "dark" }, async ({ who, page, tab, step, expect }) => {
    await page.goto("/");
    await guessByMouse(page, typed(far), 1);
    await guessByMouse(page, typed(close), 2);
    await step(page, "in the middle");
    const middle = state(await gameOn(page));
    const expected = { turns: [[typed(far), "Higher"], [typed(close), "Higher, very close"]], label: "Guess 3 of 6, in US dollars" };
    same(`${who}: the middle`, { turns: middle.turns, label: middle.label }, expected);

    await page.reload();
    await turns(page, 2);
    const back = await gameOn(page);
    same(`${who}: after a reload`, state(back), middle);
    same(`${who}: a reload moves no focus`, back.focus, "");
    await step(page, "after a reload");

    expect({ path: `/play/${today}`, status: 422 });
    for (const [text, words] of [["a lot", "That is not a price."], ["0", "Nothing here costs that."], ["1.899", "That is not a price."]]) {
      await guessByMouse(page, text);
      says(`${who}: ${text} is no guess, and that is heard`, await heard(page, words), words);
      const note = await gameOn(page);
      same(`${who}: ${text} costs no guess`, [note.turns, note.label, note.typed, note.focus], [middle.turns, middle.label, text, "guess"]);
    }
    await step(page, "no price");

    const other = await tab();
    await other.goto(`/play/${today}`);
    await turns(other, 2);
    same(`${who}: another tab goes on`, state(await gameOn(other)), middle);
    await page.locator("#guess").fill("12");
    await guessByMouse(other, typed(far), 3);
    await turns(page, 3);
    const typing = await gameOn(page);
    same(`${who}: what was being typed here is still there`, [typing.typed, typing.focus], ["12", "guess"]);
    await page.locator("#guess").pressSequentially("3");
    same(`${who}: and is typed on`, (await gameOn(page)).typed, "123");
    await guessByMouse(other, typed(right), 4);
    await turns(page, 4);
    const [here, there] = [await gameOn(page), await gameOn(other)];
    same(`${who}: both tabs show the same`, state(here), state(there));
    same(`${who}: both tabs have counted one game`, [here.record, there.record], [[1, 1, 1, 1], [1, 1, 1, 1]]);
    await step(page, "won in another tab");
  });
}

async function begunTwice({ site, today, prices, player }) {
  const before = await nextNumber(site.url, today, prices);
  await player("begun-twice", site.url, {}, async ({ who, page, tab, step }) => {
    const other = await tab();
    await Promise.all([page, other].map((page) => page.goto("/")));
    // Both are judged before either is answered: no tab knows of the other's game.
    const judged = [];
    for (const tab of [page, other]) {
      const late = async (route) => {
        const response = await route.fetch();
        await new Promise((resolve) => judged.push(resolve) === 2 && judged.forEach((answer) => answer()));
        await route.fulfill({ response });
      };
      await tab.route(`**/play/${today}`, late, { times: 1 });
    }
    await Promise.all([page, other].map((page) => guessByMouse(page, typed(prices.right), 1)));
    for (const tab of [page, other]) says(`${who}: how it is counted`, (await gameOn(tab)).counted, `as number ${before + 1} of`);
    await step(other, "won twice");
  });
  same("tabs that begin at once are one player", await nextNumber(site.url, today, prices), before + 2);
}

async function begunWithoutItsScript({ site, today, prices, player }) {
  const script = "**/assets/*.js";
  await player("script-comes-late", site.url, {}, async ({ who, page, step }) => {
    await page.route(script, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    await page.goto("/");
    await page.unroute(script);
    await step(page, "without its script");
    await page.locator("#guess").fill(typed(prices.far));
    await page.getByRole("button", { name: "Guess" }).click();
    await page.waitForURL(`/play/${today}#game`);
    await turns(page, 1);
    await page.goto("/");
    await turns(page, 1);
    same(`${who}: the script goes on with what the form began`, (await gameOn(page)).label, "Guess 2 of 6, in US dollars");
    await step(page, "gone on with");
  });
}

async function leftLongAgo({ site, today, prices, player }) {
  await player("left-long-ago", site.url, {}, async ({ who, page, expect, step }) => {
    expect({ path: `/play/${today}`, status: 422 });
    await page.goto("/");
    // All that the page asks for is there before it is loaded anew.
    await step(page, "nothing kept");
    await page.evaluate((today) => {
      const ago = (days) => new Date(Date.parse(document.querySelector("#game").dataset.date) - days * 86_400_000).toISOString().slice(0, 10);
      const kept = { [`game.${today}`]: { token: "junk", date: ago(0) }, games: [], other: {} };
      for (const [id, days] of [[today - 6, 6], [today - 7, 7], [today - 8, 8]]) {
        for (const what of ["game", "session"]) kept[`${what}.${id}`] = { id: "x", date: ago(days) };
      }
      for (const [name, value] of Object.entries(kept)) localStorage.setItem(`fencepost.${name}`, JSON.stringify(value));
    }, today);
    await page.reload();
    await page.locator("#note").waitFor();
    says(`${who}: a token that is none`, (await gameOn(page)).note, "could not be continued");
    await step(page, "a token that is none");
    const names = await page.evaluate(() => Object.keys(localStorage).sort());
    const recent = ["game", "session"].map((what) => `fencepost.${what}.${today - 6}`);
    same(`${who}: what is still kept`, names, [...recent, "fencepost.games", "fencepost.other"].sort());
    await guessByMouse(page, typed(prices.far), 1);
    same(`${who}: a new game is played`, (await gameOn(page)).turns.length, 1);
  });
}
