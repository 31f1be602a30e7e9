// An operator asks for a run over the network and hangs up before it is done. On this
// machine the runtime lets a request go on by itself; Cloudflare ends it unless the Worker
// says otherwise, which this cannot show.

import { eventually, same } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { TOKEN, withSites } from "../sites.mjs";

const IDS = [1001, 1002, 1003, 1004, 1005, 1006];

export async function hungUp({ build, host }) {
  await withSites({ build, workers: { site: {} } }, async (sites) => {
    const puzzles = IDS.map((id) => puzzle(id, 1007 - id, `${host.url}/slow/${id}`));
    await sites.admin("site", "POST", "/puzzles", { puzzles });
    const asked = fetch(`${sites.url}/admin/api/jobs/publish`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: AbortSignal.timeout(700),
    });
    same("the operator hangs up", await asked.then(() => "answered", (error) => error.name), "TimeoutError");
    const out = async () => (await sites.rows("answer_posts")).answer_posts.length;
    same("not everything is out by then", (await out()) < IDS.length, true);
    await eventually("the run goes on to its end", async () => (await out()) === IDS.length);
  });
}
