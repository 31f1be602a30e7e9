// The end of play, to the millisecond.
//
// A puzzle is played until its grace window ends, and its answer is due at that very instant:
// a result that came later could have been read off the answer. The clock of the store is
// made to stand still, at one minute before midnight, five after it, the last millisecond of
// play, and the next one. A game that goes on over midnight is one of the day on which it
// was begun.

import { same } from "../checks.mjs";
import { guess, play, report, results, stubborn } from "../games.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";
import { PUBLISH, withSites } from "../sites.mjs";
import { Wire } from "../wire.mjs";

const [TODAY, TOMORROW] = [1007, 1008];
/** As {@link puzzle} makes it. */
const PRICE = TODAY;
const BOTH = ["site-old", "site-new"];
const MINUTE = 60_000;
const MIDNIGHT = NOW - (NOW % DAY) + DAY;
/** Of the grace window, as it is unless a site wants another. */
const END = MIDNIGHT + 10 * MINUTE;
const OVER = { status: 410, type: "urn:fencepost:problem:play-over", answer: `/answers/${TODAY}` };

export async function lastMillisecond({ build }) {
  const wire = new Wire();
  await withSites({ build, workers: { "site-old": {}, "site-new": {} }, wire }, async (sites) => {
    const [one, other] = BOTH;
    await sites.admin(one, "POST", "/puzzles", { puzzles: [puzzle(TODAY, 0), puzzle(TOMORROW, -1)] });
    const begin = (session, name = one) => guess(sites, name, TODAY, 1, { session_id: session });
    const finish = (name, { told }) => guess(sites, name, TODAY, PRICE, { game: told.game });

    wire.standStill(MIDNIGHT - MINUTE);
    const begun = [await begin("session-over-midnight"), await begin("session-of-the-last-ms"), await begin("session-without-an-end")];
    same("games begin in the last minute of the day", begun.map(({ status }) => status), [200, 200, 200]);
    same("tomorrow's puzzle is none yet", (await guess(sites, one, TOMORROW, 1)).status, 404);

    wire.standStill(MIDNIGHT + 5 * MINUTE);
    const won = await finish(other, begun[0]);
    same("a game goes on over midnight", [won.told.puzzle_id, won.told.outcome, won.told.guesses_used], [TODAY, "won", 2]);
    const first = await report(sites, one, won.told.game);
    same("and is recorded", [first.status, first.told.status, first.told.puzzle_id, first.told.slot], [200, "recorded", TODAY, 1]);
    const unreported = await play(sites, BOTH, TODAY, "session-of-the-late", stubborn(PRICE));

    wire.standStill(END - 1);
    const last = await finish(one, begun[1]);
    same("a guess is judged in the last millisecond", [last.status, last.told.outcome], [200, "won"]);
    const recorded = await report(sites, other, last.told.game);
    same("and a result taken", [recorded.status, recorded.told.status, recorded.told.slot], [200, "recorded", 2]);
    same("no cron breaks off", await sites.fire(PUBLISH, BOTH), ["ok", "ok"]);
    same("the answer is secret still", await page(sites, one), { status: 404, shown: false });

    wire.standStill(END);
    const before = await results(sites);
    for (const name of BOTH) {
      same(`at ${name}, no game goes on`, refusal(await finish(name, begun[2])), OVER);
      same(`at ${name}, none begins`, refusal(await begin("session-of-nobody", name)), OVER);
      same(`at ${name}, no result is taken`, refusal(await report(sites, name, unreported.game)), OVER);
      const again = await report(sites, name, won.told.game);
      same(`at ${name}, what stands is told`, [again.status, again.told.status, again.told.slot], [200, "duplicate", 1]);
    }
    same("none of this changes anything", await results(sites), before);
    same("the two that came in time stand, each at its instant", before.map(({ puzzle_id, session_id, slot, created_at }) => [puzzle_id, session_id, slot, created_at]), [
      [TODAY, "session-over-midnight", 1, MIDNIGHT + 5 * MINUTE],
      [TODAY, "session-of-the-last-ms", 2, END - 1],
    ]);
    same("no cron breaks off", await sites.fire(PUBLISH, BOTH), ["ok", "ok"]);
    for (const name of BOTH) same(`${name} shows the answer`, await page(sites, name), { status: 200, shown: true });
    const { answer_posts } = await sites.rows("answer_posts");
    same("it came out at that instant", answer_posts.map((post) => [post.puzzle_id, post.published_at]), [[TODAY, END]]);
  });
}

/** What a refusal says, without its words. */
const refusal = ({ status, told }) => ({ status, type: told.type, answer: told.answer });

/** The page of the answer, and whether it tells the price. */
async function page(sites, name) {
  const response = await sites.ask(name, `/answers/${TODAY}`);
  return { status: response.status, shown: (await response.text()).includes("$10.07") };
}
