// Bluff: a fan of cards to pick from, the pile, and the moment of the call.

import { card, cardBack, cardName } from "../art.js";
import { counted, fill, h } from "../dom.js";
import { beat, fly, pause, place, turnOver } from "../motion.js";
import { backs } from "../seats.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const NAMES = ["Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"];
const plural = (rank) => `${NAMES[rank]}${NAMES[rank] === "Six" ? "es" : "s"}`;
const NOBODY = -1;

const ranksOf = (view) => view.hand[0].length;
const dueOf = (view) => view.turn % ranksOf(view);
const playerOf = (view) => view.turn % view.sizes.length;
const pileOf = (view) => view.pile.filter((who) => who !== NOBODY).length;
const mostOf = (view) => view.log.shown[0].length;

/** The cards of a mask as {rank, copy, suit, stamp}; of a rank, the one held longest first, which is laid first. */
function cardsOf(view, mask, suits = 4) {
  const found = [];
  for (let rank = 0; rank < ranksOf(view); rank += 1) {
    const same = [];
    mask.forEach((row, copy) => row[rank] && same.push({ rank, copy, suit: copy % suits, stamp: view.stamp[copy][rank] }));
    found.push(...same.sort((one, other) => one.stamp - other.stamp));
  }
  return found;
}

/** Which cards of the hand the picks stand for: of each rank as many as were picked, those held longest. */
function raised(hand, picks) {
  const left = { ...picks };
  return hand.map((each) => (left[each.rank] ?? 0) > 0 && left[each.rank]-- > 0);
}

const total = (picks) => Object.values(picks).reduce((sum, count) => sum + count, 0);

export const bluff = {
  badge: (ctx, seat) => [counted(ctx.view.sizes[seat], "card")],
  extra: (ctx, seat) => backs(ctx.view.sizes[seat]),

  middle(ctx) {
    const { view } = ctx;
    const due = dueOf(view);
    const size = pileOf(view);
    const claim = view.claim;
    const backs = Array.from({ length: Math.min(size - claim, 12) }, (_, nth) =>
      h("span", { class: "in-pile", vars: { "--nth": nth, "--lean": ((nth * 47) % 23) - 11 } }, cardBack()));
    const claimed = Array.from({ length: claim }, () => h("span", { class: "claimed-card" }, cardBack()));
    const who = playerOf(view);
    const said = claim ? `${ctx.does(who, "say", "says")} ${claim} ${claim === 1 ? NAMES[due] : plural(due)}` : `${plural(due)} are due`;
    return [
      h("p", { class: "due" }, said),
      h("div", { class: "pile-row" },
        h("div", { class: "pile", id: "pile", role: "img", "aria-label": size ? `The pile has ${counted(size, "card")}.` : "The pile is empty." },
          backs.length ? backs : h("span", { class: "slot" })),
        claim ? h("div", { class: "claimed", "aria-hidden": "true" }, claimed) : null),
      h("p", { class: "pile-size number" }, size ? `${counted(size, "card")} in the pile` : "The pile is empty"),
    ];
  },

  hand(ctx) {
    const { view, local } = ctx;
    if (view.seat < 0) return [];
    const cards = cardsOf(view, view.hand, ctx.suits ?? 4);
    const laying = ctx.asked && view.asked === 0;
    if (!laying) local.picks = {};
    local.picks ??= {};
    const up = raised(cards, local.picks);
    const already = cardsOf(view, view.picked, ctx.suits ?? 4);
    const perRow = Math.max(7, Math.floor((ctx.width - 34) / 22));
    const rows = Math.max(1, Math.ceil(cards.length / Math.min(perRow, 22)));
    const length = Math.ceil(cards.length / rows);
    const fan = Array.from({ length: rows }, (_, row) => {
      const part = cards.slice(row * length, (row + 1) * length);
      return h("div", { class: "fan-row", vars: { "--cards": part.length } }, part.map((each, nth) => {
        const index = row * length + nth;
        const lifted = up[index];
        return h("button", {
          type: "button", id: `card-${each.copy}-${each.rank}`, class: `fan-card ${lifted ? "lifted" : ""} ${laying && each.rank === dueOf(view) ? "true-card" : ""}`,
          "aria-pressed": laying ? String(Boolean(lifted)) : null, "aria-disabled": laying ? null : "true",
          "aria-label": cardName(RANKS[each.rank], each.suit), tabindex: laying ? null : "-1",
          vars: { "--at": rows === 1 ? (nth - (part.length - 1) / 2) / Math.max(7, part.length / 2) : 0 },
          onclick: (event) => pick(ctx, each.rank, lifted, event.currentTarget),
        }, card(RANKS[each.rank], each.suit));
      }));
    });
    return [
      already.length ? h("p", { class: "faint-felt" }, `Already picked: ${already.map((each) => RANKS[each.rank]).join(" ")}.`) : null,
      h("div", { class: `fan rows-${rows}`, role: "group", "aria-label": `Your hand, ${counted(cards.length, "card")}` }, fan),
    ];
  },

  buttons(ctx) {
    const { view, local } = ctx;
    if (!ctx.asked) return [];
    if (view.asked > 0) {
      const [trust, call] = ["trust", "call"].map((each) => ctx.choices.find((choice) => kindOf(view, choice) === each));
      return [
        { label: "Call bluff", key: "C", kind: "main", go: () => ctx.send([call.action]) },
        { label: "Trust", key: "T", go: () => ctx.send([trust.action]) },
      ];
    }
    const count = total(local.picks ?? {}) + cardsOf(view, view.picked).length;
    const due = dueOf(view);
    const label = count ? `Lay ${counted(count, "card")} as ${count === 1 ? NAMES[due] : plural(due)}` : `Pick cards to lay as ${plural(due)}`;
    return [
      { label, key: "Enter", kind: "main", disabled: !count, go: () => lay(ctx) },
      total(local.picks ?? {}) > 0 && { label: "Take back", key: "U", go: () => { local.picks = {}; ctx.refresh(); } },
    ].filter(Boolean);
  },

  /** A digit or a letter picks a card of that rank. */
  key(ctx, event) {
    if (!ctx.asked || ctx.view.asked > 0) return false;
    const pressed = { 1: "10", 0: "10", T: "10" }[event.key.toUpperCase()] ?? event.key.toUpperCase();
    const rank = RANKS.indexOf(pressed);
    if (rank < 0 || rank >= ranksOf(ctx.view)) return false;
    const held = cardsOf(ctx.view, ctx.view.hand).filter((each) => each.rank === rank).length;
    const picked = ctx.local.picks?.[rank] ?? 0;
    if (!held) ctx.refuse(`You hold no ${plural(rank)}.`);
    else if (picked === held) { ctx.local.picks[rank] = 0; ctx.refresh(); } else pick(ctx, rank, false, null);
    return true;
  },

  async arrive(ctx, before, after) {
    const revealed = after.log.honest[0] !== NOBODY && after.log.count[0] > 0 && before.claim > 0 && before.turn !== after.turn;
    if (revealed) return reveal(ctx, before, after);
    if (after.claim && !before.claim) {
      const player = playerOf(after);
      const from = player === after.seat ? place(document.querySelector(".lifted") ?? document.querySelector(".fan")) : place(ctx.plate(player));
      return fly(cardBack, from, place(document.getElementById("pile")), after.claim);
    }
    return null;
  },
};

/** What a choice is: the last three actions are laying, trusting and calling. */
function kindOf(view, choice) {
  return { 0: "lay", 1: "trust", 2: "call" }[choice.action - ranksOf(view)] ?? "pick";
}

function pick(ctx, rank, lifted, element) {
  const { view, local } = ctx;
  if (!ctx.asked || view.asked > 0) {
    ctx.refuse(ctx.asked ? "Answer first: call bluff, or trust." : "It is not your turn to lay.", element);
    return;
  }
  const least = Math.max(0, ...cardsOf(view, view.picked).map((each) => (each.rank - dueOf(view) + ranksOf(view)) % ranksOf(view)));
  if ((rank - dueOf(view) + ranksOf(view)) % ranksOf(view) < least) {
    ctx.refuse("Cards that were picked before stay: pick the same rank, or one above it.", element);
    return;
  }
  if (!lifted && total(local.picks) + cardsOf(view, view.picked).length >= mostOf(view)) {
    ctx.refuse(`At most ${counted(mostOf(view), "card")} may be laid in one turn.`, element);
    return;
  }
  local.picks = { ...local.picks, [rank]: (local.picks[rank] ?? 0) + (lifted ? -1 : 1) };
  ctx.refresh();
}

/** The picks, upwards from the rank due, and the laying down, as one play. */
function lay(ctx) {
  const { view, local } = ctx;
  const ranks = ranksOf(view);
  const picks = Object.entries(local.picks ?? {}).flatMap(([rank, count]) => Array(count).fill((Number(rank) - dueOf(view) + ranks) % ranks));
  if (!picks.length && !cardsOf(view, view.picked).length) {
    ctx.refuse("Nobody may pass: pick at least one card.");
    return;
  }
  ctx.send([...picks.sort((one, other) => one - other), ranks]);
}

/** Everybody sees who calls; a beat; the cards turn over one by one; the verdict; the pile goes to whoever takes it. */
async function reveal(ctx, before, after) {
  const [caller, player] = [after.log.caller[0], after.log.player[0]];
  const honest = after.log.honest[0] === 1;
  const ranks = ranksOf(before);
  const shown = after.log.shown[0].filter((each) => each >= 0);
  const slots = shown.map(() => h("span", { class: "shown-card" }, cardBack()));
  const verdict = h("p", { class: "verdict" });
  const said = `${after.log.count[0]} ${after.log.count[0] === 1 ? NAMES[after.log.rank[0]] : plural(after.log.rank[0])}`;
  const scene = h("div", { class: "call-scene" },
    h("p", { class: "caller" }, `${ctx.does(caller, "call", "calls")} bluff!`),
    h("p", { class: "faint-felt" }, `${ctx.does(player, "say", "says")} ${said}.`),
    h("div", { class: "shown-cards" }, slots), verdict);
  ctx.sound("call");
  fill(ctx.middle, scene);
  if (ctx.pace) await beat();
  await turnOver(slots, (nth) => fill(slots[nth], card(RANKS[shown[nth] % ranks], Math.floor(shown[nth] / ranks) % (ctx.suits ?? 4))));
  const taker = honest ? caller : player;
  const size = pileOf(before);
  verdict.classList.add(honest ? "truth" : "lie");
  verdict.textContent = `${honest ? "The truth" : "A lie"}: ${ctx.does(taker, "take", "takes")} ${counted(size, "card")}.`;
  ctx.sound(honest ? "truth" : "lie");
  await pause(ctx.pace ? Math.min(2500, 700 + 1000 * ctx.pace) : 150); // long enough to be read, unless nobody wants to
  await fly(cardBack, place(scene), place(taker === after.seat ? document.querySelector(".own") : ctx.plate(taker)), Math.min(size, 5));
}
