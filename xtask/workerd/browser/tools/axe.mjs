// axe-core, which knows what the guidelines for accessible content ask for.

import axe from "axe-core";

/** WCAG 2.0, 2.1 and 2.2 at the levels A and AA, and what its authors think good besides. */
const OPTIONS = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
  // Off unless asked for.
  rules: { "target-size": { enabled: true } },
  resultTypes: ["violations"],
};

/** What axe finds wrong with a page: each rule, where, and what to do. */
export async function violations(page) {
  // By the driver, and not as an element of the page, which its policy would refuse.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), OPTIONS);
  return violations.flatMap(({ id, help, helpUrl, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${help}. ${failureSummary.replace(/\s+/g, " ")} (${helpUrl})`),
  );
}
