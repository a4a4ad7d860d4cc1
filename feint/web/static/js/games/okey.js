// Okey: the centre, the indicator and the discards on the table, one's own tiles on a rack.

import { tile, tileBack, tileName } from "../art.js";
import { counted, h } from "../dom.js";
import { fly, place } from "../motion.js";
import { rack, selectedKind } from "./rack.js";

const [DRAW, TAKE, FINISH, FINISH_WITH_JOKER, SHOW, DECLARE, DISCARD] = [0, 1, 2, 3, 4, 5, 6];
const NONE = -1;
const RECENT = 4; // discards of each player that are shown

/** The kind that is wild: the next number of the indicator's colour, 1 after 13. */
const okeyOf = (view) => Math.floor(view.indicator / 13) * 13 + ((view.indicator + 1) % 13);
const players = (view) => view.points.length;
const playerAt = (view, turn) => (view.hand + turn) % players(view);
const offered = (view) => (view.turn > 0 ? view.log[view.turn - 1] : NONE);

/** The last discards of a seat that still lie there, the latest last. */
function discards(view, seat) {
  const turns = Array.from({ length: view.turn }, (_, turn) => turn).filter((turn) => playerAt(view, turn) === seat && !view.took[turn + 1]);
  return turns.slice(-RECENT).map((turn) => view.log[turn]);
}

const may = (ctx, action) => ctx.asked && ctx.choices.some((each) => each.action === action);
const small = (kind, okey, className = "small-tile") => h("span", { class: className, role: "img", "aria-label": tileName(kind, okey) }, tile(kind, okey));

export const okey = {
  middle(ctx) {
    const { view } = ctx;
    const wild = okeyOf(view);
    const draw = may(ctx, DRAW);
    const take = may(ctx, TAKE);
    const last = offered(view);
    return [
      h("div", { class: "okey-middle" },
        h("figure", {}, small(view.indicator, NONE, "table-tile"), h("figcaption", {}, "indicator")),
        h("figure", {}, small(wild, wild, "table-tile"), h("figcaption", {}, "is the joker")),
        h("figure", {}, h("button", { type: "button", id: "centre", class: `table-tile ${draw ? "offered" : ""}`, disabled: !draw, "aria-label": `Draw from the centre, ${counted(view.centre, "tile")} left`, onclick: () => ctx.send([DRAW]) }, tileBack()),
          h("figcaption", { class: "number" }, `${view.centre} left`)),
        h("figure", {}, last === NONE ? h("span", { class: "slot table-tile" })
          : h("button", { type: "button", id: "discard", class: `table-tile ${take ? "offered" : ""}`, disabled: !take, "aria-label": `Take ${tileName(last, wild)}`, onclick: () => ctx.send([TAKE]) }, tile(last, wild)),
          h("figcaption", {}, "last discard"))),
      ctx.options.countdown || view.hand ? h("p", { class: "faint-felt" }, `Hand ${view.hand + 1}`) : null,
    ];
  },

  badge(ctx, seat) {
    const { view } = ctx;
    return [ctx.options.countdown ? `${view.points[seat]} points` : "", view.declared[seat] ? "pairs" : ""].filter(Boolean);
  },
  extra: (ctx, seat) => h("span", { class: "plate-tiles" }, discards(ctx.view, seat).map((kind) => small(kind, okeyOf(ctx.view)))),

  hand: (ctx) => (ctx.view.seat < 0 ? [] : rack(ctx, okeyOf(ctx.view), (kind) => discard(ctx.page.context(), kind))),

  buttons(ctx) {
    if (!ctx.asked) return [];
    const { view } = ctx;
    const wild = okeyOf(view);
    const found = [];
    const add = (action, label, key, kind = "") => may(ctx, action) && found.push({ label, key, kind, go: () => ctx.send([action]) });
    add(FINISH, "Finish", "F", "main");
    add(FINISH_WITH_JOKER, "Finish with the joker", "J", "main");
    add(DRAW, view.centre ? "Draw" : "End the hand", "D", "main");
    add(TAKE, `Take ${tileName(offered(view), wild)}`, "T");
    if (!view.drawing) {
      const kind = selectedKind(ctx);
      found.push({ label: kind === null ? "Pick a tile to discard" : `Discard ${tileName(kind, wild)}`, key: "Enter", kind: found.length ? "" : "main", disabled: kind === null, go: () => discard(ctx, kind) });
    }
    add(SHOW, "Show the indicator's twin", "W");
    add(DECLARE, "Declare pairs", "P");
    found.push({ label: "Arrange", key: "A", go: () => { ctx.local.slots = null; ctx.refresh(); }, title: "Put the tiles in order, melds first" });
    return found;
  },

  /** The tiles of whoever finished. */
  showdown(ctx) {
    const { past } = ctx.view;
    if (past.winner === NONE) return null;
    const kinds = past.rack.flatMap((count, kind) => Array(count).fill(kind));
    const wild = Math.floor(past.indicator / 13) * 13 + ((past.indicator + 1) % 13);
    return h("div", { class: "plate-tiles wrapping", role: "group", "aria-label": `${ctx.name(past.winner)} finished with these tiles` }, kinds.map((kind) => small(kind, wild)));
  },

  async arrive(ctx, before, after) {
    if (after.turn > before.turn && after.hand === before.hand) {
      const seat = playerAt(before, before.turn);
      const kind = after.log[before.turn];
      if (kind === NONE) return;
      await fly(() => tile(kind, okeyOf(after)), place(seat === after.seat ? document.querySelector(".rack") : ctx.plate(seat)), place(document.getElementById("discard") ?? ctx.middle));
    } else if (before.drawing && !after.drawing) {
      const seat = playerAt(before, before.turn);
      const took = after.took[after.turn];
      await fly(took ? () => tile(offered(before), okeyOf(after)) : tileBack, place(document.getElementById(took ? "discard" : "centre")), place(seat === after.seat ? document.querySelector(".rack") : ctx.plate(seat)));
    }
  },
};

function discard(ctx, kind) {
  if (!may(ctx, DISCARD + kind)) {
    ctx.refuse(ctx.view.drawing ? "First draw a tile from the centre, or take the last discard." : "That tile cannot be discarded now.");
    return;
  }
  ctx.local.selected = null;
  ctx.send([DISCARD + kind]);
}
