// What happened, in words: a drawer on a desktop, a sheet from below on a phone; new sentences are read out.

import { h } from "./dom.js";

const STYLES = [[/\ba lie\b[!.]?/gi, "told-lie"], [/\bthe truth\b/gi, "told-truth"], [/\b\w+[♥♦]/g, "told-red"], [/\b\w+[♠♣]/g, "told-dark"]];

/** A sentence with its lies, truths and red suits marked. */
export function marked(text) {
  const found = STYLES.flatMap(([pattern, style]) => [...text.matchAll(pattern)].map((match) => ({ at: match.index, text: match[0], style })));
  found.sort((one, other) => one.at - other.at);
  const pieces = [];
  let done = 0;
  for (const each of found) {
    if (each.at < done) continue;
    pieces.push(text.slice(done, each.at), h("span", { class: each.style }, each.text));
    done = each.at + each.text.length;
  }
  return [...pieces, text.slice(done)];
}

/** The log of one game. `take(state)` brings it up to date; `element` is where it stands. */
export function gameLog(onClose) {
  const list = h("ol", { class: "told" });
  const scroller = h("div", { class: "told-box", role: "log", "aria-live": "polite", "aria-label": "What happened", tabindex: "0" }, list);
  const element = h("aside", { class: "log", id: "log", "aria-label": "Log" },
    h("div", { class: "row between" }, h("h2", {}, "Log"), h("button", { type: "button", class: "button quiet log-close", onclick: onClose }, "Close")), scroller);
  let length = 0;
  return {
    element,
    take(state) {
      if (state.told_from < length || state.told_from === 0) {
        if (state.told_from === 0 && state.told.length >= length && same(list, state.told, length)) {
          // a new connection tells everything once more: only what is new is added
        } else {
          list.replaceChildren();
          length = 0;
        }
      }
      for (const sentence of state.told.slice(length - state.told_from)) list.append(h("li", {}, marked(sentence)));
      length = state.told_from + state.told.length;
      scroller.scrollTop = scroller.scrollHeight;
    },
    add(sentence) {
      list.append(h("li", { class: "aside" }, marked(sentence)));
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}

function same(list, told, length) {
  const shown = [...list.children].filter((each) => !each.classList.contains("aside"));
  return shown.length === length && shown.every((each, nth) => each.textContent === told[nth]);
}
