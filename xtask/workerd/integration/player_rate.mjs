// How often one address may guess and report, where the platform counts. One too many is told
// when to come again, before anything is asked of the store; others are let through. Without
// a binding nobody is counted, and a binding that does not work closes no game.

import { same, says } from "../checks.mjs";
import { guess, report } from "../games.mjs";
import { puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";

const TODAY = 1007;
const RATE = 3;
const [LIMITED, UNLIMITED, BROKEN] = ["site-limited", "site-unlimited", "site-broken"];
/** Who asks, how, and with which status it is answered. With each try, T is another number. */
const REQUESTS = [
  ["192.0.T.1", "guess", 200],
  ["192.0.T.1", "report", 422],
  ["192.0.T.1", "guess", 200],
  ["192.0.T.1", "guess", 429],
  ["192.0.T.1", "report", 429],
  ["192.0.T.2", "guess", 200],
  ["2001:db8:T:1::1", "guess", 200],
  ["2001:db8:T:1::2", "guess", 200],
  ["2001:db8:T:1:ffff::3", "guess", 200],
  ["2001:db8:T:1::4", "guess", 429],
  ["2001:db8:T:2::1", "guess", 200],
];

export async function playerRate({ build }) {
  const workers = { [LIMITED]: { rate: RATE }, [UNLIMITED]: {}, [BROKEN]: { PLAYER_RATE: "120" } };
  await withSites({ build, workers }, async (sites) => {
    await sites.admin(LIMITED, "POST", "/puzzles", { puzzles: [puzzle(TODAY, 0)] });
    const ask = (name, address, way) => {
      const from = { "cf-connecting-ip": address };
      return way === "guess" ? guess(sites, name, TODAY, 1, {}, from) : report(sites, name, "no-game", from);
    };
    const answers = await withinAMinute(async (tried) => {
      const answers = [];
      for (const [address, way] of REQUESTS) answers.push(await ask(LIMITED, address.replace("T", tried), way));
      return answers;
    });
    same("each address has a rate of its own", answers.map(({ status }) => status), REQUESTS.map(([, , status]) => status));
    const refused = answers.filter(({ status }) => status === 429);
    const told = refused.map(({ type, retryAfter, told }) => [type, retryAfter, told.type]);
    const expected = ["application/problem+json", "60", "urn:fencepost:problem:too-many-requests"];
    same("one too many is told when to come again", told, refused.map(() => expected));
    const page = await sites.ask(LIMITED, "/", { headers: { "cf-connecting-ip": "192.0.2.1" } });
    same("and may read", [page.status, (await page.text()).length > 0], [200, true]);

    for (const name of [UNLIMITED, BROKEN]) {
      const statuses = [];
      for (let nth = 0; nth <= 2 * RATE; nth += 1) statuses.push((await ask(name, "192.0.2.1", "guess")).status);
      same(`${name} lets everybody pass`, statuses.filter((status) => status !== 200), []);
    }
    says("the log", sites.log(), "the binding PLAYER_RATE does not count, so nobody is limited");
  });
}

/** Does something within one minute of the clock by which the platform counts, after which it counts anew. */
async function withinAMinute(act) {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (let tried = 0; ; tried += 1) {
    const begun = minute();
    const answers = await act(tried);
    if (minute() === begun) return answers;
  }
}
