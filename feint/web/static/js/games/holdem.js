// Hold'em: the board and the pot in the middle, what everybody has paid on their plates, one's own two cards.

import { card, cardBack, cardName, chips } from "../art.js";
import { h, s } from "../dom.js";
import { fly, place } from "../motion.js";
import { general } from "./general.js";

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SUITS = [3, 2, 1, 0]; // clubs come first in the rules, spades in the drawings
const ROUNDS = ["Preflop", "Flop", "Turn", "River"];
const FOLD = 0;
const CALL = 1;

const rankOf = (value) => RANKS[value >> 2];
const suitOf = (value) => SUITS[value & 3];
const shownCard = (value, className) => h("span", { class: className, role: "img", "aria-label": cardName(rankOf(value), suitOf(value)) }, card(rankOf(value), suitOf(value)));
const pot = (view) => view.paid.reduce((sum, each) => sum + each, 0);

/** What a seat did last in this round. */
function deed(view, seat) {
  const { actors, history } = view;
  const at = actors[view.round].lastIndexOf(seat);
  if (at < 0) return "";
  const action = history[view.round][at];
  if (action === FOLD) return "folds";
  const raisesBefore = history[view.round].slice(0, at).filter((each) => each > CALL).length;
  if (action === CALL) return raisesBefore || view.round === 0 ? "calls" : "checks";
  return raisesBefore || view.round === 0 ? "raises" : "bets";
}

/** The button of the dealer: the last seat is the one who acts last. */
const dealer = () => s("svg", { class: "dealer", viewBox: "0 0 20 20", role: "img", "aria-label": "button" },
  s("circle", { cx: 10, cy: 10, r: 9 }), s("text", { x: 10, y: 14, "text-anchor": "middle" }, "D"));

export const holdem = {
  middle(ctx) {
    const { view } = ctx;
    const board = view.board.map((value) => (value < 0 ? h("span", { class: "slot board-card" }) : shownCard(value, "board-card")));
    return [
      h("p", { class: "due" }, view.board.length === 5 ? ROUNDS[view.round] ?? "" : `Round ${view.round + 1}`),
      h("div", { class: "board", role: "group", "aria-label": "The board" }, board),
      h("div", { class: "pot", id: "pot" }, chips(Math.ceil(pot(view) / 2)), h("span", { class: "number" }, `Pot ${pot(view)}`), h("span", { class: "faint-felt" }, `a bet is ${view.bet}`)),
    ];
  },

  badge(ctx, seat) {
    const { view } = ctx;
    if (view.folded[seat]) return ["folded"];
    return [h("span", { class: "paid" }, `paid ${view.paid[seat]}`), deed(view, seat) && h("span", { class: "deed" }, deed(view, seat))].filter(Boolean);
  },
  gone: (ctx, seat) => ctx.view.folded[seat],
  extra(ctx, seat) {
    const cards = ctx.view.shown[seat];
    const button = seat === ctx.state.seats.length - 1 ? dealer() : null;
    if (cards[0] >= 0) return [button, h("span", { class: "plate-cards" }, cards.map((value) => shownCard(value, "plate-card")))];
    if (ctx.view.folded[seat] || ctx.state.over) return button;
    return [button, h("span", { class: "plate-cards", "aria-hidden": "true" }, h("span", { class: "plate-card" }, cardBack()), h("span", { class: "plate-card" }, cardBack()))];
  },

  hand(ctx) {
    const { view } = ctx;
    if (view.seat < 0) return [];
    const made = ctx.seen.split("\n").find((line) => line.startsWith("You hold"))?.split(": ")[1];
    const button = view.seat === ctx.state.seats.length - 1;
    return h("div", { class: `held ${view.folded[view.seat] ? "gone" : ""}` },
      view.cards.map((value) => shownCard(value, "held-card")),
      h("div", { class: "held-facts" }, made && h("strong", {}, made.replace(/\.$/, "")), h("span", { class: "row" }, `You paid ${view.paid[view.seat]}`, button ? dealer() : null)));
  },

  buttons: (ctx) => general.buttons(ctx).map((each, nth) => ({ ...each, key: { 0: "F", 1: "C", 2: "R" }[ctx.choices[nth].action] ?? each.key, kind: ctx.choices[nth].action === CALL ? "main" : "" })),

  async arrive(ctx, before, after) {
    const moved = after.paid.findIndex((paid, seat) => paid > before.paid[seat]);
    if (moved >= 0) await fly(() => chips(2), place(moved === after.seat ? document.querySelector(".held") : ctx.plate(moved)), place(document.getElementById("pot")));
  },
};
