// A dry run on D1, which has no ROLLBACK: each item is a batch that fails. It tells what the
// run then does, counts honestly, and leaves every table as it is. And what explains an item
// is what a run reports of it.

import { same } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";

const DAYS = 6;
const FIRST = 1000;
const TABLES = [
  "alert_episodes", "answer_posts", "bank_edits", "commit_receipts", "daily_quotas", "daily_results", "job_leases", "job_runs",
  "operator_actions", "outbox", "outbox_cursor", "publication_items", "puzzles", "site_state", "source_images", "visibility_instants",
];

export async function rehearsed({ build }) {
  const workers = { "site-free": { FENCEPOST_QUERY_BUDGET: "50" } };
  await withSites({ build, workers }, async (sites) => {
    const ask = (method, path, body) => sites.admin("site-free", method, path, body);
    const puzzles = Array.from({ length: DAYS }, (_, i) => puzzle(FIRST + i, DAYS - i));
    await ask("POST", "/puzzles", { puzzles });
    const tables = () => sites.rows(...TABLES);
    const before = await tables();

    const told = await ask("POST", "/jobs/publish?dry_run=true");
    same("a dry run says so", [told.dry_run, told.counts, told.revision], [true, { published: 4 }, 4]);
    same("it stops in time", [told.interrupted, told.budget], [true, { spent: 46, limit: 50 }]);
    same("revisions are counted on", told.items.map((item) => item.revision), [1, 2, 3, 4]);
    same("and nothing has changed", await tables(), before);

    const done = await ask("POST", "/jobs/publish");
    same("the run does what was told", [done.items, done.revision], [told.items, told.revision]);

    await ask("POST", "/pause");
    const left = FIRST + DAYS - 1;
    const named = async () => (await ask("GET", `/items/${left}`)).blocked_by.map((it) => it.predicate);
    same("a pause is what keeps an item back", await named(), ["not_paused"]);
    const [listed, refused] = [await ask("POST", "/jobs/publish?dry_run=true"), await ask("POST", "/jobs/publish")];
    same("a dry run and a run report the same", listed.items, refused.items);
    same("by the same name", refused.items[0].blocked_by, await named());
    await ask("POST", "/resume");
    same("nothing is named any more", await named(), []);
    same("then the rest comes out", (await ask("POST", "/jobs/publish")).counts, { published: 2 });
  });
}
