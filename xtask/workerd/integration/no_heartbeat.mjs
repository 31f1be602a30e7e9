// The crons stop, and somebody is told: by the API, by the metrics and on the dashboard.
//
// A cron that is not deployed, or that the platform lost, says nothing, and neither does a site
// that nobody reads. What is known is when the last run ended. So one database is looked at by
// Workers whose clocks show later and later; after two intervals they complain, and after the
// next run they do not. Nobody waits, and nobody reads, since a reader would start a run.

import { same, says } from "../checks.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, TOKEN, withSites } from "../sites.mjs";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The answer of yesterday's puzzle is due, and this is when the cron fires. */
const START = Date.parse("2026-11-28T00:10:00Z");
const ID = 1001;
/** What passes between two events of a test. */
const SLACK = MINUTE;

export async function noHeartbeat({ build }) {
  const ahead = (ms) => ({ ahead: ms });
  const workers = {
    now: {},
    "an hour later": ahead(HOUR),
    "soon two hours": ahead(2 * HOUR - SLACK),
    "over two hours": ahead(2 * HOUR + SLACK),
    "soon two days": ahead(2 * DAY + 20 * MINUTE - SLACK),
    "over two days": ahead(2 * DAY + 20 * MINUTE + SLACK),
  };
  await withSites({ build, workers, now: START }, async (sites) => {
    const alerts = async (name) => {
      const { alerts } = await sites.admin(name, "GET", "/status");
      return alerts.map(({ kind, job, count }) => [kind, job ?? null, count]);
    };
    const NONE = ["no_heartbeat", null, 1];
    const silent = (job) => ["no_heartbeat", job, 1];

    same("an empty site has no complaints", await alerts("now"), []);
    await sites.admin("now", "POST", "/puzzles", { puzzles: [puzzle(ID, 1), puzzle(ID + 1, 0), puzzle(ID + 2, -3)] });
    same("nothing ever ran", await alerts("now"), [NONE]);
    same("both crons fire", await sites.fire(PUBLISH, ["now"]).then(async (first) => [...first, ...(await sites.fire(COMPENSATE, ["now"]))]), ["ok", "ok"]);
    same("all is well", await alerts("now"), []);
    same("and stays so", [await alerts("an hour later"), await alerts("soon two hours")], [[], []]);

    same("two intervals of compensate", await alerts("over two hours"), [silent("compensate")]);
    await told(sites, "over two hours", 1);
    const late = ["overdue", null, 1];
    same("of publish not yet", await alerts("soon two days"), [late, silent("compensate")]);
    same("two intervals of publish", await alerts("over two days"), [late, silent("publish"), silent("compensate")]);
    await told(sites, "over two days", 2);

    same("the next cron fires", await sites.fire(COMPENSATE, ["over two hours"]), ["ok"]);
    same("and all is well", await alerts("over two hours"), []);
    await told(sites, "over two hours", 0);
    same("both crons fire again", [...(await sites.fire(PUBLISH, ["over two days"])), ...(await sites.fire(COMPENSATE, ["over two days"]))], ["ok", "ok"]);
    same("and all is well for good", await alerts("over two days"), []);
    same("what was late is out", (await sites.rows("answer_posts")).answer_posts.map(({ puzzle_id }) => puzzle_id), [ID, ID + 1]);
    await doctor(sites);
  });
}

/** Whether the metrics tell so many jobs that give no sign of life, to whoever has the token. */
async function told(sites, name, count) {
  const stranger = await sites.ask(name, "/metrics");
  same(`${name}: metrics are not for strangers`, [stranger.status, (await stranger.text()).includes("fencepost_")], [401, false]);
  const metrics = await sites.ask(name, "/metrics", { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await metrics.text();
  same(`${name}: metrics`, [metrics.status, metrics.headers.get("content-type")], [200, "text/plain; version=0.0.4; charset=utf-8"]);
  says(`${name}: metrics`, text, `fencepost_alerts{kind="no_heartbeat",severity="alert"} ${count}\n`);
  const page = await sites.ask(name, "/admin/api/doctor", { headers: { authorization: `Bearer ${TOKEN}` } });
  const { checks } = await page.json();
  const { status } = checks.find((check) => check.name === "heartbeat");
  same(`${name}: the doctor says the same`, status, count === 0 ? "ok" : "failure");
}

/** What the doctor finds in here: a clock that is shifted, as tests do, and a bucket that works. */
async function doctor(sites) {
  const before = await sites.keys();
  const { checks } = await sites.admin("now", "GET", "/doctor");
  const status = (name) => checks.find((check) => check.name === name)?.status;
  same("its clock is another than that of the database", [status("clock"), status("photo_store"), status("secret"), status("origin")], ["warning", "ok", "ok", "ok"]);
  same("the probe is gone", await sites.keys(), before);
}
