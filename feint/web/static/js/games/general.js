// Any game of the contract: what is seen in words, and its choices as buttons.

import { h } from "../dom.js";

const FEW = 9; // choices that have a digit for a key
const BUTTONS = 8; // more than that stand in groups in the hand

/** Text whose tabs separate columns, as a table where it has any. */
export function told(text) {
  const lines = text.split("\n").filter(Boolean);
  const parts = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!lines[at].includes("\t")) {
      parts.push(h("p", {}, lines[at]));
      continue;
    }
    const rows = [];
    for (; at < lines.length && lines[at].includes("\t"); at += 1) rows.push(h("tr", {}, lines[at].split("\t").map((cell) => h("td", {}, cell))));
    at -= 1;
    parts.push(h("table", {}, h("tbody", {}, rows)));
  }
  return parts;
}

const sentence = (label) => `${label[0].toUpperCase()}${label.slice(1)}`;

/** The key of a choice: what the terminal takes for it where that is one sign, else its number. */
function keyOf(choice, nth, choices) {
  const keys = choices.map((each) => each.key ?? "");
  if (choice.key?.length === 1 && new Set(keys).size === keys.length && keys.every((key) => key.length === 1)) return choice.key.toUpperCase();
  return nth < FEW && choices.length <= FEW ? String(nth + 1) : "";
}

export const general = {
  middle: (ctx) => h("div", { class: "seen" }, told(ctx.seen)),
  badge: () => [],

  buttons(ctx) {
    if (ctx.choices.length > BUTTONS) return [];
    return ctx.choices.map((choice, nth) => ({
      label: sentence(choice.label), key: keyOf(choice, nth, ctx.choices), kind: "choice", go: () => ctx.send([choice.action]),
    }));
  },

  /** Many choices, by their groups. */
  hand(ctx) {
    if (ctx.choices.length <= BUTTONS) return [];
    const groups = Map.groupBy(ctx.choices, (choice) => choice.group);
    return h("div", { class: "many-choices" }, [...groups].map(([group, choices]) =>
      h("fieldset", {}, h("legend", {}, group), choices.map((choice) =>
        h("button", { type: "button", class: "button small", id: `action-${choice.action}`, disabled: !ctx.asked, onclick: () => ctx.send([choice.action]) }, sentence(choice.label))))));
  },
};
