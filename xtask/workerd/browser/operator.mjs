// The day of an operator, at the dashboard and without a script: in, past a wrong token; an
// import with a bad row, mended; the countdown, a preview; a pause, and what it keeps from
// being out; publishing, an edit, taking back and showing again; and what stands in the
// history afterwards; one puzzle edited, past a complaint and somebody who is faster; and an
// import by a file.

import { eventually, none, same, says } from "../checks.mjs";
import { PHONE } from "./tools/visit.mjs";

const DAY = 86_400_000;
const [PAST, FUTURE] = [77, 78];

/** A puzzle as it is pasted. */
const row = (id, date, price_cents) => ({ id, play_date: date, name: `A barrel, No. ${id}`, price_cents, description: "Oak." });
const pasted = (...puzzles) => JSON.stringify({ puzzles }, null, 2);

export async function operator({ site, player }) {
  await player("operator", site.url, { scripts: false }, async (hands) => {
    const { who, page, step, expect } = hands;
    // What changes something is closed until somebody opens it.
    const press = async (name, why) => {
      const act = page.locator("details.act", { has: page.locator("summary", { hasText: name }) });
      const form = (await act.count()) > 0 ? act.first() : page;
      if (form !== page) await form.locator("summary").click();
      if (why) await form.getByLabel("Why").fill(why);
      await form.getByRole("button", { name, exact: true }).first().click();
      await page.waitForLoadState();
    };
    const type = async (fields) => {
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
    };
    const said = () => page.locator("main").innerText();
    const paste = async (text) => {
      await page.goto("/admin/bank");
      await page.getByLabel("Puzzles, as JSON").fill(text);
      await press("Look at it first");
    };
    const item = (id) => page.goto(`/admin/items/${id}`);
    const status = async (path) => (await page.request.get(path)).status();

    expect({ path: "/admin", status: 401 }, { path: "/admin/sign-in", status: 401 }, { path: "/admin/bank", status: 422 });
    expect({ path: `/admin/items/${FUTURE}/edit`, status: 422 }, { path: `/admin/items/${FUTURE}/edit`, status: 409 });
    await page.goto("/admin");
    // Whoever goes on at once does not wait for the icon.
    expect({ path: await page.locator("link[rel=icon]").getAttribute("href"), fails: "net::ERR_ABORTED" });
    await step(page, "the door");
    await page.getByLabel("Your name").fill("Grace");
    await page.getByLabel("Admin token").fill("wrong");
    await press("Sign in");
    says(`${who}: a wrong token`, await said(), "That is not the admin token.");
    await step(page, "a wrong token");
    await page.getByLabel("Your name").fill("Grace");
    await page.getByLabel("Admin token").fill(site.token);
    await press("Sign in");
    says(`${who}: is in`, await page.locator("header").innerText(), "Grace");
    await step(page, "the overview");

    const tomorrow = new Date(Date.now() + 20 * DAY).toISOString().slice(0, 10);
    await paste(pasted(row(FUTURE, tomorrow, 4_500), row(PAST, "2024-13-05", 1_999)));
    says(`${who}: a bad row is named`, await said(), "Row 2, play_date");
    await step(page, "a bad row");
    await paste(pasted(row(FUTURE, tomorrow, 4_500)));
    says(`${who}: what an import would do`, await said(), `No. ${FUTURE}, A barrel, No. ${FUTURE}: is new`);
    await step(page, "what would change");
    await press("Import this");
    says(`${who}: an import`, await said(), "Imported: 1 new, 0 changed");
    await item(FUTURE);
    says(`${who}: the countdown`, await said(), "(in 2"); // In 20 or 21 days.
    says(`${who}: what keeps it`, await said(), "item_due");
    await step(page, "the countdown");
    await press("Preview");
    says(`${who}: a preview`, await said(), "$45.00");
    await step(page, "a preview");

    await page.goto("/admin");
    await press("Pause");
    says(`${who}: paused`, await said(), "nothing becomes public until it is resumed");
    await step(page, "paused");
    await paste(pasted(row(PAST, "2024-03-05", 1_999)));
    await press("Import this");
    await item(PAST);
    const findings = await page.locator(".fails").allInnerTexts();
    none(`${who}: the pause alone keeps it`, findings.length === 1 && findings[0].includes("not_paused") ? [] : findings);
    await step(page, "kept by the pause");
    same(`${who}: it is not out`, await status(`/answers/${PAST}`), 404);
    await page.goto("/admin");
    await press("Resume");
    await item(PAST);
    // Whoever looks after what is due may have been faster, also while the button is pressed.
    expect({ path: `/admin/items/${PAST}/republish`, status: 409 });
    const publish = page.locator("summary", { hasText: "Publish now" });
    if ((await publish.count()) > 0) await press("Publish now");
    await eventually("it is out", async () => (await status(`/answers/${PAST}`)) === 200);
    await item(PAST);
    same(`${who}: published, and nothing keeps it back`, (await said()).includes("Why it is not out"), false);
    await step(page, "published");

    await paste(pasted(row(PAST, "2024-03-05", 2_999)));
    says(`${who}: an edit`, await said(), "costs $29.99 instead of $19.99");
    await step(page, "an edit");
    await press("Import this");
    await item(PAST);
    says(`${who}: the page is behind`, await said(), "Its page shows an older version of the bank.");
    await press("Bring the page up to the bank");
    says(`${who}: updated`, await said(), "The page is brought up to the bank.");
    await step(page, "updated");
    says(`${who}: the page`, await (await page.request.get(`/answers/${PAST}`)).text(), "$29.99");

    await press("Withdraw", "recalled by its maker");
    says(`${who}: withdrawn`, await said(), "The answer is withdrawn.");
    same(`${who}: it is gone`, await status(`/answers/${PAST}`), 410);
    await step(page, "withdrawn");
    await press("Reinstate");
    says(`${who}: reinstated`, await said(), "The answer is reinstated.");
    same(`${who}: it is back`, await status(`/answers/${PAST}`), 200);
    const history = await page.locator("tbody tr td:nth-child(2)").allInnerTexts();
    same(`${who}: the history`, history, ["publish", "update", "withdraw", "reinstate"]);
    await step(page, "the history");

    says(`${who}: the reason`, await said(), "recalled by its maker");
    await edits(hands, { press, type, said, item });
    await uploads(hands, { press, said });

    await page.goto("/admin");
    says(`${who}: what was done last`, await said(), "edit No. 78, a better photo follows");
    await step(page, "the overview after it");
    await page.goto("/admin/items");
    await step(page, "the calendar");
    await page.goto("/admin/runs");
    says(`${who}: the runs`, await said(), "compensate");
    await step(page, "the runs");
    await page.setViewportSize({ width: PHONE.width, height: PHONE.height });
    for (const [path, what] of [["/admin", "the overview on a phone"], [`/admin/items/${PAST}`, "an item on a phone"], [`/admin/items/${FUTURE}/edit`, "the editor on a phone"], ["/admin/items", "the calendar on a phone"]]) {
      await page.goto(path);
      await step(page, what);
    }
    await item(PAST);
    for (const summary of await page.locator("details.act summary").all()) await summary.click();
    await step(page, "everything that can be done, on a phone");
    await byKeyboard(hands, item);
    await press("Sign out");
    same(`${who}: is out`, await status("/admin"), 401);
  });
}

/** One puzzle is edited, past a complaint, and by two at once. */
async function edits({ who, page, step }, { press, type, said, item }) {
  const value = (label) => page.getByLabel(label, { exact: true }).inputValue();
  await item(FUTURE);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await step(page, "the editor");
  await type({ "Price, in dollars": "a lot", Description: "Of **oak**, for\n\n- wine\n- herring\n" });
  await press("Look at it first");
  says(`${who}: a complaint`, await said(), "A price lies between $0.01 and $1,000,000.00");
  same(`${who}: nothing typed is lost`, await value("Price, in dollars"), "a lot");
  same(`${who}: the focus is on what is wrong`, await page.evaluate(() => document.activeElement.id), "price");
  await step(page, "a complaint beside its field");
  await type({ "Price, in dollars": "48.50" });
  await press("Look at it first");
  says(`${who}: what an edit would do`, await said(), "It costs $48.50 instead of $45.00.");
  same(`${who}: the description as readers see it`, await page.locator(".prose li").allInnerTexts(), ["wine", "herring"]);
  await step(page, "what an edit would change");

  // Somebody else opens the same form, and is faster.
  const other = await page.context().newPage();
  await other.goto(`/admin/items/${FUTURE}/edit`);
  await other.getByLabel("Name", { exact: true }).fill("A cask");
  await other.getByRole("button", { name: "Look at it first" }).click();
  await other.getByRole("button", { name: "Save" }).click();
  await other.waitForURL(`**/admin/items/${FUTURE}?done=saved`);
  await other.close();

  await page.getByLabel("Why", { exact: true }).fill("a better photo follows");
  await press("Save");
  says(`${who}: overtaken`, await said(), "the bank has version 2 of it now");
  same(`${who}: what stands beside what was typed`, await page.locator(".beside tbody tr").first().locator("td").allInnerTexts(), ["A cask", `A barrel, No. ${FUTURE}`]);
  same(`${who}: and is still there`, await value("Price, in dollars"), "48.50");
  await step(page, "overtaken");
  await type({ Name: "A cask" });
  await press("Look at it first");
  await page.getByLabel("Why", { exact: true }).fill("a better photo follows");
  await press("Save");
  says(`${who}: saved`, await said(), "It is saved in the bank.");
  await step(page, "saved");

  await page.goto("/admin/items/new");
  says(`${who}: a new puzzle`, await page.getByLabel("No.", { exact: true }).inputValue(), "");
  await step(page, "a new puzzle");
}

/** An import by a file, and not by what stands in the field. */
async function uploads({ who, page, step }, { press, said }) {
  await page.goto("/admin/bank");
  const content = pasted(row(PAST, "2024-03-05", 3_999));
  await page.getByLabel("Or a file with them").setInputFiles({ name: "bank.json", mimeType: "application/json", buffer: Buffer.from(content) });
  await press("Look at it first");
  says(`${who}: a file`, await said(), "costs $39.99 instead of $29.99");
  await step(page, "what a file would change");
}

/** What can be done is reached, opened and left again without a mouse. */
async function byKeyboard({ who, page }, item) {
  await item(PAST);
  const summary = page.locator("summary", { hasText: "Withdraw" });
  await summary.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  same(`${who}: the reason comes first`, await page.evaluate(() => document.activeElement.name), "reason");
  await page.keyboard.press("Tab");
  same(`${who}: then the button`, await page.evaluate(() => document.activeElement.textContent), "Withdraw");
}
