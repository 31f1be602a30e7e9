// A setting that cannot be stops the site, and the log names it. Running on a guess instead
// would publish at the wrong time.

import { same, says } from "../checks.mjs";
import { COMPENSATE, withSites } from "../sites.mjs";

export async function misconfigured({ build }) {
  const workers = {
    "site-lease": { FENCEPOST_LEASE_SECONDS: "0" },
    "site-clock": { FENCEPOST_ENVIRONMENT: "production" },
    "site-budget": { FENCEPOST_QUERY_BUDGET: "20" },
    "site-secret": { FENCEPOST_SECRET: "hunter2-is-much-too-short" },
  };
  await withSites({ build, workers }, async (sites) => {
    for (const name of Object.keys(workers)) {
      const response = await sites.ask(name, "/healthz");
      same(`${name} refuses`, [response.status, response.headers.get("cache-control")], [500, "no-store"]);
      says(name, await response.text(), "not set up correctly");
      same(`the cron of ${name} breaks nothing`, await sites.fire(COMPENSATE, [name]), ["ok"]);
    }
    says("the log", sites.log(), "FENCEPOST_LEASE_SECONDS cannot be used: write a whole number from 1 to 900");
    says("the log", sites.log(), "remove FENCEPOST_TEST_CLOCK_OFFSET_MS");
    says("the log", sites.log(), "FENCEPOST_QUERY_BUDGET cannot be used: write a whole number from 42 to 1000");
    says("the log", sites.log(), "FENCEPOST_SECRET cannot be used: a secret is one word of at least 32");
    same("the log shows no secret", sites.log().includes("hunter2"), false);
    same("no job ran", await sites.rows("job_runs"), { job_runs: [] });
  });
}
