// The crons stop, and somebody is told: by the API, by the metrics and on the dashboard.
//
// A cron that is not deployed, or that the platform lost, says nothing, and neither does a site
// that nobody reads. What is known is when the last run ended. So one database is looked at by
// Workers whose clocks show later and later; after two intervals they complain, and after the
// next run they do not. Nobody waits, and nobody reads, since a reader would start a run.
//
// A receiver is told of it as well: by the cron that still fires, of the one that does not,
// and by the first one that fires again, of the time in which none did. Two Workers notice
// each edge at once, and it has one key.

import { same, says } from "../checks.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, TOKEN, withSites } from "../sites.mjs";
import { webhookReceiver } from "../webhook_receiver.mjs";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The answer of yesterday's puzzle is due, and this is when the cron fires. */
const START = Date.parse("2026-11-28T00:10:00Z");
const ID = 1001;
const SECRET = "a-secret-of-the-receiver-of-events";
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
    same("who is told of nothing writes nothing", (await sites.rows("alert_episodes")).alert_episodes, []);
    same("what was late is out", (await sites.rows("answer_posts")).answer_posts.map(({ puzzle_id }) => puzzle_id), [ID, ID + 1]);
    await doctor(sites);
  });
}

/** What a receiver is told while crons stop and fire again, by two Workers at once. */
export async function toldOfAlerts({ build }) {
  const receiver = await webhookReceiver(SECRET);
  const listening = {
    FENCEPOST_WEBHOOK_URL: receiver.url,
    FENCEPOST_WEBHOOK_SECRET: SECRET,
    FENCEPOST_ALLOW_PRIVATE_WEBHOOK: "true",
    FENCEPOST_WEBHOOK_EVENTS: "alert_raised,alert_cleared",
    // As on the free plan.
    FENCEPOST_QUERY_BUDGET: "50",
  };
  const hours = { now: 0, later: 3, then: 4, "a day later": 29, "two days later": 50, "an hour after": 51, "two hours after": 52 };
  const workers = Object.fromEntries(
    Object.entries(hours).flatMap(([when, hour]) => ["ada", "bob"].map((name) => [`${name} ${when}`, { ahead: hour * HOUR, ...listening }])),
  );
  try {
    await withSites({ build, workers, now: START }, async (sites) => {
      let shown = 0;
      const both = async (cron, when) => {
        const ended = await sites.fire(cron, [`ada ${when}`, `bob ${when}`]);
        same(`${when}: both fire`, ended, ["ok", "ok"]);
        const news = receiver.got.slice(shown).map(({ key, told }) => [key, told.event, told.alert, told.job ?? null]);
        shown = receiver.got.length;
        return news.sort();
      };
      const raised = (number, alert, job) => [`alert-${number}-raised`, "alert_raised", alert, job];
      const cleared = (number, alert, job) => [`alert-${number}-cleared`, "alert_cleared", alert, job];
      const silent = (tell, number, job) => tell(number, "no_heartbeat", job);

      same("all is well", [await both(PUBLISH, "now"), await both(COMPENSATE, "now")], [[], []]);
      same("the first cron after three hours of none", await both(COMPENSATE, "later"), [silent(raised, 1, "compensate")]);
      same("an hour after that", await both(COMPENSATE, "then"), [silent(cleared, 1, "compensate")]);
      same("none fires for a day", await both(COMPENSATE, "a day later"), [silent(raised, 2, "compensate")]);
      same("publish has not fired for two days", await both(COMPENSATE, "two days later"), [silent(raised, 3, "publish")]);
      await sites.fire(PUBLISH, ["ada two days later"]);
      same("both crons fire again", await both(COMPENSATE, "an hour after"), [silent(cleared, 2, "compensate"), silent(cleared, 3, "publish")]);
      same("and all is well", await both(COMPENSATE, "two hours after"), []);

      same("each edge has one key, and was sent once", receiver.keys().length, new Set(receiver.keys()).size);
      same("everything was signed, and named", receiver.got.filter(({ signed, key, told }) => !signed || key !== told.id), []);
      const { outbox } = await sites.rows("outbox");
      same("everything is delivered", outbox.filter(({ state }) => state !== "delivered"), []);
      const { events } = await sites.admin("ada now", "GET", "/outbox");
      same("and listed", events.map(({ event_id }) => event_id).sort(), receiver.keys().sort());
      same("the site verifies", await sites.admin("ada now", "GET", "/verify"), { ok: true, violations: [] });
    });
  } finally {
    receiver.stop();
  }
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
