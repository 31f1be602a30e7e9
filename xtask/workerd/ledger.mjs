// A ledger as long as a site's life, written at once: by its routes, it would take hours.

import { DAY, NOW } from "./puzzles.mjs";

/** The days before the ledger's end that are left free, for items that are published by the site itself. */
export const RECENT = 10;

/** How many answers came out on one day: a hundred thousand days ago, no clock had begun. */
const A_DAY = 5;

/** A ledger of `items` answers, all out, every second of them with a photo. */
export async function fill(sites, items) {
  const date = `date(${(NOW - (NOW % DAY)) / 1000}, 'unixepoch', '-' || (${RECENT} + days.i) || ' days')`;
  const opens = `(${NOW - (NOW % DAY)} - (${RECENT} + (days.i + ${A_DAY - 1}) / ${A_DAY}) * ${DAY})`;
  const due = `(${opens} + ${DAY} + 600000)`;
  // The oldest one has the first number.
  const id = `(${items} + 1 - days.i)`;
  const name = `'Thing ' || ${id}`;
  const url = `'https://photos.example/' || ${id}`;
  const key = `printf('%064x.png', ${id})`;
  const WITH_PHOTO = "days.i % 2 = 0";
  const insert = (table, values, where = "true") => {
    const columns = Object.keys(values).join(", ");
    return [
      `WITH RECURSIVE days (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM days WHERE i < ${items})
       INSERT INTO ${table} (${columns}) SELECT ${Object.values(values).join(", ")} FROM days WHERE ${where} ORDER BY days.i DESC`,
    ];
  };
  const content = { play_date: date, name, price_cents: id };
  const image = `iif(${WITH_PHOTO}, ${url}, NULL)`;
  await sites.sql(
    insert("puzzles", {
      puzzle_id: id, ...content, opens_at: opens, playable_until: `${opens} + ${DAY}`, description: "''", image_url: image,
      bank_version: 1, edit_token: "'filled'",
    }),
    insert("publication_items", { puzzle_id: id, state: "'published'", due_at: due }),
    [
      `INSERT INTO visibility_instants (instant) SELECT opens_at FROM puzzles UNION SELECT playable_until FROM puzzles
       UNION SELECT due_at FROM publication_items`,
    ],
    insert("answer_posts", {
      puzzle_id: id, ...content, content_version: 1, commit_token: `'token-' || ${id}`, bank_version: 1, body_html: "''",
      image_key: `iif(${WITH_PHOTO}, ${key}, NULL)`, indexable: `iif(${WITH_PHOTO}, 1, 0)`, published_at: due, updated_at: due,
    }),
    insert("commit_receipts", {
      commit_token: `'token-' || ${id}`, puzzle_id: id, kind: "'publish'", owner_id: "'filler'", fence: 1, content_version: 1,
      revision: id, committed_at: due,
    }),
    insert("job_leases", { key: `'publication:' || ${id}`, owner_id: "'filler'", fence: 1, expires_at: 0, updated_at: due }),
    insert("daily_quotas", { utc_day: `${due} / ${DAY}`, published: A_DAY, quota: 100 }, `days.i % ${A_DAY} = 0`),
    insert(
      "source_images",
      { puzzle_id: id, image_url: url, state: "'ready'", object_key: key, content_type: "'image/png'", bytes: 1, updated_at: due },
      WITH_PHOTO,
    ),
    insert("job_runs", {
      run_id: `'run-' || ${id}`, job: "'compensate'", owner_id: "'filler'", utc_day: `${due} / ${DAY}`, started_at: due, finished_at: due,
    }),
    ["INSERT INTO bank_edits VALUES ('filled', ?, 0, 0, 0)", items],
    ["UPDATE site_state SET publication_revision = ?, bank_revision = 1", items],
  );
}
