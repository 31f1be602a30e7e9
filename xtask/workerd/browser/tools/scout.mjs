// What can be found out about a price by asking, as programs ask: by nobody's game, and
// counted nowhere.

import { same } from "../../checks.mjs";

const MOST = 99_999_999;

/** Cents, as somebody types them. */
export const typed = (cents) => (cents / 100).toFixed(2);

/** Asks the game at `url` as a program does, and answers what it is told. */
export function asker(url, puzzle) {
  const post = async (path, body) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    const told = await response.json();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(told)}`);
    return told;
  };
  const guess = (guess_cents, game) => post(`/api/puzzles/${puzzle}/guess`, { guess_cents, ...(game && { game }) });
  return { guess, report: (game) => post("/api/results", { game }) };
}

/**
 * Guesses in `cents` that are right, close and far, found by what is said to guesses; and
 * between which prices a bisection finds the right one with six guesses at most.
 */
export async function scout(url, puzzle) {
  const { guess } = asker(url, puzzle);
  let [low, right, high] = [1, 1, MOST];
  for (let told = await guess(right); told.verdict !== "correct"; told = await guess(right)) {
    if (told.verdict === "higher") low = right + 1;
    else high = right - 1;
    right = Math.round(Math.sqrt(low * high));
  }
  const [far, close] = [0.5, 0.97].map((share) => Math.round(right * share));
  for (const [cents, isClose] of [[far, false], [close, true]]) {
    const { verdict, close } = await guess(cents);
    same(`what is said to ${typed(cents)}`, [verdict, close], ["higher", isClose]);
  }
  return { right, close, far, bounds: [0.8, 1.3].map((share) => Math.round(right * share)) };
}

/** The number that the next result gets, which is used up by this. */
export async function nextNumber(url, puzzle, { right }) {
  const { guess, report } = asker(url, puzzle);
  const { game } = await guess(right);
  return (await report(game)).slot;
}
