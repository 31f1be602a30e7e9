// The places of a site: every kind of page that a reader can come to.

import { eventually } from "../../checks.mjs";
import { asker, scout } from "./scout.mjs";

/** A description with all that a bank may have in one, some of it wider than a phone. */
const DESCRIPTION = `Made of **cast iron**, and *heavy*; see [the maker's page](https://maker.example/teapots).

# In numbers

- 0.6 litres
- 2.4 kg, see \`weight\`

1. Fill it.
2. Wait.

> It pours like no other.
>
> > So they say.

## As a table

| size | litres | catalogue | scales | height | width | colour | manufacturer |
|---|---|---|---|---|---|---|---|
| small | 0.6 | 2.4 kg | 2.5 kg | 16 cm | 21 cm | black | somebody |

\`\`\`
a-line-that-is-much-longer-than-any-phone-is-wide-and-has-no-place-to-break-it-at-all-whatever-the-browser
\`\`\`

${"Donaudampfschifffahrt".repeat(6)}
`;

/** Two answers, one of which is as unwieldy as a bank allows. */
const ROWS = [
  { id: 1, play_date: "2024-02-01", name: "A cast-iron teapot", price_cents: 1899, description: DESCRIPTION },
  { id: 2, play_date: "2024-02-02", name: `A ${"very ".repeat(16)}long ${"Wort".repeat(20)}`, price_cents: 99999999 },
];

/**
 * Puts into a demo what it has not, and answers with all places: what each is called, its
 * path, the status that it answers with, and the form that is sent there, if one is. Beside
 * them, the number of the puzzle `today`, and what of its prices can be found out.
 */
export async function stocked({ url, admin }) {
  const status = () => admin("GET", "/status");
  await eventually("six answers are out", async () => (await status()).published >= 6);
  await admin("POST", "/puzzles", { puzzles: ROWS });
  await admin("POST", "/jobs/publish");
  const { items } = await admin("GET", "/items");
  const answers = items.filter((item) => item.state === "published").sort((a, b) => a.puzzle_id - b.puzzle_id);
  const [, , withdrawn, older, newer] = answers;
  await admin("POST", `/items/${withdrawn.puzzle_id}/withdraw`);
  const { now } = await status();
  const today = items.find((item) => item.play_date === new Date(now).toISOString().slice(0, 10));
  const preview = await admin("POST", `/items/${newer.puzzle_id}/preview`);
  const place = (name, path, status = 200) => ({ name, path, status });
  const prices = await scout(url, today.puzzle_id);
  const places = [
    place("home", "/"),
    place("answers", "/answers"),
    place("older-answers", `/answers?before=${newer.play_date}`),
    place("answer", `/answers/${older.puzzle_id}`),
    place("rich-answer", "/answers/1"),
    place("long-name", "/answers/2"),
    place("answer-of-today", `/answers/${today.puzzle_id}`, 404),
    place("unknown-address", "/nowhere", 404),
    place("withdrawn-answer", `/answers/${withdrawn.puzzle_id}`, 410),
    place("preview", preview.url.slice(url.length)),
    place("play-over", `/play/${older.puzzle_id}`, 410),
    ...(await gamesOf(url, today.puzzle_id, prices)),
  ];
  return { places, today: today.puzzle_id, prices };
}

/** What the page of the game is to a player, from before the first guess to each end. */
async function gamesOf(url, puzzle, { right, close, far }) {
  const { guess } = asker(url, puzzle);
  const after = async (...guesses) => {
    let game;
    for (const cents of guesses) ({ game } = await guess(cents, game));
    return game;
  };
  const [middle, won] = [await after(far, close), await after(far, 2 * right, close, right)];
  const lost = await after(far, 2 * right, far, far, close, far);
  const place = (name, form, status = 200) => ({ name: `play-${name}`, path: `/play/${puzzle}`, status, form });
  return [
    place("before"),
    place("middle", { game: middle }),
    place("no-price", { game: middle, guess: "1.899" }, 422),
    place("won", { game: won }),
    place("lost", { game: lost }),
  ];
}
