// The monthly job: three months of two tenants are missing, of a third the last two alone.
//
// The Workers have the clock of the database, so what is to be done is told by the month that it
// shows. Nobody who plays this at the turn of a month shall be told of a fault that is none: the
// months are asked for anew with each filling, and what comes to be over meanwhile is left out.

import { same } from "../checks.mjs";
import { checkEnd } from "./faults.mjs";
import { onStage } from "./stage.mjs";

/** Since how many months each tenant is a customer. */
const SINCE = [3, 3, 2];

/** The month so many months ago, as the database says it. */
const ago = (months) => `strftime('%Y-%m', 'now', 'start of month', '-${months} months')`;

/** What has to be invoiced: tenant and month. */
let expected = [];

/** Rows that are swallowed: no error, but nothing is written where an invoice should be. */
async function swallowedRows(example) {
  return onStage(example, {}, async (stage) => {
    await stage.reset();
    await stage.fire("one");
    const end = await example.done(stage);
    await stage.reset();
    await stage.sql(["CREATE TRIGGER swallow BEFORE INSERT ON invoices BEGIN SELECT raise(IGNORE); END"]);
    await stage.fire("one");
    const { invoice_runs, invoice_numbers, run_receipts } = await stage.rows();
    same("nothing is written by halves", [...invoice_runs, ...invoice_numbers, ...run_receipts], []);
    await stage.sql(["DROP TRIGGER swallow"]);
    await checkEnd("when they are written again", stage, example, end);
    return "1 run";
  });
}

export const example = {
  build: "examples/monthly/build",
  migrations: "examples/monthly/migrations",
  vars: { CATCH_UP_MONTHS: "12" },
  faults: { swallowedRows },

  async fill(stage) {
    const tenants = SINCE.map((months, i) => `(${i + 1}, 'Tenant ${i + 1}', ${1000 + i}, ${ago(months)}, ${ago(1)})`);
    const missing = SINCE.flatMap((months, i) => Array.from({ length: months }, (_, n) => `(${i + 1}, ${ago(months - n)})`));
    const [, rows] = await stage.sql(
      [`INSERT INTO tenants (tenant_id, name, monthly_fee_cents, since_month, until_month) VALUES ${tenants}`],
      [`SELECT column1 || '/' || column2 AS run FROM (VALUES ${missing}) ORDER BY column1, column2`],
    );
    expected = rows.map(({ run }) => run);
  },

  async done(stage) {
    const { invoices, invoice_numbers, run_receipts } = await stage.rows();
    return {
      invoiced: invoices.map(({ run_id, amount_cents }) => `${run_id}: ${amount_cents}`).sort(),
      numbers: invoices.map(({ number }) => number).sort((a, b) => a - b),
      last: invoice_numbers.map(({ last_number }) => last_number),
      receipts: run_receipts.length,
    };
  },

  async wrong(stage) {
    const { invoices, invoice_runs } = await stage.rows();
    const byNumber = invoices.toSorted((a, b) => a.number - b.number);
    const got = byNumber.map(({ run_id }) => run_id);
    const runs = invoice_runs.map(({ run_id }) => run_id);
    const ofTenant = (tenant) => byNumber.filter(({ tenant_id }) => tenant_id === tenant).map(({ month }) => month);
    return [
      ...got.filter((run, i) => got.indexOf(run) !== i).map((run) => `twice: ${run}`),
      ...expected.filter((run) => !got.includes(run)).map((run) => `never: ${run}`),
      ...got.filter((run) => !expected.includes(run)).map((run) => `not to be: ${run}`),
      ...got.filter((run) => !runs.includes(run)).map((run) => `without a run: ${run}`),
      ...byNumber.filter(({ number }, i) => number !== i + 1).map(({ number }) => `after a gap: ${number}`),
      ...SINCE.map((_, i) => i + 1)
        .filter((tenant) => ofTenant(tenant).some((month, i, all) => i > 0 && month < all[i - 1]))
        .map((tenant) => `out of order: tenant ${tenant}`),
    ];
  },
};
