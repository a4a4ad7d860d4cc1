// The name plates around the table, clockwise from one's own seat.

import { cardBack } from "./art.js";
import { h } from "./dom.js";

/** The other seats in the order of turns; for a spectator all of them. */
export function others(state) {
  const count = state.seats.length;
  const first = state.seat ?? -1;
  return Array.from({ length: count - (first >= 0 ? 1 : 0) }, (_, nth) => (first + 1 + nth) % count);
}

/** The plates as a list, each with what the game has to say of its seat. */
export function plates(ctx, onOpen) {
  const around = others(ctx.state);
  const crowded = around.length > 7;
  return h("ol", { class: `plates ${crowded ? "crowded" : ""}`, "aria-label": "At the table", vars: { "--count": around.length } },
    around.map((seat, nth) => plate(ctx, seat, spot(nth, around.length), onOpen)));
}

/** Where on an arc from the left over the top to the right the n-th of several sits, in hundredths of the felt. */
function spot(nth, count) {
  const angle = Math.PI * ((nth + 0.5) / count);
  return { "--x": `${50 - 41 * Math.cos(angle)}%`, "--y": `${64 - 47 * Math.sin(angle)}%` };
}

function plate(ctx, seat, vars, onOpen) {
  const who = ctx.state.seats[seat];
  const { face, view } = ctx;
  const acts = ctx.state.turn === seat;
  const classes = ["plate", acts && "acts", view && face.gone?.(ctx, seat) && "gone", who.kind === "person" && !who.here && "away"].filter(Boolean);
  const facts = view ? (face.badge?.(ctx, seat) ?? []) : [];
  const role = who.kind === "open" ? "waiting for somebody" : who.sitting_in ? `${who.sitting_in} sits in` : who.kind === "person" ? (who.here ? "" : "away") : who.character;
  return h("li", { class: classes.join(" "), id: `plate-${seat}`, vars },
    h("button", { type: "button", class: "plate-name", onclick: () => onOpen(seat), title: who.name,
      "aria-label": `${who.name || "Open seat"}${acts ? ", to move" : ""}${role ? `: ${role}` : ""}` },
      h("span", { class: "turn-mark", "aria-hidden": "true" }), h("span", { class: "name" }, who.name || "Open seat")),
    role && h("span", { class: "character", "aria-hidden": "true" }, role),
    facts.length ? h("span", { class: "facts number" }, facts) : null,
    view && face.extra?.(ctx, seat));
}

/** A few backs beside a name, for games of cards. */
export function backs(count) {
  return h("span", { class: "backs", "aria-hidden": "true" }, Array.from({ length: Math.min(count, 14) }, () => h("span", {}, cardBack())));
}
