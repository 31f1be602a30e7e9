// The host of a photo fails, and recovers.
//
// A host that answers 500 says nothing of the photo, so its answer must wait, and say what
// for; but it must wait alone, and a host in trouble must not be asked without end. When it
// recovers, the next run after the wait publishes, once.

import { same, says } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";

const [BEFORE, WAITING, AFTER] = [1101, 1102, 1103];
const path = (id) => `/photo/${id}`;

export async function failingHost({ build, host }) {
  host.forget();
  // The first wait is a minute.
  const workers = { site: {}, "site-soon": { ahead: 30_000 }, "site-later": { ahead: 90_000 } };
  await withSites({ build, workers }, async (sites) => {
    const puzzles = [BEFORE, WAITING, AFTER].map((id, i) => puzzle(id, 3 - i, host.url + path(id)));
    await sites.admin("site", "POST", "/puzzles", { puzzles });
    const out = async () => (await sites.rows("commit_receipts")).commit_receipts.map((receipt) => receipt.puzzle_id).sort();
    const item = () => sites.admin("site", "GET", `/items/${WAITING}`);
    const table = [];
    const fire = async (what, cron, name) => {
      await sites.fire(cron, [name]);
      const { state, attempts } = await item();
      table.push({ when: what, out: (await out()).join(" "), [`${WAITING} is`]: state, attempts, downloads: host.times(path(WAITING)) });
    };

    host.fail(path(WAITING), 500);
    await fire("the host fails", PUBLISH, "site");
    same("the others are out", await out(), [BEFORE, AFTER]);
    const { state, attempts, image, blocked_by } = await item();
    same("the item waits", [state, attempts, image.state], ["scheduled", 1, "failed"]);
    same("it tells why", blocked_by.map((hindrance) => hindrance.predicate), ["image_ready"]);
    for (const part of ["answered 500 Internal Server Error", "the next run tries again"]) {
      says("the photo", image.error, part);
      says("what blocks the item", blocked_by[0].detail, part);
    }
    const page = await sites.ask("site", `/answers/${WAITING}`);
    same("its page says to come back", [page.status, page.headers.has("retry-after")], [404, true]);
    await page.text();

    await fire("the host fails still", COMPENSATE, "site-soon");
    same("a host in trouble is left alone for a while", host.times(path(WAITING)), 1);
    host.mend(path(WAITING));
    await fire("the host has recovered", COMPENSATE, "site-soon");
    same("and nothing is known of that yet", [await out(), host.times(path(WAITING))], [[BEFORE, AFTER], 1]);
    await fire("the wait is over", COMPENSATE, "site-later");
    await fire("and afterwards", COMPENSATE, "site-later");
    same("the answer is out, once", [await out(), host.times(path(WAITING))], [[BEFORE, WAITING, AFTER], 2]);
    same("with its photo", (await item()).image.state, "ready");
    same("the site verifies", await sites.admin("site", "GET", "/verify"), { ok: true, violations: [] });
    console.table(table);
  });
}
