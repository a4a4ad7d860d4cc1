// Nobody has to trust the host: the deal that is opened at the end must be the one that was promised at the start.

/** The SHA-256 of a text, in hexadecimal; null where the browser has no such thing (it needs HTTPS, or localhost). */
async function sha256(text) {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What can be said of a deal, and whether it is well.
 * @param {string} promised the commitment that came with the first state of the game
 * @param {{deal: string, nonce: string}} opening
 */
export async function checked(promised, opening) {
  const found = await sha256(opening.deal + opening.nonce);
  if (found === null) return { well: null, sentence: "The deal cannot be checked here: this browser computes SHA-256 only over HTTPS or on localhost." };
  if (found === promised) return { well: true, sentence: "The deal is the one that was promised at the start: checked in your browser." };
  return { well: false, sentence: "The deal is not the one that was promised at the start: somebody changed it." };
}
