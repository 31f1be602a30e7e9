// The games that were played in this browser, and what they amount to. Nobody else has
// them. A game is [date, guesses used, whether the price was found].

const DAY = 86_400_000;

/** The games among what was kept, whoever may have written there since: one for a date, the first. */
export function gamesIn(value) {
  const isGame = (game) =>
    Array.isArray(game) &&
    /^\d{4}-\d\d-\d\d$/.test(game[0]) &&
    !Number.isNaN(Date.parse(game[0])) &&
    Number.isInteger(game[1]) &&
    typeof game[2] === "boolean";
  const first = new Map();
  for (const game of value.filter(isGame)) if (!first.has(game[0])) first.set(game[0], game);
  return [...first.values()].sort(([a], [b]) => (a < b ? -1 : 1)).slice(-2000);
}

/** The games with one more, unless its date has one. */
export const withGame = (games, date, used, won) => gamesIn([...games, [date, used, won]]);

/**
 * How many there were, how many were won, how many in a row up to the day of `today`, and
 * the longest such row. A day that was lost or left out ends a row. Today does not, while it
 * can still be won.
 */
export function record(games, today) {
  const days = games.filter(([, , won]) => won).map(([date]) => Date.parse(date) / DAY);
  let [row, longest, last] = [0, 0, undefined];
  for (const day of days) {
    row = day - 1 === last ? row + 1 : 1;
    longest = Math.max(longest, row);
    last = day;
  }
  const lostToday = games.some(([date, , won]) => date === today && !won);
  const stands = Date.parse(today) / DAY - last <= 1 && !lostToday;
  return { played: games.length, won: days.length, streak: stands ? row : 0, longest };
}

/** What is kept under a name, or `otherwise`: a browser may keep nothing, or something else. */
export function kept(name, otherwise) {
  try {
    const value = JSON.parse(localStorage.getItem(name));
    const isAlike = typeof value === "object" && Array.isArray(value) === Array.isArray(otherwise);
    return value !== null && isAlike ? value : otherwise;
  } catch {
    return otherwise;
  }
}

/** The names under which anything is kept. */
export function keptNames() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Keeps something under a name, where the browser lets it. */
export function keep(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // The game goes on without.
  }
}
