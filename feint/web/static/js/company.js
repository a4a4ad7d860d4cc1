// Who sits at the table: characters of agents, other agents, somebody to sit in, open chairs.

import { copy } from "./clipboard.js";
import { button, h } from "./dom.js";
import { dialog } from "./notice.js";
import { ratingOf } from "./ratings.js";

/** A list of the game's agents to choose from, each with its character. */
export function agentSelect(game, chosen, onChoose, label) {
  const select = h("select", { "aria-label": label, onchange: () => onChoose(select.value) },
    game.agents?.some((each) => each.agent === chosen) ? null : h("option", { value: chosen || "", selected: true }, chosen || "choose an agent"),
    (game.agents ?? []).map((each) => h("option", { value: each.agent, selected: each.agent === chosen }, each.name)));
  return select;
}

const characterOf = (game, agent) => game.agents?.find((each) => each.agent === agent)?.character ?? "";

/** One seat: who it is, and what may be done about it. */
export function seatDialog(page, seat) {
  const { state, game } = page;
  const who = state.seats[seat];
  const shown = h("p", { class: "faint" }, who.kind === "agent" ? who.character || characterOf(game, who.agent) : who.here ? "Is here." : "Is away at the moment.");
  const parts = [h("p", { class: "faint number" })];
  if (who.agent) ratingOf(game.name, who.agent).then((said) => { parts[0].textContent = said; });
  if (who.kind === "agent" && state.host) {
    parts.push(h("label", {}, "Another agent in this chair", agentSelect(game, who.agent, (agent) => {
      page.line.send({ chair: who.chair, agent });
      shown.textContent = characterOf(game, agent);
    }, `Agent in the chair of ${who.name}`)));
  }
  if (who.kind === "person" && state.chair !== null && !who.here) {
    parts.push(who.sitting_in
      ? button("Let the chair wait again", () => { page.line.send({ sit_in: who.chair, agent: null }); box.close(); })
      : h("label", {}, "Let an agent sit in", agentSelect(game, "", (agent) => { page.line.send({ sit_in: who.chair, agent }); box.close(); }, "Agent to sit in")));
  }
  const box = dialog(who.name || "Open seat", shown, ...parts);
}

/** All chairs at once, before the next game. */
export function companyDialog(page) {
  const { state, game } = page;
  const rows = state.seats.map((who) => {
    const said = h("span", { class: "faint" }, who.kind === "agent" ? who.character || characterOf(game, who.agent) : "");
    const choice = who.kind === "person" || !state.host
      ? h("strong", {}, who.chair === state.chair ? `${who.name} (you)` : who.name || "Open")
      : agentSelect(game, who.agent, (agent) => { page.line.send({ chair: who.chair, agent }); said.textContent = characterOf(game, agent); }, `Chair ${who.chair + 1}`);
    return h("li", { class: "stack" }, choice, said);
  });
  dialog("Company", state.host ? null : h("p", {}, "Only the host changes who sits here."), h("ol", { class: "company stack" }, rows),
    h("p", { class: "faint" }, "Whoever is changed plays from the next move on."));
}

/** A link for somebody, with a button that copies it. */
export function inviteRow(name, link) {
  const url = new URL(link, location.origin).href;
  return h("li", { class: "row" }, h("span", {}, name), h("input", { readonly: true, value: url, "aria-label": `Link for ${name}`, onclick: (event) => event.target.select() }),
    button("Copy", () => copy(url, `The link for ${name} is copied: send it.`), { kind: "small" }));
}
