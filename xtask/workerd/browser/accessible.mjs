// Every page in both colour schemes, on a phone and on a desk, as axe sees it. A screenshot
// of each is kept for people. In the short form, the phone is dark and the desk is light.

import { none } from "../checks.mjs";
import { violations } from "./tools/axe.mjs";
import { DESKTOP, each, PHONE, SCHEMES, SCREENS } from "./tools/visit.mjs";

const FEW = [{ ...PHONE, scheme: "dark" }, { ...DESKTOP, scheme: "light" }];
const ALL = SCREENS.flatMap((screen) => SCHEMES.map((scheme) => ({ ...screen, scheme })));

export async function accessible({ places, full, visit, screenshot }) {
  const readers = full ? ALL : FEW;
  await each(places.flatMap((place) => readers.map((reader) => [place, reader])), ([place, reader]) =>
    visit(place, reader, async (page, what) => {
      await screenshot(page, place.name, reader.scheme, reader.screen);
      none(`${what}: breaks no rule`, await violations(page));
    }),
  );
}
