// A crowd that plays at two Workers on one database.
//
// 150 players guess, one guess here and the next one there, and each verdict has to be what
// the rules say. Then 200 reports arrive in one instant, of which fifty are of sessions that
// report to the other Worker as well. Each session is counted once, whoever comes first, and
// the slots of the day have no gap. What the statistics tell of it, once they may, is what
// was played.

import { same } from "../checks.mjs";
import { halving, judged, play, report, results, stubborn } from "../games.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { PUBLISH, withSites } from "../sites.mjs";

const TODAY = 1007;
/** As {@link puzzle} makes it. */
const PRICE = TODAY;
const BOTH = ["site-old", "site-new"];
const LATE = "site-late";
const SESSIONS = 150;
/** How many of them report to the other Worker as well, in the same instant. */
const TWICE = 50;
const SLOTS = Array.from({ length: SESSIONS }, (_, i) => i + 1);

export async function players({ build, full }) {
  const table = [];
  for (let round = 1; round <= (full ? 10 : 1); round += 1) {
    const workers = { "site-old": {}, "site-new": {}, [LATE]: { ahead: DAY } };
    await withSites({ build, workers }, async (sites) => table.push(await crowd(sites)));
  }
  console.table(table);
}

async function crowd(sites) {
  await sites.admin(BOTH[0], "POST", "/puzzles", { puzzles: [puzzle(TODAY, 0)] });
  const before = await sites.rows();
  const games = await Promise.all(SLOTS.map((_, nth) => playOne(sites, nth)));
  same("guesses write nothing", await sites.rows(), before);

  const begun = Date.now();
  const sent = SLOTS.flatMap((_, session) => (session < TWICE ? [0, 1] : [0]).map((nth) => reportOne(sites, games, session, nth)));
  const reports = await Promise.all(sent);
  const ms = Date.now() - begun;
  same("every report is answered", [reports.length, reports.filter(({ status }) => status !== 200)], [SESSIONS + TWICE, []]);
  const by = (status) => reports.filter(({ told }) => told.status === status);
  const [recorded, duplicate] = [by("recorded"), by("duplicate")];
  same("each session is recorded once", [recorded.length, duplicate.length], [SESSIONS, TWICE]);
  same("each slot is told to one of them", recorded.map(({ told }) => told.slot).sort((a, b) => a - b), SLOTS);
  await stored(sites, games, reports);
  await told(sites, games);
  const won = games.filter(({ outcome }) => outcome === "won").length;
  // That both Workers were at work on the same sessions is the point.
  const overtaken = duplicate.filter(({ nth }) => nth === 0).length;
  return { won, lost: SESSIONS - won, recorded: recorded.length, duplicate: duplicate.length, "of them sent first": overtaken, ms };
}

/** Plays the game of one session; every third one guesses without heed. */
async function playOne(sites, nth) {
  const session = `session-number-${String(nth).padStart(3, "0")}`;
  const player = nth % 3 === 0 ? stubborn(1 + nth) : halving(1_200 + 7 * nth);
  const wrong = [];
  const names = nth % 2 === 0 ? BOTH : BOTH.toReversed();
  const end = await play(sites, names, TODAY, session, player, (cents, { verdict, close }) => {
    const expected = judged(PRICE, cents);
    if (verdict !== expected.verdict || close !== expected.close) wrong.push({ cents, verdict, close });
  });
  same(`every verdict of ${session} is right`, wrong, []);
  return end;
}

/** Sends a session's first report, or its second one, each to another Worker. */
async function reportOne(sites, games, session, nth) {
  const { status, told } = await report(sites, BOTH[(session + nth) % BOTH.length], games[session].game);
  return { nth, session, status, told };
}

/** What is stored is what was played, and what was told of it. */
async function stored(sites, games, reports) {
  const rows = await results(sites);
  same("the slots have no gap", rows.map(({ slot }) => slot), SLOTS);
  const result = ({ puzzle_id, session_id, outcome, guesses_used }) => ({ puzzle_id, session_id, outcome, guesses_used });
  const played = games.map(result);
  same("each game is stored as it ended", rows.map(result).sort((a, b) => (a.session_id < b.session_id ? -1 : 1)), played);
  const stands = (session) => rows.find((row) => row.session_id === games[session].session_id);
  const untrue = reports.filter(({ session, told }) => {
    const row = stands(session);
    return told.slot !== row.slot || told.outcome !== row.outcome || told.guesses_used !== row.guesses_used;
  });
  same("each report is told what stands", untrue, []);
  same("the site verifies", await sites.admin(BOTH[1], "GET", "/verify"), { ok: true, violations: [] });
}

/** The statistics, once the answer is out. */
async function told(sites, games) {
  const stats = async (name) => {
    const response = await sites.ask(name, `/api/puzzles/${TODAY}/stats`);
    return { status: response.status, told: await response.json() };
  };
  same("during play, nobody learns how others have played", (await stats(BOTH[0])).status, 404);
  await sites.fire(PUBLISH, [LATE]);
  const won = [1, 2, 3, 4, 5, 6].map((used) => games.filter((game) => game.outcome === "won" && game.guesses_used === used).length);
  const sum = won.reduce((sum, count) => sum + count, 0);
  const { status, told } = await stats(LATE);
  same("the statistics are out", status, 200);
  same("they count everybody once", [told.results, told.won, told.lost, told.won_with], [SESSIONS, sum, SESSIONS - sum, won]);
}
