// No cron ever fires, and readers come by.
//
// A cron can be late, be lost, or be forgotten in a deployment. The first reader after the
// due instant finds that out, and a run is started behind the answer. A popular site has a
// hundred first readers, all in the same instant and on every Worker that there is; what
// they start must publish once, and fetch the photo once.

import { eventually, same } from "../checks.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";
import { whenQuiet } from "../state.mjs";

const ID = 1101;
const READERS = 100;
/** Today's puzzle is over at midnight, and its answer is due ten minutes later. */
const DUE = NOW - (NOW % DAY) + DAY + 600_000;
const EARLY = ["early-old", "early-new"];
const LATE = ["late-old", "late-new"];
const PATHS = ["/", "/answers", `/answers/${ID}`, "/answers/77", `/answers/${ID}?from=a-feed`];

export async function noCrons({ build, host, full }) {
  const table = [];
  for (let round = 1; round <= (full ? 10 : 1); round += 1) {
    host.forget();
    const ahead = (ms) => ({ ahead: DUE + ms - NOW });
    // The clocks go on: "early" has two minutes to be asked in.
    const workers = { "early-old": ahead(-120_000), "early-new": ahead(-120_000), "late-old": ahead(0), "late-new": ahead(0) };
    await withSites({ build, workers }, async (sites) => table.push(await play(sites, host)));
  }
  console.table(table);
}

async function play(sites, host) {
  const image = `/photo/${ID}`;
  await sites.admin("early-old", "POST", "/puzzles", { puzzles: [puzzle(ID, 0, host.url + image)] });

  await crowd(sites, EARLY, [404]);
  const { job_runs, answer_posts } = await sites.rows("job_runs", "answer_posts");
  same("before it is due, readers start nothing", [job_runs, answer_posts, host.times(image)], [[], [], 0]);

  const begun = Date.now();
  const met = await crowd(sites, LATE, [200, 404]);
  await eventually("the answer came out", async () => (await look(sites, LATE[0])).status === 200);
  const ms = Date.now() - begun;
  const runs = await whenQuiet(sites);
  for (const name of LATE) {
    const page = await look(sites, name);
    same(`${name} shows it`, [page.status, page.revision], [200, "1"]);
  }
  const { commit_receipts, site_state, daily_quotas, source_images } = await sites.rows(
    "commit_receipts", "site_state", "daily_quotas", "source_images",
  );
  same("one receipt", commit_receipts.map((receipt) => [receipt.puzzle_id, receipt.kind, receipt.revision]), [[ID, "publish", 1]]);
  same("the revision is one", site_state[0].publication_revision, 1);
  same("one page is counted", daily_quotas, [{ utc_day: Math.floor(DUE / DAY), published: 1, quota: 100, set_quota: null }]);
  same("one photo is stored", await sites.keys(), source_images.map((row) => row.object_key));
  same("and was fetched once", host.times(image), 1);
  same("every instance started one run at most", runs.length <= LATE.length, true);
  same("the site verifies", await sites.admin("late-new", "GET", "/verify"), { ok: true, violations: [] });

  await crowd(sites, LATE, [200]);
  same("once it is out, readers start nothing", (await whenQuiet(sites)).length, runs.length);
  return { readers: READERS, "saw it come": met[200] ?? 0, runs: runs.length, "ms until it was out": ms };
}

/** A hundred readers at once, on all of `names`; answers with how the answer's page was met. */
async function crowd(sites, names, statuses) {
  const asked = Array.from({ length: READERS }, async (_, i) => {
    const path = PATHS[i % PATHS.length];
    const response = await sites.ask(names[i % names.length], path);
    await response.text();
    return { path, status: response.status };
  });
  const met = {};
  for (const { path, status } of await Promise.all(asked)) {
    if (path.startsWith(`/answers/${ID}`)) {
      same(`a reader of ${path} met ${status}`, statuses.includes(status), true);
      met[status] = (met[status] ?? 0) + 1;
    } else same(`a reader of ${path} is served`, status, path === "/answers/77" ? 404 : 200);
  }
  return met;
}

async function look(sites, name) {
  const page = await sites.ask(name, `/answers/${ID}`);
  await page.text();
  return { status: page.status, revision: page.headers.get("x-publication-revision") };
}
