// Bidding Elimination: coins in a purse, a sealed envelope for every bid, and who is out.

import { coin, envelope } from "../art.js";
import { button, counted, h } from "../dom.js";
import { beat, fly, place } from "../motion.js";

const NONE = -1;

/** Whether a seat's bid of this round is in: bids come in the order of seats. */
const hasBid = (view, seat) => view.alive[seat] && seat < view.turn;
const roundOut = (view, seat) => view.out.indexOf(seat);
const left = (view) => view.alive.filter(Boolean).length;

export const bidding = {
  middle(ctx) {
    const { view } = ctx;
    const last = view.round - 1;
    const in_ = view.alive.map((alive, seat) => alive && h("li", { class: hasBid(view, seat) ? "sealed" : "awaited" },
      hasBid(view, seat) ? envelope() : h("span", { class: "slot envelope-slot" }), h("span", { class: "bidder" }, ctx.name(seat))));
    return [
      h("p", { class: "due" }, `Round ${view.round + 1} of ${view.alive.length - 1}`),
      h("ul", { class: "envelopes", "aria-label": "Bids of this round" }, in_),
      last >= 0 && h("p", { class: "last-round" }, envelope(true),
        `Lowest bid ${view.lowest[last]}: ${ctx.does(view.out[last], "went out", "went out")}. ${left(view)} are left.`),
    ];
  },

  badge(ctx, seat) {
    const round = roundOut(ctx.view, seat);
    return round >= 0 && !ctx.view.alive[seat] ? [`out in round ${round + 1}`] : [hasBid(ctx.view, seat) ? "bid sealed" : "still in"];
  },
  gone: (ctx, seat) => !ctx.view.alive[seat],

  hand(ctx) {
    const { view, local, choices } = ctx;
    if (view.seat < 0) return [];
    const purse = h("div", { class: "purse" }, coin(), h("strong", { class: "number" }, counted(Math.max(0, view.coins), "coin")), h("span", { class: "faint-felt" }, past(view)));
    if (!ctx.asked) return purse;
    const [least, most] = [choices[0].action, choices.at(-1).action];
    local.bid = Math.min(most, Math.max(least, local.bid ?? Math.floor(view.coins / Math.max(1, left(view) - 1))));
    const choose = (bid) => { local.bid = Math.min(most, Math.max(least, bid)); ctx.refresh(); };
    const slide = (slider) => { // the slider stays in the hand that moves it
      local.bid = Number(slider.value);
      slider.setAttribute("aria-valuetext", counted(local.bid, "coin"));
      document.getElementById("bid-number").value = local.bid;
      ctx.relabel();
    };
    return [purse, h("div", { class: "bid-row" },
      button("−", () => choose(local.bid - 1), { kind: "round", "aria-label": "One coin less", id: "less" }),
      h("input", { type: "range", id: "bid", min: least, max: most, value: local.bid, "aria-label": "Your bid", "aria-valuetext": counted(local.bid, "coin"), oninput: (event) => slide(event.target) }),
      button("+", () => choose(local.bid + 1), { kind: "round", "aria-label": "One coin more", id: "more" }),
      h("input", { type: "number", id: "bid-number", min: least, max: most, value: local.bid, "aria-label": "Your bid in coins", onchange: (event) => choose(Math.round(Number(event.target.value) || 0)) }))];
  },

  buttons(ctx) {
    if (!ctx.asked) return [];
    const bid = ctx.local.bid ?? Math.floor(ctx.view.coins / Math.max(1, left(ctx.view) - 1));
    const choice = ctx.choices.find((each) => each.action === bid) ?? ctx.choices[0];
    return [{ label: `Seal: ${choice.label}`, key: "Enter", kind: "main", go: () => { ctx.local.bid = undefined; ctx.send([choice.action]); } }];
  },

  key(ctx, event) {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
    if (!ctx.asked || !step || ctx.local.bid === undefined) return false;
    ctx.local.bid = Math.min(ctx.choices.at(-1).action, Math.max(ctx.choices[0].action, ctx.local.bid + step));
    ctx.refresh();
    return true;
  },

  async arrive(ctx, before, after) {
    const middle = document.querySelector(".envelopes");
    if (after.round === before.round) await fly(envelope, place(before.turn === after.seat ? document.querySelector(".purse") : ctx.plate(before.turn)), place(middle));
    else {
      await beat();
      await fly(() => envelope(true), place(middle), place(ctx.plate(after.out[before.round])));
    }
  },
};

/** One's own bids so far. */
function past(view) {
  const bids = view.bids.slice(0, view.round).filter((bid) => bid !== NONE);
  return bids.length ? `bids so far: ${bids.join(", ")}` : "";
}
