// Runs the contract of the store ports on D1 inside workerd, case by case, and then
// random histories of the model and of D1 side by side.
//
//   node contract.mjs BUILD_FOLDER HISTORIES STEPS
//
// A case that fails ends its instance; its message is in the Worker's log, which is
// collected and shown.

import { Miniflare, Log, LogLevel } from "miniflare";
import { built } from "./built.mjs";
import { migrate } from "./migrations.mjs";

const [build, histories, steps] = process.argv.slice(2);

const said = [];
const miniflare = new Miniflare({
  name: "contract",
  ...built(build),
  compatibilityDate: "2026-04-01",
  d1Databases: { DB: "contract" },
  log: new Log(LogLevel.NONE),
  handleRuntimeStdio(stdout, stderr) {
    for (const stream of [stdout, stderr]) stream.on("data", (data) => said.push(data.toString()));
  },
});

let failed = 0;
let passed = 0;
try {
  await migrate(await miniflare.getD1Database("DB"));
  const cases = await (await miniflare.dispatchFetch("http://worker/")).json();
  // An empty list would pass.
  if (cases.length < 150) throw new Error(`the contract has only ${cases.length} cases`);
  for (const name of cases) await check(name, `case/${name}`);
  for (let seed = 0; seed < Number(histories); seed += 1) {
    await check(`history of seed ${seed}`, `history/${seed}/${steps}`);
  }
} finally {
  await miniflare.dispose();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function check(name, address) {
  said.length = 0;
  let problem;
  try {
    const response = await miniflare.dispatchFetch(`http://worker/${address}`, { method: "POST" });
    const text = await response.text();
    if (!response.ok) problem = `${response.status}: ${text}`;
  } catch (error) {
    problem = String(error);
  }
  if (problem === undefined) {
    passed += 1;
    return;
  }
  failed += 1;
  console.log(`--- ${name}\n${said.join("")}\n${problem}\n`);
}
