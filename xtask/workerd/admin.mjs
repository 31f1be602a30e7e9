// The admin API of a site that runs, as an operator asks it.

/** The token of the sites of the tests. */
export const TOKEN = "correct-horse-battery-staple";

/** Asks the site at `url` for what it cannot refuse, and answers what it told. */
export const adminOf = (url, token) => async (method, path, body) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/admin/api${path}`, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
};
