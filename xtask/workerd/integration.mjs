// The Worker inside workerd, in everything that can go wrong around it.
//
//   node integration.mjs BUILD_FOLDER ROUNDS (short|full) [SCENARIO]
//
// Each scenario stands in a file of its own, which tells what it shows. In the short form a
// scenario tries a few of its cases, in the full one all. All have one host of photos.

import { broke, failed, finish } from "./checks.mjs";
import { brokenRows } from "./integration/broken_rows.mjs";
import { costs } from "./integration/costs.mjs";
import { crowdedDay } from "./integration/crowded_day.mjs";
import { exported } from "./integration/exported.mjs";
import { failingBucket } from "./integration/failing_bucket.mjs";
import { failingHost } from "./integration/failing_host.mjs";
import { forgedGames } from "./integration/forged_games.mjs";
import { frugal } from "./integration/frugal.mjs";
import { headers } from "./integration/headers.mjs";
import { hungUp } from "./integration/hung_up.mjs";
import { killed } from "./integration/killed.mjs";
import { lastMillisecond } from "./integration/last_millisecond.mjs";
import { lostActions } from "./integration/lost_actions.mjs";
import { lostAnswers } from "./integration/lost_answers.mjs";
import { misconfigured } from "./integration/misconfigured.mjs";
import { noCrons } from "./integration/no_crons.mjs";
import { noHeartbeat, toldOfAlerts } from "./integration/no_heartbeat.mjs";
import { overlap } from "./integration/overlap.mjs";
import { playerRate } from "./integration/player_rate.mjs";
import { players } from "./integration/players.mjs";
import { rehearsed } from "./integration/rehearsed.mjs";
import { strangers } from "./integration/strangers.mjs";
import { twoDataCentres } from "./integration/two_data_centres.mjs";
import { webhooks } from "./integration/webhooks.mjs";
import { photoHost } from "./photo_host.mjs";

const SCENARIOS = {
  overlap, twoDataCentres, noCrons, noHeartbeat, toldOfAlerts, lostAnswers, lostActions, killed, failingBucket, failingHost, webhooks, strangers, brokenRows,
  hungUp, misconfigured, headers, frugal, exported, rehearsed, players, playerRate, forgedGames, lastMillisecond, crowdedDay, costs,
};

const [build, rounds, form, only] = process.argv.slice(2);
if (only !== undefined && !(only in SCENARIOS)) {
  console.log(`there is no scenario ${only}; there are ${Object.keys(SCENARIOS).join(", ")}`);
  process.exit(1);
}

const host = await photoHost();
const table = {};
for (const [name, play] of Object.entries(SCENARIOS)) {
  if (only !== undefined && only !== name) continue;
  console.log(`\n${name}:`);
  const [begun, failedBefore] = [Date.now(), failed()];
  await play({ build, host, rounds: Number(rounds), full: form === "full" }).catch((error) => broke(name, error));
  table[name] = { seconds: Math.round((Date.now() - begun) / 100) / 10, ok: failed() === failedBefore };
}
host.stop();
console.table(table);
finish();
