// What is asked of the server besides play. Errors come as sentences that can be shown as they are.

/** What the server refused, or could not be asked: `code` is its word for programs. */
class Refused extends Error {
  constructor(message, code, status = 0) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

async function ask(path, how = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...how, headers: { accept: "application/json", ...how.headers } });
  } catch {
    throw new Refused("The server does not answer. Check that it runs, then try again.", "gone");
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok) {
    throw new Refused(body?.message ?? `The server answers with an error (${answer.status}). Try again in a moment.`, body?.error ?? "failed", answer.status);
  }
  return body;
}

export const get = (path) => ask(path);
export const post = (path, body = {}) => ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

let known = null;

/** The games that can be played, asked for once. */
export function games() {
  known ??= get("/api/games").catch((refused) => {
    known = null;
    throw refused;
  });
  return known;
}

/** One of them, by name; null where the server does not offer it. */
export async function gameNamed(name) {
  return (await games()).find((each) => each.name === name) ?? null;
}
