// Cards, tiles, chips, coins, envelopes and dice, drawn from the symbols of art/symbols.svg.

import { s } from "./dom.js";

const SYMBOLS = new URL("../art/symbols.svg", import.meta.url).pathname;
const COURT = { J: "jack", Q: "queen", K: "king" };
const SUIT_NAMES = ["spade", "heart", "diamond", "club"];
const RANK_NAMES = { A: "ace", J: "jack", Q: "queen", K: "king" };
const TILE_COLOURS = ["yellow", "blue", "black", "red"];

/** A symbol, placed. */
function symbol(name, attributes = {}) {
  return s("use", { href: `${SYMBOLS}#${name}`, ...attributes });
}

/** A symbol as a picture of its own. */
export function icon(name, className = "icon", box = "0 0 20 20") {
  return s("svg", { class: className, viewBox: box, "aria-hidden": "true", focusable: "false" }, symbol(name));
}

/**
 * A playing card face up.
 * @param {string} rank as it is printed: "A", "10", "K"
 * @param {number|null} suit 0 to 3 for spades, hearts, diamonds, clubs; null where the game has none
 */
export function card(rank, suit) {
  const name = suit === null ? null : SUIT_NAMES[suit];
  const shown = [
    s("rect", { class: "paper", x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 6 }),
    s("text", { class: rank.length > 1 ? "rank narrow" : "rank", x: 14, y: 25, "text-anchor": "middle" }, rank),
  ];
  if (name) shown.push(symbol(name, { x: 6, y: 30, width: 16, height: 16 }));
  const emblem = COURT[rank] ?? name;
  if (emblem) shown.push(symbol(emblem, { class: "emblem", x: 23, y: 42, width: 32, height: 32 }));
  return s("svg", { class: `card ${name ? `suit-${name}` : "suit-none"}`, viewBox: "0 0 60 84", "aria-hidden": "true" }, shown);
}

/** A card in words: "ace of spades". */
export function cardName(rank, suit) {
  const named = RANK_NAMES[rank] ?? rank;
  return suit === null ? named : `${named} of ${SUIT_NAMES[suit]}s`;
}

/** A card face down. */
export function cardBack() {
  return s("svg", { class: "card back", viewBox: "0 0 60 84", "aria-hidden": "true" },
    s("rect", { class: "paper", x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 6 }),
    s("rect", { class: "back-field", x: 5, y: 5, width: 50, height: 74, rx: 3.5 }),
    s("path", { class: "back-line", d: "M5 24 30 5l25 19M5 42 30 23l25 19M5 60 30 41l25 19M5 78 30 59l25 19" }));
}

/**
 * A tile of Okey.
 * @param {number} kind 0 to 51: colour * 13 + number - 1; 52 the false joker
 * @param {number} okey the kind that is wild, or -1
 */
export function tile(kind, okey = -1) {
  const joker = kind === okey;
  const colour = kind < 52 ? TILE_COLOURS[Math.floor(kind / 13)] : "false";
  const shown = [s("rect", { class: "paper", x: 0.75, y: 0.75, width: 42.5, height: 58.5, rx: 5 })];
  if (kind < 52) {
    shown.push(s("text", { class: kind % 13 > 8 ? "number narrow" : "number", x: 21.5, y: 32, "text-anchor": "middle" }, String((kind % 13) + 1)),
      symbol(`tile-${colour}`, { x: 14, y: 38, width: 16, height: 16 }));
  } else shown.push(symbol("star-hollow", { x: 8, y: 16, width: 28, height: 28 }));
  if (joker) {
    shown.push(s("rect", { class: "wild", x: 2.5, y: 2.5, width: 39, height: 55, rx: 4 }),
      symbol("star", { class: "wild-star", x: 30, y: 44, width: 12, height: 12 }));
  }
  return s("svg", { class: `tile tile-${colour} ${joker ? "joker" : ""}`, viewBox: "0 0 44 60", "aria-hidden": "true" }, shown);
}

/** A tile in words, as the log has it. */
export function tileName(kind, okey = -1) {
  if (kind === 52) return "false joker";
  const face = `${TILE_COLOURS[Math.floor(kind / 13)]} ${(kind % 13) + 1}`;
  return kind === okey ? `joker (${face})` : face;
}

/** A tile face down. */
export function tileBack() {
  return s("svg", { class: "tile back", viewBox: "0 0 44 60", "aria-hidden": "true" },
    s("rect", { class: "paper", x: 0.75, y: 0.75, width: 42.5, height: 58.5, rx: 5 }),
    s("circle", { class: "back-line", cx: 22, cy: 30, r: 9 }));
}

const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/** A die that shows a face from 1 to 6. */
export function die(face) {
  const pips = PIPS[face].map((at) => s("circle", { class: "pip", cx: 10 + 10 * (at % 3), cy: 10 + 10 * Math.floor(at / 3), r: 3.4 }));
  return s("svg", { class: "die", viewBox: "0 0 40 40", "aria-hidden": "true" },
    s("rect", { class: "paper", x: 1, y: 1, width: 38, height: 38, rx: 7 }), pips);
}

/** A small stack of chips, as high as there are, up to a few. */
export function chips(count, most = 6) {
  const high = Math.max(1, Math.min(most, count));
  const stack = Array.from({ length: high }, (_, nth) => symbol("chip", { x: 0, y: 4 * (high - 1 - nth), width: 30, height: 30 })).reverse();
  return s("svg", { class: "chips", viewBox: `0 0 30 ${30 + 4 * (high - 1)}`, "aria-hidden": "true" }, stack.reverse());
}

export const envelope = (open = false) => icon(open ? "envelope-open" : "envelope", "envelope", "0 0 48 34");
export const coin = () => icon("coin", "coin", "0 0 40 40");
export const cup = () => icon("cup", "cup", "0 0 40 40");
