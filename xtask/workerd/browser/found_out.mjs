// A page that is wrong in every way: each wrong is found out. Without this, a scenario that
// looks at nothing would pass.

import { same } from "../checks.mjs";
import { violations } from "./tools/axe.mjs";
import { giveaways } from "./tools/game.mjs";
import { framed, stopsOf, walk } from "./tools/keyboard.mjs";
import { listen } from "./tools/noise.mjs";
import { content, lost, moving, overflowing, painted, shifts, shown, unsized } from "./tools/page.mjs";
import { DESKTOP } from "./tools/visit.mjs";

const PLACE = { name: "wrong", path: "/wrong", status: 200 };
const HEADERS = { "content-security-policy": "default-src 'none'; img-src *; style-src 'unsafe-inline'" };
const BODY = `<!doctype html>
<style>
  a:focus { outline: none }
  h1 { width: 3000px; outline: 1px solid }
  .cut { height: 1em; overflow: hidden }
  .far { position: absolute; left: -5000px }
  .moves { transition: color 2s }
</style>
<img src="/late.svg" alt="">
<h1>Wide</h1>
<p class="cut">One<br>Two<br>Three</p>
<p class="moves"><a href="/">Unseen</a> <a href="/" class="far">Out</a></p>
<img src="https://elsewhere.invalid/photo.png" alt="" width="1" height="1">
<img src="/gone.png" alt="" width="1" height="1">
<script>alert("inline")</script>
<script src="/script.js"></script>
`;
const PHOTO = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"/>';

export async function foundOut({ site, browser }) {
  const { width, height } = DESKTOP;
  const page = await browser.newPage({ baseURL: site.url, viewport: { width, height } });
  try {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/*", (route) => route.abort());
    await page.route("/wrong", (route) => route.fulfill({ contentType: "text/html", headers: HEADERS, body: BODY }));
    await page.route("/gone.png", (route) => route.fulfill({ status: 404 }));
    await page.route("/late.svg", async (route) => {
      await released;
      await route.fulfill({ contentType: "image/svg+xml", body: PHOTO });
    });
    const noise = listen(page, site.url, [PLACE]);
    await page.goto(PLACE.path, { waitUntil: "domcontentloaded" });
    await painted(page);
    release();
    await shown(page);
    await painted(page);
    const found = (what, complaints, ...parts) => {
      const missed = parts.filter((part) => !complaints.some((complaint) => complaint.includes(part)));
      same(`${what} are found out`, { missed, complaints: missed.length > 0 && complaints }, { missed: [], complaints: false });
    };
    found("noises", noise, "inline script", "script.js", "asks somebody else, for https://elsewhere.invalid", "could not get https://elsewhere.invalid", "got 404 for");
    found("broken rules", await violations(page), "html-has-lang at html", "document-title at html");
    found("overflows", await overflowing(page), "scrolls sideways", "h1 reaches", "p.cut cuts off");
    found("shifts", await shifts(page), "H1");
    found("images without a size", await unsized(page), "late.svg");
    found("motions", await moving(page), "moves");
    found("frames without focus", await framed(page), "<h1>");
    const told = await content(page);
    await page.evaluate(() => document.querySelector(".cut").remove());
    found("losses", lost(told, await content(page)), 'its text should go on with "One Two');
    same("what is the same is no loss", lost(told, told), []);
    same("both links are stops", (await stopsOf(page)).length, 2);
    const [unseen, out] = await walk(page);
    const shared = "Fencepost No. 7 2/6\n🔼18.99\nhttps://elsewhere.invalid/\n$18.99";
    found("words that tell a price", giveaways(shared, { number: 7, score: 2, signs: 2 }), "signs", "leads to", "goes on with");
    same("a score and signs tell no price", giveaways("Fencepost No. 7 2/6\n🔼🟢", { number: 7, score: 2, signs: 2 }), []);
    found("unseen stops", unseen.complaints, "no visible focus");
    found("distant stops", out.complaints, "out of the window");
  } finally {
    await page.close();
  }
}
