// What can be asked of any page. The functions that run in the page are given to it as
// text by the driver, so each of them is complete in itself.

/** Brings every image into view once, and waits until all are there. */
export async function shown(page) {
  await page.evaluate(async () => {
    for (const image of document.images) {
      image.scrollIntoView();
      // Rejects for a broken image, which whoever listens to the page has noticed already.
      await image.decode().catch(() => {});
    }
    scrollTo(0, 0);
  });
}

/** The parts that are hidden until a script has something to put there. */
const SCRIPTED = "#countdown, #record, #share-button, #heard";

/** What a page says and where it leads, independent of its layout and of what a script adds. */
export function content(page) {
  return page.evaluate((scripted) => {
    const added = [...document.querySelectorAll(scripted)].filter((element) => !element.hidden);
    const hide = (isHidden) => added.forEach((element) => (element.hidden = isHidden));
    hide(true);
    const content = {
      title: document.title,
      text: document.body.innerText.replace(/\s+/g, " ").trim(),
      links: [...document.links].map((link) => link.href),
      images: [...document.images].map((image) => [image.src, image.alt, image.getClientRects().length > 0]),
    };
    hide(false);
    return content;
  }, SCRIPTED);
}

/** In what a page says less, or something else, than it did, from the first place on. */
export function lost(was, is) {
  return Object.keys(was).flatMap((part) => {
    const [before, after] = [was[part], is[part]].map((value) => (typeof value === "string" ? value.split(" ") : value).map(String));
    const at = [...before, undefined].findIndex((piece, i) => piece !== after[i]);
    if (at === -1) return [];
    const from = (pieces) => pieces.slice(at, at + 8).join(" ") || "nothing";
    return [`its ${part} should go on with "${from(before)}", and has "${from(after)}"`];
  });
}

/** What makes a page wider than its window, and what is cut off at an edge. */
export function overflowing(page) {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.scrollingElement;
    const name = (element) => element.tagName.toLowerCase() + [...element.classList].map((word) => `.${word}`).join("");
    const isHidden = (element) => element.closest(".visually-hidden, .skip") !== null;
    const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    const isInScroller = (element) => {
      for (let at = element.parentElement; at !== document.body; at = at.parentElement) if (scrolls(at)) return true;
      return false;
    };
    const complaints = scrollWidth > clientWidth ? [`scrolls sideways: it is ${scrollWidth} px wide in a window of ${clientWidth} px`] : [];
    for (const element of document.querySelectorAll("body > * , body > * *")) {
      if (isHidden(element) || element.closest("svg") !== null) continue;
      const { left, right } = element.getBoundingClientRect();
      if ((left < -1 || right > clientWidth + 1) && !isInScroller(element)) {
        complaints.push(`${name(element)} reaches from ${Math.round(left)} to ${Math.round(right)} px: let it shrink, wrap, or scroll by itself`);
      }
      const { overflowX, overflowY } = getComputedStyle(element);
      const isCut = (overflow, inner, outer) => /hidden|clip/.test(overflow) && inner > outer + 1;
      if (isCut(overflowX, element.scrollWidth, element.clientWidth) || isCut(overflowY, element.scrollHeight, element.clientHeight)) {
        complaints.push(`${name(element)} cuts off what is in it: let it grow`);
      }
    }
    return complaints;
  });
}

/** Waits until the browser has painted twice: what changed before is on the screen. */
export function painted(page) {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** The shifts of the layout that the browser has noticed. */
export function shifts(page) {
  return page.evaluate(() => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({ type: "layout-shift", buffered: true });
    const entries = observer.takeRecords();
    observer.disconnect();
    return entries.map(({ value, sources }) => `${value}: ${sources.map(({ node }) => node?.nodeName).join(", ")}`);
  });
}

/** Which images have no place before they are there. */
export function unsized(page) {
  return page.evaluate(() => {
    const images = [...document.images].filter((image) => !(image.getAttribute("width") > 0 && image.getAttribute("height") > 0));
    return images.map((image) => `${image.outerHTML.slice(0, 100)}: give it width and height`);
  });
}

/** What is animated, though the reader has asked for less motion. */
export function moving(page) {
  return page.evaluate(() => {
    const complaints = [];
    for (const element of document.querySelectorAll("*")) {
      for (const part of [null, "::before", "::after"]) {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element, part);
        const isMoving = animationName !== "none" || transitionDuration.split(",").some((time) => parseFloat(time) > 0) || scrollBehavior === "smooth";
        if (isMoving) complaints.push(`${element.outerHTML.slice(0, 80)}${part ?? ""}: leave the motion to @media (prefers-reduced-motion: no-preference)`);
      }
    }
    return complaints;
  });
}
