// The instant at which the tests play, and the puzzles that they play with.

export const DAY = 86_400_000;
export const NOW = Date.parse("2026-11-28T12:00:00Z");

/** A puzzle played `days` ago, with a photo at the address `image`, if it has one. */
export function puzzle(id, days, image) {
  const play_date = new Date(NOW - days * DAY).toISOString().slice(0, 10);
  const row = { id, play_date, name: `Thing ${id}`, price_cents: id, description: `The *thing* ${id}.` };
  return image === undefined ? row : { ...row, image_url: image };
}
