// Everything taken out of a Worker that may make fifty calls: an answer ends with them, says
// where to go on, and what comes of that is all of it, once.

import { same } from "../checks.mjs";
import { TOKEN } from "../admin.mjs";
import { puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";

/** More than fifty pages of two hundred rows. */
const PUZZLES = 10_050;
const FIRST = 1000;

export async function exported({ build }) {
  const workers = { "site-free": { FENCEPOST_QUERY_BUDGET: "50" } };
  await withSites({ build, workers }, async (sites) => {
    const puzzles = Array.from({ length: PUZZLES }, (_, i) => puzzle(FIRST + i, -i));
    const imported = await sites.admin("site-free", "POST", "/puzzles", { puzzles });
    same("all of it is imported", imported.inserted, PUZZLES);
    const part = async (path) => {
      const response = await sites.ask("site-free", path, { headers: { authorization: `Bearer ${TOKEN}` } });
      const rows = (await response.text()).split("\n").filter(Boolean);
      return { status: response.status, link: response.headers.get("link"), kept: response.headers.get("cache-control"), rows };
    };
    const parts = [await part("/admin/api/export/bank")];
    while (parts.at(-1).link && parts.length < 9) parts.push(await part(parts.at(-1).link.match(/^<(.*)>; rel="next"$/)[1]));
    same("it comes in two parts", parts.map(({ status, rows }) => [status, rows.length]), [[200, 10_000], [200, PUZZLES - 10_000]]);
    same("which nobody keeps", parts.map(({ kept }) => kept), ["no-store", "no-store"]);
    const rows = parts.flatMap(({ rows }) => rows.map((row) => JSON.parse(row)));
    same("together they are all of it, once", rows.map(({ id }) => id), puzzles.map(({ id }) => id));

    const again = await sites.admin("site-free", "POST", "/puzzles", { puzzles: rows });
    same("imported again, it changes nothing", [again.inserted, again.updated, again.unchanged], [0, 0, PUZZLES]);
    const stranger = await sites.ask("site-free", "/admin/api/export/bank");
    same("a stranger gets none of it", [stranger.status, (await stranger.text()).includes("price_cents")], [401, false]);
  });
}
