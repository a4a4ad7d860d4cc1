// Before the game: who is there, who is waited for, and their links.

import { agentSelect, inviteRow } from "./company.js";
import { button, h } from "./dom.js";
import { seats as kept } from "./seatbook.js";
import { set } from "./settings.js";

/** The table while chairs are open, or while the server prepares it. */
export function waitingPanel(page, state) {
  const open = state.seats.filter((each) => each.kind === "open" || (each.kind === "person" && !each.here && each.chair !== state.chair));
  const links = kept().find((each) => each.table === page.id)?.links ?? [];
  const own = state.seats.find((each) => each.chair === state.chair);
  return h("div", { class: "panel waiting stack" },
    h("h2", {}, open.length ? "Waiting for company" : "The table is being set"),
    h("p", { role: "status" }, state.wait),
    own && nameForm(page, own),
    h("ol", { class: "chairs" }, state.seats.map((each) => chair(page, state, each))),
    links.length && open.length ? h("div", { class: "stack" }, h("h3", {}, "A link for each friend"),
      h("ul", { class: "invites" }, links.filter((each) => open.some((seat) => seat.chair === each.chair)).map((each) => inviteRow(`chair ${each.chair + 1}`, each.link)))) : null,
    open.length && !links.length ? h("ul", { class: "invites" }, inviteRow("a friend", `/table/${page.id}`)) : null);
}

function nameForm(page, own) {
  const input = h("input", { name: "name", value: own.name, maxlength: 40, autocomplete: "nickname", "aria-label": "Your name", id: "own-name" });
  return h("form", { class: "row", onsubmit: (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (!name) return;
    set("name", name);
    page.line.send({ name });
  } }, h("label", { for: "own-name" }, "Your name"), input, h("button", { class: "button small" }, "Take it"));
}

function chair(page, state, each) {
  const who = each.kind === "open" ? "open" : each.kind === "agent" ? `${each.name}, an agent` : `${each.name}${each.here ? ", here" : ", not here yet"}`;
  const fill = state.host && each.kind === "open"
    ? agentSelect(page.game, "", (agent) => page.line.send({ chair: each.chair, agent }), `An agent for chair ${each.chair + 1}`) : null;
  const free = state.host && each.kind === "agent" ? button("Open it", () => page.line.send({ open: each.chair }), { kind: "small quiet" }) : null;
  return h("li", { class: "row" }, h("span", {}, `Chair ${each.chair + 1}: ${who}`), fill, free);
}
