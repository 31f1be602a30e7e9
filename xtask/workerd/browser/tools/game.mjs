// The game on a page, as its player sees it.

/** What stands on the page of the game, and where the focus is. */
export function gameOn(page) {
  return page.evaluate(() => {
    const words = (selector) => document.querySelector(selector)?.innerText.replace(/\s+/g, " ").trim();
    const isShown = (selector) => document.querySelector(selector)?.checkVisibility() ?? false;
    const part = document.querySelector("#game");
    const numbers = [...document.querySelectorAll("#record [data-record]")];
    return {
      turns: [...document.querySelectorAll(".turn")].map((turn) => [
        turn.querySelector("data").value,
        turn.querySelector(".turn-word").lastChild.textContent.trim(),
      ]),
      said: words("#said"),
      note: words("#note"),
      label: words("label[for=guess]"),
      typed: document.querySelector("#guess")?.value,
      outcome: part?.dataset.outcome,
      counted: words(".counted"),
      share: document.querySelector("#share")?.value,
      record: isShown("#record") ? numbers.map((number) => Number(number.textContent)) : undefined,
      focus: document.activeElement.id,
    };
  });
}

/** Waits until so many guesses stand on the page. */
export const turns = (page, count) => page.locator(`.turn:nth-child(${count}):last-child`).waitFor();

/** What a screen reader is told since the last guess, as soon as it holds `part`. */
export async function heard(page, part) {
  const words = (part) => {
    const told = document.querySelector("#heard").textContent;
    return told.includes(part) && told;
  };
  return (await page.waitForFunction(words, part)).jsonValue();
}

/** Points at the field, types, and points at the button. Waits until it is the guess number `nth`. */
export async function guessByMouse(page, text, nth) {
  await page.locator("#guess").click();
  await page.locator("#guess").fill(text);
  // The same words may be said again, and have to be said again.
  await page.evaluate(() => document.querySelector("#heard").replaceChildren());
  await page.getByRole("button", { name: "Guess" }).click();
  if (nth !== undefined) await turns(page, nth);
}

/**
 * Bisects between two prices by what the page says, until the game is over. `guess` makes a
 * guess of so many cents; `step` looks at what came of it.
 */
export async function bisect(page, [low, high], guess, step) {
  for (let nth = 1; ; nth += 1) {
    const cents = Math.round((low + high) / 2);
    await guess(cents, nth);
    const game = await gameOn(page);
    await step(game, nth, cents);
    if (game.outcome !== undefined) return nth;
    if (game.turns.at(-1)[1].startsWith("Higher")) low = cents;
    else high = cents;
  }
}

/** What is wrong with a text that is shared: it tells how the game went, and nothing of the price. */
export function giveaways(text, { number, score, signs }) {
  const [head, row, address, ...rest] = text.split("\n");
  const complaints = [];
  if (head !== `Fencepost No. ${number} ${score}/6`) complaints.push(`it begins with ${JSON.stringify(head)}`);
  if (!/^[🟢🟡🔼🔽]+$/u.test(row) || [...row].length !== signs) complaints.push(`its signs are ${JSON.stringify(row)}`);
  if (!(address ?? `/play/${number}`).endsWith(`/play/${number}`)) complaints.push(`it leads to ${address}`);
  if (rest.length > 0) complaints.push(`it goes on with ${JSON.stringify(rest)}`);
  return complaints;
}
