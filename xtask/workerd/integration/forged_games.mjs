// Games that nobody has played: their tokens were changed on the way, or come from another
// puzzle, another session, another site, or from a day that is over. Each is a problem that a
// program can read, says nothing of what was wrong with a signature, and changes nothing.

import { same, sameRows } from "../checks.mjs";
import { guess, play, report, stubborn } from "../games.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";

const [YESTERDAY, TODAY] = [1006, 1007];
const [SITE, BEFORE, STAGING, ELSEWHERE] = ["site", "site-yesterday", "site-staging", "site-elsewhere"];
const SESSION = "session-of-the-player";

export async function forgedGames({ build }) {
  const workers = {
    [SITE]: {},
    [BEFORE]: { ahead: -DAY },
    [STAGING]: { FENCEPOST_ENVIRONMENT: "staging" },
    [ELSEWHERE]: { FENCEPOST_SECRET: "another-secret-of-at-least-32-characters" },
  };
  await withSites({ build, workers }, async (sites) => {
    await sites.admin(SITE, "POST", "/puzzles", { puzzles: [puzzle(YESTERDAY, 1), puzzle(TODAY, 0)] });
    // The price of each is its number.
    const win = async (name, id) => (await play(sites, [name], id, SESSION, stubborn(id))).game;
    const begun = (await guess(sites, SITE, TODAY, 1, { session_id: SESSION })).told.game;
    const won = await win(SITE, TODAY);
    const before = await sites.rows();
    let told = 0;
    const refused = async (what, name, token, status, kind, id = TODAY) => {
      const answers = { guess: guess(sites, name, id, 1, { game: token }), report: report(sites, name, token) };
      for (const [way, asked] of Object.entries(answers)) {
        const answer = await asked;
        const expected = [status, `urn:fencepost:problem:${kind}`, "application/problem+json"];
        same(`${what}: the ${way} is refused`, [answer.status, answer.told.type, answer.type], expected);
        told += 1;
      }
    };
    for (const [what, token] of Object.entries(tampered(won))) await refused(what, SITE, token, 422, "invalid-game");
    await refused("a game of staging", SITE, await win(STAGING, TODAY), 422, "invalid-game");
    await refused("a game of this site at staging", STAGING, won, 422, "invalid-game");
    await refused("a game with another secret", SITE, await win(ELSEWHERE, TODAY), 422, "invalid-game");
    await refused("a game of this site where there is another secret", ELSEWHERE, won, 422, "invalid-game");
    await refused("a game of yesterday", SITE, await win(BEFORE, YESTERDAY), 410, "play-over", YESTERDAY);
    same("as many as that were tried", told, 2 * (Object.keys(tampered(won)).length + 5));

    const alone = async (what, answer, status, kind) => {
      const { status: got, told } = await answer;
      same(`${what} is refused`, [got, told.type], [status, `urn:fencepost:problem:${kind}`]);
    };
    await alone("a guess with another puzzle's game", guess(sites, SITE, YESTERDAY, 1, { game: begun }), 409, "foreign-game");
    await alone("a guess with another session's game", guess(sites, SITE, TODAY, 1, { game: begun, session_id: "session-of-a-thief" }), 409, "foreign-game");
    await alone("a guess with a game that is over", guess(sites, SITE, TODAY, 1, { game: won }), 409, "game-over");
    await alone("the result of a game that is not", report(sites, SITE, begun), 409, "game-not-over");
    sameRows("none of this changes anything", await sites.rows(), before);
    const { status, told: stands } = await report(sites, SITE, won);
    same("the game itself is taken", [status, stands.status, stands.slot], [200, "recorded", 1]);
  });
}

/** A token that was changed in each of its parts. */
function tampered(token) {
  const [puzzle, turns, session, signature] = token.split(".");
  const other = (text) => (text[0] === "0" ? "1" : "0") + text.slice(1);
  return {
    "another puzzle": [YESTERDAY, turns, session, signature].join("."),
    "a puzzle that there is not": [987654321, turns, session, signature].join("."),
    "one guess fewer": [puzzle, turns.split("-").slice(1).join("-"), session, signature].join("."),
    "other guesses": [puzzle, `1h-${turns}`, session, signature].join("."),
    "guesses spelled otherwise": [puzzle, `0${turns}`, session, signature].join("."),
    "another verdict": [puzzle, turns.slice(0, -1) + "h", session, signature].join("."),
    "another session": [puzzle, turns, "session-of-a-thief", signature].join("."),
    "another signature": [puzzle, turns, session, other(signature)].join("."),
    "a signature in capitals": [puzzle, turns, session, signature.toUpperCase()].join("."),
    "half a signature": token.slice(0, -32),
    "no signature": [puzzle, turns, session].join("."),
    "nothing at all": "",
    "a token that does not end": token + "0".repeat(500),
  };
}
