// A game that was begun two minutes before midnight. It goes on in the page that is still
// open, and by the link on the front page, until the grace window ends; then it is over, for
// the page that is still open too, and the answer is out.
//
// The site is started anew for each of three instants, at the same address and with what it
// has stored, so nobody waits for midnight.

import { eventually, same, says } from "../../checks.mjs";
import { DAY, NOW } from "../../puzzles.mjs";
import { gameOn, guessByMouse, turns } from "../tools/game.mjs";
import { scout, typed } from "../tools/scout.mjs";
import { PHONE } from "../tools/visit.mjs";

const MIDNIGHT = NOW - (NOW % DAY) + DAY;
const MINUTE = 60_000;

export async function aroundMidnight({ lasting, player }) {
  const site = await lasting();
  try {
    const url = await site.at(MIDNIGHT - 2 * MINUTE);
    const who = { screen: PHONE, now: MIDNIGHT - 2 * MINUTE };
    await player("around-midnight", url, who, (inTime) =>
      player("too-late-after-midnight", url, { ...who, scheme: "dark" }, (late) => play(site, url, inTime, late)),
    );
  } finally {
    await site.end();
  }
}

async function play(site, url, { who, page, step, expect }, late) {
  const items = async () => (await site.admin("GET", "/items")).items;
  const playedOn = async (at) => (await items()).find((item) => item.play_date === new Date(at).toISOString().slice(0, 10)).puzzle_id;
  const puzzle = await playedOn(MIDNIGHT - 1);
  const prices = await scout(url, puzzle);
  const countdown = () => page.locator("#countdown").innerText();
  const moveTo = async (now) => {
    await site.at(now);
    await Promise.all([page, late.page].map((page) => page.clock.setSystemTime(now)));
  };
  for (const player of [page, late.page]) {
    await player.goto("/");
    await guessByMouse(player, typed(prices.far), 1);
  }
  says(`${who}: the countdown before midnight`, await countdown(), "The next puzzle comes in");
  await step(page, "two minutes to midnight");

  await moveTo(MIDNIGHT + 5 * MINUTE);
  const tomorrow = await playedOn(MIDNIGHT);
  await guessByMouse(page, typed(prices.close), 2);
  same(`${who}: the open page goes on after midnight`, (await gameOn(page)).label, "Guess 3 of 6, in US dollars");
  await page.reload();
  same(`${who}: the front page has the new puzzle`, [(await gameOn(page)).turns, await page.locator("#game").getAttribute("data-puzzle")], [[], String(tomorrow)]);
  await step(page, "front page five past midnight");
  await page.getByRole("link", { name: `No. ${puzzle} of` }).click();
  await page.waitForURL(`${url}/play/${puzzle}`);
  await turns(page, 2);
  says(`${who}: the countdown after midnight`, await countdown(), "This one ends in");
  await step(page, "the game of yesterday goes on");
  await guessByMouse(page, typed(prices.right), 3);
  const end = await gameOn(page);
  same(`${who}: it is won`, [end.outcome, end.record], ["won", [1, 1, 1, 1]]);
  says(`${who}: how it is counted`, end.counted, "as number 1 of");
  await step(page, "won after midnight");

  await moveTo(MIDNIGHT + 10 * MINUTE);
  for (const expectOf of [expect, late.expect]) expectOf({ path: `/play/${puzzle}`, status: 410 });
  await guessByMouse(late.page, typed(prices.close));
  await late.page.locator("h1", { hasText: "This game is over" }).waitFor();
  same(`${late.who}: where the focus is`, (await gameOn(late.page)).focus, "main");
  await late.step(late.page, "ten past midnight");
  const response = await page.goto(`/play/${puzzle}`);
  same(`${who}: the game is over`, [response.status(), await page.locator("h1").innerText()], [410, "This game is over"]);
  await step(page, "ten past midnight");
  const answer = `/answers/${puzzle}`;
  await eventually("the answer is out", async () => (await fetch(url + answer)).status === 200);
  await page.getByRole("link", { name: `The answer to puzzle ${puzzle}` }).click();
  await page.waitForURL(url + answer);
  await step(page, "the answer");
  const stats = await fetch(`${url}/api/puzzles/${puzzle}/stats`);
  const { results, won, won_with } = await stats.json();
  same(`${who}: one game is counted`, [results, won, won_with], [1, 1, [0, 0, 1, 0, 0, 0]]);
}
