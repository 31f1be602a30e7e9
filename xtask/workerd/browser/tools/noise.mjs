// What a page does beside being looked at.

/** Collects what a page should not do, from now on. */
export function listen(page, origin, place) {
  const noise = [];
  const isOwn = (address) => new URL(address).origin === origin;
  page.on("console", (message) => {
    // The rest is what the browser does of itself, such as putting off the load of an image.
    if (!["error", "warning", "assert"].includes(message.type())) return;
    // The browser tells of every status of this kind, even of the one that is expected.
    const isStatus = place.status >= 400 && message.location().url === origin + place.path && message.text().includes(`status of ${place.status}`);
    if (!isStatus) noise.push(`the console says (${message.type()}): ${message.text()}; if it is a violation of the policy, serve the file from the site itself, and nothing inline`);
  });
  page.on("pageerror", (error) => noise.push(`a script fails: ${error.stack ?? error}`));
  page.on("request", (request) => {
    if (!isOwn(request.url())) noise.push(`asks somebody else, for ${request.url()}: serve it from the site itself`);
  });
  page.on("requestfailed", (request) => noise.push(`could not get ${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.request().isNavigationRequest()) return;
    if (response.status() >= 400) noise.push(`got ${response.status()} for ${response.url()}`);
  });
  return noise;
}
