// Every page says in which language it is, has a title that no other address has, and one
// heading above all others, and comes with the policy that forbids what it does not need.

import { none, same } from "../checks.mjs";
import { DESKTOP, each } from "./tools/visit.mjs";

export async function titles({ places, visit }) {
  const known = new Map();
  await each(places, async (place) => {
    await visit(place, DESKTOP, async (page, what, response) => {
      const { lang, title, headings } = await page.evaluate(() => ({
        lang: document.documentElement.lang,
        title: document.title,
        headings: [...document.querySelectorAll("h1")].map((heading) => heading.innerText.trim().length > 0),
      }));
      same(`${what}: its language`, lang, "en");
      same(`${what}: it has one heading above all others`, headings, [true]);
      const { name, path } = known.get(title) ?? place;
      none(`${what}: its title is its own`, path !== place.path ? [`${JSON.stringify(title)} is that of ${name} as well: say what tells them apart`] : []);
      known.set(title, place);
      const { "content-security-policy": policy = "" } = response.headers();
      same(`${what}: its policy begins with nothing`, policy.split(";")[0], "default-src 'none'");
    });
  });
}
