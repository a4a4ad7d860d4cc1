// Pictures for the small games, which otherwise have the general face: a card or dice in the hand, what lies open in the middle.

import { card, cardName, chips, cup, die } from "../art.js";
import { h } from "../dom.js";
import { general, told } from "./general.js";

const CARDS = ["7", "8", "9", "10", "J", "Q", "K"];

const big = (rank, label) => h("span", { class: "held-card", role: "img", "aria-label": label }, card(rank, null));

/** The decks of Kuhn and Leduc end with the king. */
const kuhnRank = (ctx, value) => CARDS[CARDS.length - ctx.state.seats.length - 1 + value];
const leducRank = (ctx, value) => kuhnRank(ctx, ctx.options.suits ? Math.floor(value / 2) : value);

function held(ctx, rankOf) {
  if (ctx.view.seat < 0) return [];
  const rank = rankOf(ctx, ctx.view.card);
  return h("div", { class: "held" }, big(rank, `You hold the ${cardName(rank, null)}`));
}

/** Cards shown at the end, by their players. */
function shown(ctx, rankOf) {
  const cards = ctx.view.shown.flatMap((value, seat) => (value < 0 ? [] : [h("figure", {}, big(rankOf(ctx, value), cardName(rankOf(ctx, value), null)), h("figcaption", {}, ctx.name(seat)))]));
  return cards.length ? h("div", { class: "shown-hands" }, cards) : null;
}

export const kuhn = {
  middle: (ctx) => h("div", { class: "seen" }, h("div", { class: "pot" }, chips(ctx.state.seats.length), h("span", {}, "Everybody has paid an ante of 1.")), told(ctx.seen)),
  hand: (ctx) => [held(ctx, kuhnRank), general.hand(ctx)],
  showdown: (ctx) => shown(ctx, kuhnRank),
};

export const leduc = {
  middle: (ctx) => h("div", { class: "seen" },
    h("div", { class: "board" }, ctx.view.public < 0 ? h("span", { class: "slot" }) : big(leducRank(ctx, ctx.view.public), `The community card is the ${cardName(leducRank(ctx, ctx.view.public), null)}`)),
    h("div", { class: "pot" }, chips(pot(ctx)), h("span", {}, `Pot ${pot(ctx)}`))),
  badge: (ctx, seat) => [ctx.view.folded[seat] ? "folded" : `paid ${ctx.view.paid[seat]}`],
  gone: (ctx, seat) => ctx.view.folded[seat],
  hand: (ctx) => [held(ctx, leducRank), general.hand(ctx)],
  showdown: (ctx) => shown(ctx, leducRank),
};

const pot = (ctx) => ctx.view.paid.reduce((sum, each) => sum + each, 0);

const dice = (faces) => faces.flatMap((count, face) => Array.from({ length: Math.max(0, count) }, () => h("span", {}, die(face + 1))));

export const liarsDice = {
  middle(ctx) {
    const sides = ctx.view.hand.length;
    const bid = ctx.view.bids.lastIndexOf(true);
    return h("div", { class: "seen" },
      bid < 0 ? h("p", {}, "Nobody has bid yet.") : h("div", { class: "bid-shown", role: "img", "aria-label": `The last bid is ${Math.floor(bid / sides) + 1} times ${(bid % sides) + 1}` },
        h("span", { class: "times" }, `${Math.floor(bid / sides) + 1} ×`), die((bid % sides) + 1)),
      h("p", {}, `${sides} counts as any face.`));
  },
  extra: (ctx, seat) => (ctx.view.shown[seat]?.[0] >= 0 && ctx.state.over ? h("span", { class: "dice" }, dice(ctx.view.shown[seat])) : h("span", { class: "cups" }, cup())),
  hand(ctx) {
    if (ctx.view.seat < 0) return [];
    const faces = ctx.view.hand.flatMap((count, face) => Array(Math.max(0, count)).fill(face + 1));
    return [h("div", { class: "dice own-dice", role: "img", "aria-label": `Your dice: ${faces.join(", ")}` }, dice(ctx.view.hand)), general.hand(ctx)];
  },
};
