// What can go wrong around an example's Worker, whatever the example does.
//
// A run is played once without disturbance, to learn its calls and its end. Then it is played
// again and again, and each time something goes wrong. One more run, after all leases and
// waits are over, must come to the same end every time.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { none, same } from "../checks.mjs";
import { PASS, Wire } from "../wire.mjs";
import { onStage, start } from "./stage.mjs";

/** How often two Workers begin at the same instant. */
const ROUNDS = 5;

/** A call, in a few words. */
const about = (calls, n) => `call ${n} of ${calls.length} (${calls[n - 1].statements[0].replace(/\s+/g, " ").slice(0, 50)}…)`;

/** Lets a last run be, and holds what there is then against an undisturbed end. */
export async function checkEnd(what, stage, example, end) {
  await stage.later();
  await stage.fire("one");
  none(`${what}: nothing is wrong`, await example.wrong(stage));
  same(`${what}: it ends as undisturbed`, await example.done(stage), end);
}

/** The calls of an undisturbed run, and what it comes to. */
async function undisturbed(stage, example, wire) {
  await stage.reset();
  let calls = [];
  if (wire) calls = await wire.callsOf(() => stage.fire("one"));
  else await stage.fire("one");
  none("an undisturbed run does nothing wrong", await example.wrong(stage));
  return { calls, end: await example.done(stage) };
}

/** Two Workers begin at the same instant, on one database. */
async function twoAtOnce(example) {
  await onStage(example, { workers: ["one", "two"] }, async (stage) => {
    const { end } = await undisturbed(stage, example);
    for (let round = 0; round < ROUNDS; round += 1) {
      await stage.reset();
      same(`round ${round}: no Worker breaks off`, await stage.fire("one", "two"), ["ok", "ok"]);
      await checkEnd(`round ${round} of two at once`, stage, example, end);
    }
  });
  return `${ROUNDS} rounds`;
}

/** Each call is lost on its way, and each answer on its way back; then every answer from one on. */
async function lostAnswers(example) {
  const wire = new Wire();
  return onStage(example, { wire }, async (stage) => {
    const { calls, end } = await undisturbed(stage, example, wire);
    const fates = {
      "lost on the way": (number, n) => number === n,
      "answer lost": (number, n) => number === n,
      "answer lost from there on": (number, n) => number >= n,
    };
    for (const [what, isLost] of Object.entries(fates)) {
      const fate = what.startsWith("answer") ? "answer lost" : what;
      for (let n = 1; n <= calls.length; n += 1) {
        // An outage is waited for at every call, which takes seconds: at some of them.
        if (what.endsWith("on") && n % 4 !== 2) continue;
        await stage.reset();
        wire.heed((_, number) => (isLost(number, n) ? fate : "pass"));
        await stage.fire("one");
        wire.heed(PASS);
        await checkEnd(`${about(calls, n)}, ${what}`, stage, example, end);
      }
    }
    return `${calls.length} calls`;
  });
}

/** A Worker falls asleep before each of its calls, another takes over, and the first wakes up. */
async function takenOver(example) {
  const wire = new Wire();
  return onStage(example, { workers: ["one", "two"], wire }, async (stage) => {
    const { calls, end } = await undisturbed(stage, example, wire);
    for (let n = 1; n <= calls.length; n += 1) {
      await stage.reset();
      wire.heed((_, number) => (number === n ? "asleep on the way" : "pass"));
      const asleep = wire.hung();
      const first = stage.fire("one");
      await asleep;
      await stage.later();
      await stage.fire("two");
      wire.wake();
      await first;
      none(`asleep at ${about(calls, n)}: nothing is wrong`, await example.wrong(stage));
      same(`asleep at ${about(calls, n)}: it ends as undisturbed`, await example.done(stage), end);
    }
    return `${calls.length} calls`;
  });
}

/** All of workerd is killed before and after each call; a new process goes on with what it finds. */
async function killed(example) {
  const folder = await mkdtemp(path.join(tmpdir(), "fencepost-example-"));
  try {
    return await killedIn(folder, example);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function killedIn(folder, example) {
  const [wire, morning, copy] = [new Wire(), path.join(folder, "morning"), path.join(folder, "copy")];
  const { calls, end } = await onStage(example, { wire, persist: morning }, async (stage) => {
    const told = await undisturbed(stage, example, wire);
    await stage.reset();
    return told;
  });
  for (const fate of ["hangs on the way", "answer hangs"]) {
    for (let n = 1; n <= calls.length; n += 1) {
      await cp(morning, copy, { recursive: true });
      example.forget?.();
      const doomed = await start(example, { wire, persist: copy });
      try {
        wire.heed((_, number) => (number === n ? fate : "pass"));
        const hung = wire.hung();
        const run = doomed.fire("one").then(() => "at its end", () => "cut off");
        await hung;
        doomed.kill();
        same(`a run that is killed answers nothing`, await run, "cut off");
      } finally {
        await doomed.stop();
      }
      wire.heed(PASS);
      await onStage(example, { persist: copy }, (stage) => checkEnd(`killed when ${about(calls, n)} ${fate}`, stage, example, end));
      await rm(copy, { recursive: true });
    }
  }
  return `${2 * calls.length} kills`;
}

/** What goes wrong around every example. */
export const FAULTS = { twoAtOnce, lostAnswers, takenOver, killed };
