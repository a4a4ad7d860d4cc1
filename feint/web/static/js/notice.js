// Short sentences that come and go, and are read out.

import { h } from "./dom.js";

let shown = null;

/** Tell something in one sentence at the foot of the page, read out by a screen reader. */
export function notice(text, seconds = 5) {
  shown?.remove();
  const box = h("div", { class: "notice", role: "status", onclick: () => box.remove() }, text);
  shown = box;
  document.body.append(box);
  setTimeout(() => box.remove(), seconds * 1000);
}

/** A dialog with a heading; closes by Escape, its button or a click beside it. */
export function dialog(heading, ...children) {
  const close = h("button", { type: "button", class: "button", onclick: () => box.close() }, "Close");
  const box = h("dialog", { "aria-labelledby": "dialog-heading" },
    h("h2", { id: "dialog-heading" }, heading), ...children, h("div", { class: "row" }, close));
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  return box;
}
