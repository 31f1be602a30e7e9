// A site with something in every state, and what of it a fuzzer may know.

import { eventually, same } from "../checks.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";

/** The puzzle that is being played. */
const OPEN = 1119;
const SESSION = "a-session-of-the-fuzzer";

/** Fills a site, plays a game to its end, and has some events refused. */
export async function stock(url, admin, host, receiver) {
  const row = (id, days, photo, rest = {}) => ({ ...puzzle(id, days, photo ? `${host.url}/photo/${id}` : undefined), ...rest });
  host.fail("/photo/1115", 503);
  host.fail("/photo/1113", 404);
  // What happened before the site first looks for a receiver is not told.
  await admin("POST", "/jobs/publish");
  await admin("POST", "/puzzles", {
    puzzles: [
      row(1113, 6, true), row(1114, 5, false), row(1115, 4, true), row(1116, 3, true), row(1117, 2, false),
      row(1118, 1, true, { name: "Lamp & shade" }), row(OPEN, 0, true, { price_cents: 123_450 }), row(1120, -1, true), row(1121, -2, false),
    ],
  });
  await admin("POST", "/items/1114/withdraw");
  receiver.behave(410, 500);
  await admin("POST", "/jobs/publish");
  await admin("POST", "/items/1116/withdraw");
  await eventually("an event is dead, one waits and one has arrived", async () => {
    // A Worker delivers at the end of a run.
    await admin("POST", "/jobs/compensate");
    const { events } = await admin("GET", "/outbox");
    return new Set(events.map(({ state }) => state)).size === 3;
  });
  const { items } = await admin("GET", "/items");
  same("there is an item in every state that lasts", [...new Set(items.map(({ state }) => state))].sort(), ["blocked", "published", "scheduled", "withdrawn"]);

  const play = async (body) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await (await fetch(`${url}/api/puzzles/${OPEN}/guess`, init)).json()).game;
  };
  const begun = await play({ guess_cents: 1, session_id: SESSION });
  const won = await play({ guess_cents: 123_450, session_id: SESSION });
  const keys = [];
  for (const id of [1116, 1118, OPEN]) keys.push((await admin("GET", `/items/${id}`)).image.object_key);
  const home = await (await fetch(url)).text();
  const link = (await admin("POST", `/items/${OPEN}/preview`)).url;
  const preview = await (await fetch(url + link.slice(new URL(link).origin.length))).text();
  const [photo] = preview.match(/\/preview\/[^"]+\/image\/[^"]+/g);
  return {
    ids: [1113, 1114, 1115, 1116, 1117, 1118, OPEN, OPEN, OPEN, 1120, 1121, 4711],
    open: OPEN,
    /** One that is played, one whose answer is out, and one that nobody may know. */
    examples: [OPEN, 1118, 1120],
    openKey: keys.at(-1),
    keys,
    guesses: [{ guess_cents: 1, game: begun }, { guess_cents: 1, game: won }, { guess_cents: 2 }],
    results: [{ game: won }, { game: begun }],
    reschedules: [{ due_at: new Date(NOW + 9 * DAY).toISOString() }, { due_at: NOW + 8 * DAY, expected_due_at: NOW }],
    /** By the path of the description, what its holder was given. */
    links: { "/preview/{id}": link, "/preview/{id}/image/{key}": new URL(photo.replaceAll("&#38;", "&"), url).href },
    events: ["publish-1117-v1", "publish-1116-v1", "publish-1118-v1", "withdraw-1116-v2", "publish-4711-v1"],
    assets: [...new Set(home.match(/(?<=\/assets\/)[^"]+/g))],
    photos: ["1113", "1115", "1116", "1118"].map((name) => `${host.url}/photo/${name}`),
  };
}
