// A picture for each game in the lobby, of the same cards, tiles, chips and envelopes as on the tables.

import { card, cardBack, chips, coin, cup, die, envelope, tile } from "./art.js";
import { h } from "./dom.js";

const laid = (drawn, x, y, turn, width = 22) => h("span", { class: "laid", vars: { "--x": `${x}%`, "--y": `${y}%`, "--turn": `${turn}deg`, "--w": `${width}%` } }, drawn);

const PICTURES = {
  bluff: () => [laid(cardBack(), 20, 22, -16), laid(cardBack(), 34, 16, -4), laid(card("K", 1), 50, 20, 9), laid(card("A", 0), 62, 26, 20)],
  holdem: () => [laid(card("A", 1), 22, 18, -8), laid(card("K", 0), 38, 16, 6), laid(chips(5), 64, 42, 0, 15), laid(chips(3), 76, 52, 0, 13)],
  okey: () => [laid(tile(45), 20, 26, -5, 15), laid(tile(46), 36, 24, 0, 15), laid(tile(47, 47), 52, 24, 3, 15), laid(tile(7), 68, 28, 8, 15)],
  bidding: () => [laid(envelope(), 18, 34, -9, 30), laid(envelope(), 42, 26, 7, 30), laid(coin(), 68, 22, 0, 15), laid(coin(), 75, 48, 0, 15)],
  kuhn: () => [laid(card("K", null), 26, 12, -6, 24), laid(card("J", null), 50, 12, 8, 24)],
  leduc: () => [laid(card("Q", null), 20, 12, -8, 24), laid(cardBack(), 40, 10, 0, 24), laid(card("K", null), 58, 14, 9, 24)],
  "liars-dice": () => [laid(cup(), 20, 8, -8, 30), laid(die(5), 50, 32, 10, 20), laid(die(6), 68, 20, -12, 20)],
};

/** The picture of a game; one that is not known here has cards face down. */
export function picture(game) {
  const parts = PICTURES[game]?.() ?? [laid(cardBack(), 30, 18, -10), laid(cardBack(), 48, 18, 10)];
  return h("div", { class: "picture", "aria-hidden": "true" }, parts);
}
