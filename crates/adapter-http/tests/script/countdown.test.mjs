// How long it is until the next puzzle.

import assert from "node:assert/strict";
import { test } from "node:test";
import { awaited, spelled } from "../../assets/script/countdown.mjs";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

test("hours are told with minutes, and the last hour with seconds", () => {
  for (const [ms, expected] of [
    [24 * HOUR, "24 h 00 min"],
    [10 * HOUR + 9 * MINUTE + 59 * SECOND, "10 h 09 min"],
    [HOUR, "1 h 00 min"],
    [59 * MINUTE + 59 * SECOND + 1, "1 h 00 min"],
    [59 * MINUTE + 59 * SECOND, "59:59"],
    [10 * MINUTE, "10:00"],
    [MINUTE, "1:00"],
    [59 * SECOND, "0:59"],
    [1, "0:01"],
    [0, "0:00"],
    [-HOUR, "0:00"],
  ]) {
    assert.equal(spelled(ms), expected, `${ms} ms`);
  }
});

test("the next puzzle is waited for, then the end of this one, then nothing", () => {
  const [next, end] = [100, 150];
  assert.deepEqual(awaited(99, next, end), { what: "The next puzzle comes in", ms: 1 });
  assert.deepEqual(awaited(100, next, end), { what: "This one ends in", ms: 50 });
  assert.deepEqual(awaited(149, next, end), { what: "This one ends in", ms: 1 });
  assert.equal(awaited(150, next, end), undefined);
  assert.equal(awaited(100, next, next), undefined, "without a grace window, both are one instant");
});
