// A table with friends: who sits where, then a link for each.

import { post } from "./api.js";
import { fill, h } from "./dom.js";
import { dialog } from "./notice.js";
import { keep } from "./seatbook.js";
import { set, setting } from "./settings.js";

/** Ask how the table is to be, and go there. */
export function friendsDialog(game) {
  const name = h("input", { id: "host-name", value: setting("name"), maxlength: 40, autocomplete: "nickname", required: true });
  const count = h("input", { id: "players", type: "number", min: game.players.least, max: game.players.most, value: game.players.usual, required: true });
  const chairs = h("ol", { class: "stack company" });
  const hints = h("input", { type: "checkbox" });
  const open = h("input", { type: "checkbox" });
  const said = h("p", { class: "error", role: "alert" });
  const draw = () => {
    const wanted = Math.min(game.players.most, Math.max(game.players.least, Number(count.value) || 0));
    fill(chairs, Array.from({ length: wanted - 1 }, (_, nth) => h("li", {}, chair(game, nth))));
  };
  count.addEventListener("input", draw);
  draw();
  const form = h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    try {
      set("name", name.value.trim());
      const others = [...chairs.querySelectorAll("select")].map((select) => (select.value ? { agent: select.value } : { open: true }));
      const made = await post("/api/tables", { game: game.name, chairs: [{ person: name.value.trim() }, ...others], hints: hints.checked, pace: setting("pace"), public: open.checked });
      const [own, ...links] = made.chairs.filter((each) => each.link);
      keep({ table: made.table, token: own.token, game: game.name, title: game.title, when: Date.now(), links: links.map(({ chair: at, link }) => ({ chair: at, link })) });
      location.assign(own.link);
    } catch (refused) {
      said.textContent = refused.message;
    }
  } },
  h("label", { for: "host-name" }, "Your name", name), h("label", { for: "players" }, "Players", count),
  h("fieldset", { class: "choice" }, h("legend", {}, "The other chairs, clockwise"), chairs),
  h("label", {}, hints, "Hints may be asked for"), h("label", {}, open, "Show the table in the lobby"),
  h("div", { class: "row" }, h("button", { class: "button main" }, "Make the table")), said);
  dialog(`${game.title} with friends`, h("p", { class: "faint" }, "You get a link for each friend to send. Whoever leaves comes back by the same link."), form);
}

/** A friend, or one of the agents. */
function chair(game, nth) {
  return h("select", { "aria-label": `Chair ${nth + 2}` }, h("option", { value: "" }, "a friend"),
    game.agents.map((each) => h("option", { value: each.agent, selected: nth > 0 && each.agent === (game.levels.fair ?? [])[nth % (game.levels.fair?.length || 1)] }, each.name)));
}
