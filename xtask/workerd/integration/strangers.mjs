// Photos from hosts that do not behave: that redirect without end, that send something else
// than they say, more than they say, or less. What waits and what is blocked depends on who
// can help, and the reason must say so to whoever that is.

import { same, says } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { COMPENSATE, withSites } from "../sites.mjs";

const AGAIN = "the next run tries again";
const CORRECT = "correct image_url and import again";

/** What a host does, what becomes of the item, and what its photo's error says. */
const CASES = [
  ["/polite/x", "published"],
  ["/hop/3", "published"],
  ["/to/x?%2Fphoto%2Fto", "published"],
  ["/hop/4", "blocked", "redirects more than 3 times", CORRECT],
  ["/to/x?ftp:%2F%2Fa.example%2F", "blocked", "redirects to an address with the scheme ftp", CORRECT],
  ["/to/x", "blocked", "redirects"],
  ["/status/404", "blocked", "answered 404 Not Found", CORRECT],
  ["/status/503", "scheduled", "answered 503 Service Unavailable", AGAIN],
  ["/page/x", "blocked", "sends text/html, not a photo", CORRECT],
  ["/lying/x", "blocked", "bytes that are no JPG, PNG", CORRECT],
  ["/empty/x", "blocked", "sent 0 bytes", CORRECT],
  ["/endless/x", "blocked", "more than 8388608 bytes", "choose a smaller photo"],
  ["/promised/x", "blocked", "more than 8388608 bytes", "choose a smaller photo"],
  ["/cut/x", "scheduled", "broke off", AGAIN],
  ["/status/404?signature=hunter2", "blocked", "/status/404?… answered 404"],
];

export async function strangers({ build, host }) {
  const workers = { site: {}, "site-strict": { FENCEPOST_ALLOW_PRIVATE_IMAGES: "false" } };
  await withSites({ build, workers }, async (sites) => {
    const puzzles = CASES.map(([path], i) => puzzle(2000 + i, 100 - i, host.url + path));
    await sites.admin("site", "POST", "/puzzles", { puzzles });
    await sites.fire(COMPENSATE, ["site"]);
    for (const [i, [path, state, ...parts]] of CASES.entries()) {
      const item = await sites.admin("site", "GET", `/items/${2000 + i}`);
      same(`the item of ${path}`, item.state, state);
      for (const part of parts) says(`the photo at ${path}`, item.image?.error ?? "nothing", part);
      same(`${path} tells no secret`, JSON.stringify(item.image?.error ?? "").includes("hunter2"), false);
    }
    await sites.admin("site", "POST", "/puzzles", { puzzles: [puzzle(3000, 50, `${host.url}/photo/private`)] });
    await sites.fire(COMPENSATE, ["site-strict"]);
    const item = await sites.admin("site", "GET", "/items/3000");
    same("a private host is not visited", [item.state, host.times("/photo/private")], ["blocked", 0]);
    says("a private host", item.image.error, "127.0.0.1 is not a public name");
  });
}
