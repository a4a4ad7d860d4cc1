// A seat's own things laid open, from its view: for looking back, when nothing is hidden any more.

import { card, cardName, coin, die, tile, tileName } from "./art.js";
import { counted, h } from "./dom.js";

const ACE_FIRST = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const ACE_LAST = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SMALL = ["7", "8", "9", "10", "J", "Q", "K"];

const drawn = (picture, label, className = "open-card") => h("span", { class: className, role: "img", "aria-label": label, title: label }, picture);
const ranked = (rank, suit, className) => drawn(card(rank, suit), cardName(rank, suit), className);

const OPEN = {
  bluff(view) {
    const cards = [];
    for (let rank = 0; rank < view.hand[0].length; rank += 1) {
      view.hand.forEach((row, copy) => row[rank] && cards.push(ranked(ACE_FIRST[rank], copy % 4)));
      view.picked.forEach((row, copy) => row[rank] && cards.push(ranked(ACE_FIRST[rank], copy % 4, "open-card picked")));
    }
    return cards;
  },
  holdem: (view) => view.cards.map((value) => ranked(ACE_LAST[value >> 2], 3 - (value & 3))),
  okey(view) {
    const wild = Math.floor(view.indicator / 13) * 13 + ((view.indicator + 1) % 13);
    return view.rack.flatMap((count, kind) => Array.from({ length: count }, () => drawn(tile(kind, wild), tileName(kind, wild), "open-tile")));
  },
  bidding: (view) => [coin(), h("span", {}, `${counted(view.coins, "coin")} left`), view.bids.some((bid) => bid >= 0) && h("span", { class: "faint-felt" }, `bids ${view.bids.filter((bid) => bid >= 0).join(", ")}`)],
  kuhn: (view, players) => ranked(SMALL[SMALL.length - players - 1 + view.card], null),
  leduc: (view, players, options) => ranked(SMALL[SMALL.length - players - 1 + (options.suits ? Math.floor(view.card / 2) : view.card)], null),
  "liars-dice": (view) => view.hand.flatMap((count, face) => Array.from({ length: count }, () => drawn(die(face + 1), String(face + 1), "open-die"))),
};

/** What a seat holds, as pictures; null for a game that is not known here, which is told in words. */
export const openHand = (game, view, players, options) => OPEN[game]?.(view, players, options) ?? null;
