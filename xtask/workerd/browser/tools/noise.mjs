// What a page does beside being looked at.

/**
 * Collects what a page should not do, from now on. What is `expected` are answers, each with
 * its `path` and its `status`, and requests that `fail` with a word of the browser's. Its
 * list may grow.
 */
export function listen(page, origin, expected) {
  const noise = [];
  const isOwn = (address) => new URL(address).origin === origin;
  const isExpected = (address, holds) => expected.some((it) => origin + it.path === address.split("#")[0] && holds(it));
  page.on("console", (message) => {
    // The rest is what the browser does of itself, such as putting off the load of an image.
    if (!["error", "warning", "assert"].includes(message.type())) return;
    // The browser tells of every such answer, even of the one that is expected.
    const text = message.text();
    const isTold = ({ status, fails }) => (status >= 400 && text.includes(`status of ${status}`)) || (fails && text.includes(fails));
    if (isExpected(message.location().url, isTold)) return;
    noise.push(`the console says (${message.type()}): ${text}; if it is a violation of the policy, serve the file from the site itself, and nothing inline`);
  });
  page.on("pageerror", (error) => noise.push(`a script fails: ${error.stack ?? error}`));
  page.on("request", (request) => {
    if (!isOwn(request.url())) noise.push(`asks somebody else, for ${request.url()}: serve it from the site itself`);
  });
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText;
    if (!isExpected(request.url(), ({ fails }) => fails === error)) noise.push(`could not get ${request.url()}: ${error}`);
  });
  page.on("response", (response) => {
    if (response.request().isNavigationRequest() || response.status() < 400) return;
    if (!isExpected(response.url(), ({ status }) => status === response.status())) noise.push(`got ${response.status()} for ${response.url()}`);
  });
  return noise;
}
