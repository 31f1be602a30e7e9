// The free plan: an invocation may make fifty calls, and every statement is one. A run stops
// in time and tells how much is left, and no invocation makes a call too many.

import { eventually, same, says } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { COMPENSATE, withSites } from "../sites.mjs";

const DAYS = 6;
const puzzles = (first, days, image) =>
  Array.from({ length: days }, (_, i) => puzzle(first + i, days - i + (first - 1000), image));

export async function frugal({ build, host }) {
  const workers = { "site-free": { FENCEPOST_QUERY_BUDGET: "50" } };
  await withSites({ build, workers }, async (sites) => {
    const bank = (puzzles) => sites.admin("site-free", "POST", "/puzzles", { puzzles });
    const run = async () => {
      const { counts, left, interrupted, budget } = await sites.admin("site-free", "POST", "/jobs/publish");
      return { published: counts.published, left, interrupted, ...budget };
    };
    await bank(puzzles(1000, DAYS));
    same("four pages are affordable", await run(), { published: 4, left: 2, interrupted: true, spent: 47, limit: 50 });
    same("then the rest", await run(), { published: 2, left: 0, interrupted: false, spent: 28, limit: 50 });

    // Three redirects and the photo, and a bucket that is asked once; then once more, as it has the photo.
    for (const [id, spent] of [[1101, 31], [1102, 32]]) {
      await bank([puzzle(id, id - 1000, `${host.url}/hop/3`)]);
      const once = { published: 1, left: 0, interrupted: false, spent, limit: 50 };
      same("every address and every look into the bucket counts", await run(), once);
    }

    await bank(puzzles(1200, DAYS));
    const reader = await sites.ask("site-free", "/");
    same("a reader gets the page", reader.status, 200);
    await reader.text();
    const overdue = async () => (await sites.admin("site-free", "GET", "/status")).overdue;
    await eventually("the run behind it publishes what the reader leaves of the calls", async () => (await overdue()) === 3);
    same("the cron goes on", [await sites.fire(COMPENSATE, ["site-free"]), await overdue()], [["ok"], 0]);
    says("the log", sites.log(), '"limit":40');
    says("the log", sites.log(), '"left":3');

    await bank(puzzles(1300, 40));
    const reports = [];
    while (reports.at(-1)?.left !== 0 && reports.length < 40) reports.push(await run());
    same("a backlog of forty comes out in ten runs", reports.map((report) => report.left), [36, 32, 28, 24, 20, 16, 12, 8, 4, 0]);
    same("none of which spends too much", reports.filter((report) => report.spent > 50), []);
    console.table(reports);
    same("all is out once", (await sites.rows("commit_receipts")).commit_receipts.length, 2 * DAYS + 2 + 40);
  });
}
