// What a site signs, made without it: tokens of games and links to previews, as this site
// would sign them, or another.

import { createHmac } from "node:crypto";

/** The site that is asked. */
export const OWN = { secret: "0123456789abcdef0123456789abcdef", environment: "test" };
/** Sites that are none of its business. */
export const FOREIGN = [
  { ...OWN, secret: "fedcba9876543210fedcba9876543210" },
  { ...OWN, environment: "production" },
  { ...OWN, environment: "" },
];

/** The signature of these parts, each preceded by its length. */
function sign({ secret, environment }, purpose, parts) {
  const mac = createHmac("sha256", secret);
  for (const part of ["fencepost", environment, purpose, ...parts]) mac.update(`${Buffer.byteLength(part)}:${part}`);
  return mac.digest("hex");
}

/** The token of a game: turns such as `1h-2h`. */
export function game(site, puzzle, turns, session, purpose = "game") {
  const parts = [String(puzzle), turns, session];
  return `${parts.join(".")}.${sign(site, purpose, parts)}`;
}

/** The path and query of a link to a preview, or to the photo on it. */
export function preview(site, puzzle, expires, key) {
  const path = key === undefined ? `/preview/${puzzle}` : `/preview/${puzzle}/image/${key}`;
  const purpose = key === undefined ? "preview page" : "preview photo";
  return `${path}?expires=${expires}&signature=${sign(site, purpose, [String(puzzle), String(expires), key ?? ""])}`;
}
