// The daily game, as it is played over the API of a Worker.

/** Sends a player's JSON; answers with the status, its kind, what was told, and when to come again. */
async function send(sites, name, path, body, headers) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
  const response = await sites.ask(name, `/api${path}`, init);
  const told = await response.json();
  return { status: response.status, type: response.headers.get("content-type"), retryAfter: response.headers.get("retry-after"), told };
}

/** Guesses `cents` at a Worker: the next guess of a `game`, or the first one of a `session_id`. */
export const guess = (sites, name, id, cents, of, headers) => send(sites, name, `/puzzles/${id}/guess`, { guess_cents: cents, ...of }, headers);

/** Reports the result of a game. */
export const report = (sites, name, game, headers) => send(sites, name, "/results", { game }, headers);

/**
 * Plays a game to its end, each guess at the next of the Workers `names`. A player is a
 * function that is told the last verdict, if there is one, and guesses. Answers with what was
 * told at the end, and hands each guess to `look`.
 */
export async function play(sites, names, id, session_id, player, look = () => {}) {
  let last;
  for (let nth = 0; !last?.over; nth += 1) {
    const cents = player(last?.verdict);
    const of = last === undefined ? { session_id } : { game: last.game };
    const { status, told } = await guess(sites, names[nth % names.length], id, cents, of);
    if (status !== 200) throw new Error(`guess ${nth} of ${session_id}: ${status} ${JSON.stringify(told)}`);
    look(cents, told);
    last = told;
  }
  return last;
}

/** Somebody who halves what is left between one cent and `top`. */
export function halving(top) {
  let [low, high, cents] = [1, top];
  return (verdict) => {
    if (verdict === "higher") low = cents + 1;
    if (verdict === "lower") high = cents - 1;
    return (cents = Math.max(1, Math.floor((low + high) / 2)));
  };
}

/** Somebody who guesses the same all the time. */
export const stubborn = (cents) => () => cents;

/** What has to be said to a guess, as the rules of the game have it. */
export function judged(price, cents) {
  const off = Math.abs(cents - price);
  const within = (percent, least) => off <= Math.max(least, Math.floor((price * percent) / 100));
  const verdict = within(1, 5) ? "correct" : cents < price ? "higher" : "lower";
  return { verdict, close: within(5, 25) };
}

/** The results of all puzzles, in the order of their slots. */
export async function results(sites) {
  const { daily_results } = await sites.rows("daily_results");
  return daily_results.sort((a, b) => a.puzzle_id - b.puzzle_id || a.slot - b.slot);
}
