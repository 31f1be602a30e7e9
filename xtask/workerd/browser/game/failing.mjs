// A guess that gets lost: by the connection, on the way, or by a site that cannot or will
// not judge it. That is said beside the form, which keeps what was typed, costs no guess, and
// works again as soon as it can.

import { same, says } from "../../checks.mjs";
import { gameOn, guessByMouse, heard, turns } from "../tools/game.mjs";
import { typed } from "../tools/scout.mjs";
import { PHONE } from "../tools/visit.mjs";

const OFFLINE = "That did not get through.";
const notice = (heading, text) => `<!doctype html><title>${heading}</title><main><h1>${heading}</h1><p class="lead">${text}</p></main>`;

export async function failing({ site, today, prices, player }) {
  const path = `/play/${today}`;
  await player("failing", site.url, { screen: PHONE }, async ({ who, context, page, step, expect }) => {
    expect({ path, fails: "net::ERR_INTERNET_DISCONNECTED" }, { path, fails: "net::ERR_CONNECTION_RESET" }, { path, status: 503 }, { path, status: 429 });
    await page.goto("/");
    await guessByMouse(page, typed(prices.far), 1);
    const { turns: guessed, label } = await gameOn(page);

    const text = typed(prices.close);
    const fails = async (what, words) => {
      await guessByMouse(page, text);
      says(`${who}, ${what}: it is heard`, await heard(page, words), words);
      const game = await gameOn(page);
      says(`${who}, ${what}: it stands there`, game.note, words);
      same(`${who}, ${what}: the form is as it was`, [game.turns, game.label, game.typed, game.focus], [guessed, label, text, "guess"]);
      same(`${who}, ${what}: the field says what is wrong`, await page.locator("#guess").getAttribute("aria-describedby"), "note");
      await step(page, what);
    };
    await context.setOffline(true);
    await fails("no connection", OFFLINE);
    await context.setOffline(false);
    const answers = {
      "cut off": [(route) => route.abort("connectionreset"), OFFLINE],
      "no store": [(route) => route.fulfill({ status: 503, contentType: "text/html", body: notice("Back in a moment", "Nobody could be asked just now.") }), "Nobody could be asked"],
      "too often": [(route) => route.fulfill({ status: 429, contentType: "text/html", body: notice("One moment", "Nothing was judged; try again in 2 seconds.") }), "try again in 2 seconds"],
      "not a page": [(route) => route.fulfill({ status: 503, contentType: "text/plain", body: "upstream" }), "That went wrong."],
    };
    for (const [what, [answer, words]] of Object.entries(answers)) {
      await page.route(`**${path}`, answer);
      await fails(what, words);
      await page.unroute(`**${path}`);
    }
    await guessByMouse(page, text, 2);
    const game = await gameOn(page);
    same(`${who}: then it works again`, [game.turns.length, game.note, game.focus], [2, undefined, "guess"]);
    await step(page, "works again");

    // An answer that takes long is waited for, however often somebody asks for it.
    const held = [];
    await page.route(`**${path}`, (route) => held.push(route));
    await page.locator("#guess").fill(text);
    for (const _ of [1, 2, 3]) await page.locator("#guess").press("Enter");
    await page.waitForFunction(() => document.querySelector("#game button").disabled);
    for (const route of held) await route.continue();
    await turns(page, 3);
    await page.unroute(`**${path}`);
    same(`${who}: a guess is sent once`, held.length, 1);

    // The game is in the browser, and the site does not answer just when it is looked for.
    await page.route(`**${path}`, (route) => route.abort("connectionreset"));
    await page.reload();
    says(`${who}: a game that cannot be shown`, await heard(page, OFFLINE), OFFLINE);
    await step(page, "not shown after a reload");
    await page.unroute(`**${path}`);
    await guessByMouse(page, typed(prices.right));
    await turns(page, 4);
    same(`${who}: is gone on with`, (await gameOn(page)).outcome, "won");
  });
}
