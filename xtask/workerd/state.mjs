// The state of a site: everything that it stores, kept, put back and compared.

import { eventually } from "./checks.mjs";

/** What runs, attempts and clocks leave behind. Two sites may differ in it and be the same. */
const INCIDENTAL = new Set([
  "commit_token", "edit_token", "owner_id", "fence", "attempts", "next_attempt_at", "expires_at", "published_at",
  "updated_at", "edited_at", "committed_at", "token", "at",
]);

/** All rows, and which objects there are: an object never changes. */
export async function take(sites) {
  return { rows: await sites.rows(), keys: await sites.keys() };
}

/** Makes the state what it was when it was taken. */
export async function putBack(sites, { rows, keys }) {
  const tables = Object.keys(rows);
  const insert = (table) => {
    const columns = Object.keys(rows[table][0]);
    const values = columns.map((column) => `value ->> '${column}'`);
    return [`INSERT INTO ${table} (${columns}) SELECT ${values} FROM json_each(?)`, JSON.stringify(rows[table])];
  };
  await sites.sql(
    ...tables.toReversed().map((table) => [`DELETE FROM ${table}`]),
    ...tables.filter((table) => rows[table].length > 0).map(insert),
  );
  const stray = (await sites.keys()).filter((key) => !keys.includes(key));
  if (stray.length > 0) await sites.bucket.delete(stray);
}

/** Whether a deed is told of because of when, not what: a run, or an item that was freed from who had it in hand. */
const isPassing = ({ action, detail }) =>
  action === "run" || (action === "retry" && JSON.parse(detail).from === "processing");

/** What the site stores, but for what is incidental and for the record of runs and of who wanted them. */
export async function lasting(sites) {
  const { job_runs, operator_actions, ...others } = await sites.rows();
  const rows = { ...others, operator_actions: operator_actions.filter((deed) => !isPassing(deed)) };
  const kept = (row) => Object.entries(row).filter(([column]) => !INCIDENTAL.has(column));
  const instants = ([column, value]) => [column, column === "withdrawn_at" && value !== null ? "is set" : value];
  const stored = Object.entries(rows).map(([table, all]) => [
    table,
    all.map((row) => JSON.stringify(Object.fromEntries(kept(row).map(instants)))).sort().map(JSON.parse),
  ]);
  return Object.fromEntries([...stored, ["objects", await sites.keys()]]);
}

/** The record of all runs, when none is under way: readers may have started some. */
export async function whenQuiet(sites) {
  const runs = async () => (await sites.rows("job_runs")).job_runs;
  await eventually("all runs are over", async () => (await runs()).every((run) => run.finished_at !== null));
  return runs();
}
