// Texts to paste elsewhere.

import { h } from "./dom.js";
import { dialog, notice } from "./notice.js";

/** Put a text on the clipboard, or show it where that is not allowed. */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    notice(done);
  } catch {
    dialog("Copy this", h("p", {}, h("code", {}, text)));
  }
}
