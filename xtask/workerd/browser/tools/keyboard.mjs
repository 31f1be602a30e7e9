// A walk through a page by keyboard.

/** What takes the focus, on a page of any kind. */
const STOPS = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex]';
/** More stops than any page has. */
const MOST = 500;

/** The places where a walk should stop, in order. */
export async function stopsOf(page) {
  return (await survey(page)).stops;
}

/**
 * Where the focus is, unless it is nowhere: which of [`stopsOf`], or -1 for something else
 * such as a part that scrolls, and what is wrong with it.
 */
export async function focused(page) {
  return (await survey(page)).focus;
}

/** Takes the focus from wherever a page has put it: the next Tab comes to the first stop. */
export function fromTheTop(page) {
  return page.evaluate(() => {
    const top = Object.assign(document.createElement("span"), { tabIndex: -1 });
    document.body.prepend(top);
    top.focus();
    top.remove();
  });
}

/** Presses `key` until the focus leaves the page or comes around. Answers where it was. */
export async function walk(page, key = "Tab") {
  const seen = [];
  while (seen.length < MOST) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    if (stop === null || seen.some(({ path }) => path === stop.path)) return seen;
    seen.push(stop);
  }
  throw new Error(`the walk with ${key} has no end`);
}

/** What has a frame without having the focus: then a frame would say nothing. */
export function framed(page) {
  return page.evaluate(() => {
    const isFramed = (element) => getComputedStyle(element).outlineStyle !== "none";
    return [...document.querySelectorAll("body *")].filter(isFramed).map((element) => element.outerHTML.slice(0, 100));
  });
}

function survey(page) {
  return page.evaluate((selector) => {
    const told = (element) => element.outerHTML.slice(0, 100);
    const takesFocus = (element) => element.tabIndex >= 0 && !element.disabled && element.getClientRects().length > 0;
    const stops = [...document.querySelectorAll(selector)].filter(takesFocus);
    const element = document.activeElement;
    if (element === null || element === document.body) return { stops: stops.map(told), focus: null };

    const chain = [];
    for (let at = element; at !== document.body; at = at.parentElement) chain.push(at);
    const path = chain.map((at) => [...at.parentElement.children].indexOf(at)).join("/");
    const complaints = [];
    // The frame may be that of a card around its link.
    const isFramed = chain.some((at) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
    if (!isFramed) complaints.push("has no visible focus: give it an outline of 2 px or more with :focus-visible");
    // A link that is broken into lines has no middle of its own.
    const boxes = [...element.getClientRects()];
    const isOnTop = boxes.some(({ left, right, top, bottom }) =>
      element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)),
    );
    if (boxes.every(({ width, height }) => width < 2 || height < 2)) complaints.push("takes the focus and has no size");
    else if (!isOnTop) complaints.push("has the focus and is out of the window, or behind something");
    return { stops: stops.map(told), focus: { index: stops.indexOf(element), path, what: told(element), complaints } };
  }, STOPS);
}
