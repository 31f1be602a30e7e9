// The games of a browser, and what they amount to.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { gamesIn, keep, kept, keptNames, record, withGame } from "../../assets/script/record.mjs";

const won = (...dates) => dates.map((date) => [date, 3, true]);
const lost = (...dates) => dates.map((date) => [date, 6, false]);

/** Checks what games amount to on a day: played, won, in a row, longest row. */
function check(games, today, expected) {
  const told = record(gamesIn(games), today);
  assert.deepEqual([told.played, told.won, told.streak, told.longest], expected);
}

test("nothing amounts to nothing", () => check([], "2026-11-28", [0, 0, 0, 0]));

test("a row goes over the ends of months and years, and over a leap day", () => {
  check(won("2026-11-30", "2026-12-01"), "2026-12-01", [2, 2, 2, 2]);
  check(won("2026-12-31", "2027-01-01"), "2027-01-01", [2, 2, 2, 2]);
  check(won("2024-02-28", "2024-02-29", "2024-03-01"), "2024-03-01", [3, 3, 3, 3]);
  check(won("2026-02-28", "2026-03-01"), "2026-03-01", [2, 2, 2, 2]);
});

test("a day that can still be won does not end a row", () => {
  check(won("2026-11-26", "2026-11-27"), "2026-11-28", [2, 2, 2, 2]);
});

test("a day that was left out ends a row", () => {
  check(won("2026-11-25", "2026-11-26"), "2026-11-28", [2, 2, 0, 2]);
  check(won("2026-11-25", "2026-11-26", "2026-11-28"), "2026-11-28", [3, 3, 1, 2]);
});

test("a day that was lost ends a row, today's at once", () => {
  check([...won("2026-11-26", "2026-11-27"), ...lost("2026-11-28")], "2026-11-28", [3, 2, 0, 2]);
  check([...won("2026-11-26"), ...lost("2026-11-27")], "2026-11-28", [2, 1, 0, 1]);
  check([...won("2026-11-26"), ...lost("2026-11-27"), ...won("2026-11-28")], "2026-11-28", [3, 2, 1, 1]);
});

test("the longest row is the longest that there ever was", () => {
  const days = won("2026-10-01", "2026-10-02", "2026-10-03", "2026-10-05", "2026-11-27", "2026-11-28");
  check(days, "2026-11-28", [6, 6, 2, 3]);
});

test("yesterday's game, finished after today's was won, closes the row", () => {
  const games = withGame(won("2026-11-26", "2026-11-28"), "2026-11-27", 2, true);
  check(games, "2026-11-28", [3, 3, 3, 3]);
  check(games, "2026-11-27", [3, 3, 3, 3]);
});

test("a date has one game, and the first one counts", () => {
  const games = withGame(lost("2026-11-28"), "2026-11-28", 1, true);
  assert.deepEqual(games, lost("2026-11-28"));
  check([...lost("2026-11-28"), ...won("2026-11-28")], "2026-11-28", [1, 0, 0, 0]);
});

test("games are kept by date, and the oldest are let go of", () => {
  assert.deepEqual(withGame(won("2026-11-28"), "2026-11-27", 3, true), won("2026-11-27", "2026-11-28"));
  const days = Array.from({ length: 2_001 }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
  assert.deepEqual(gamesIn(won(...days)), won(...days.slice(1)));
});

test("what is no game is none", () => {
  const junk = [null, 7, "x", {}, [], ["2026-11-28"], ["2026-13-77", 3, true], ["x", 3, true], ["2026-11-27", "3", true], ["2026-11-27", 3, 1]];
  check([...junk, ...won("2026-11-28")], "2026-11-28", [1, 1, 1, 1]);
});

/** A browser's storage that holds what it is given, or refuses everything. */
class Storage {
  getItem(name) {
    return this[name] ?? null;
  }
  setItem(name, value) {
    this[name] = String(value);
  }
  removeItem(name) {
    delete this[name];
  }
}

afterEach(() => delete globalThis.localStorage);

test("what is kept comes back, and what was written there by others does not", () => {
  globalThis.localStorage = new Storage();
  keep("games", [1]);
  keep("game", { token: "t" });
  assert.deepEqual([kept("games", []), kept("game", {}), keptNames()], [[1], { token: "t" }, ["games", "game"]]);
  assert.deepEqual([kept("games", {}), kept("game", [])], [{}, []]);
  keep("game", undefined);
  assert.deepEqual([kept("game", {}), keptNames()], [{}, ["games"]]);
  for (const text of ["null", "7", '"x"', "true", "{", ""]) {
    localStorage.setItem("game", text);
    assert.deepEqual([kept("game", {}), kept("game", [])], [{}, []], text);
  }
});

test("a browser that keeps nothing is played in all the same", () => {
  const refuse = () => {
    throw new Error("denied");
  };
  globalThis.localStorage = new Proxy({}, { get: () => refuse, ownKeys: refuse });
  keep("game", {});
  keep("game", undefined);
  assert.deepEqual([kept("game", { is: "otherwise" }), keptNames()], [{ is: "otherwise" }, []]);
});
