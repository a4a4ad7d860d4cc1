// Coming to a table: with a token one sits down, without one one may join or watch.

import { get, post } from "./api.js";
import { fill, h } from "./dom.js";
import { keep, tokenFor } from "./seatbook.js";
import { set, setting } from "./settings.js";
import { TablePage } from "./table.js";

/** Sit down, watch, or ask which. */
export async function arrive(main, id, token, watching) {
  const own = token || (watching ? "" : tokenFor(id));
  const stranger = own && !watching && !tokenFor(id) && !setting("name");
  if (stranger) return introduce(main, id, () => new TablePage(main, id, own, false));
  if (watching || own) return void new TablePage(main, id, own, watching);
  return ask(main, id);
}

/** Somebody with a link of their own, who has not said what they are called. */
async function introduce(main, id, sit) {
  document.body.classList.remove("at-table");
  const table = await get(`/api/tables/${encodeURIComponent(id)}`).catch(() => null); // sitting down says what is wrong
  const others = table?.chairs.filter((each) => each.kind !== "open").map((each) => each.name) ?? [];
  const input = nameField();
  fill(main, h("div", { class: "panel stack arrival" }, h("h1", {}, table ? `You are invited to a game of ${table.title}` : "You are invited"),
    h("p", {}, `${others.length ? `At the table: ${others.join(", ")}. ` : ""}A seat is kept for you.`),
    h("form", { class: "stack", onsubmit: (event) => {
      event.preventDefault();
      set("name", input.value.trim());
      document.body.classList.add("at-table");
      sit();
    } }, h("label", { for: "name" }, "Your name", input), h("div", { class: "row" }, h("button", { class: "button main" }, "Sit down")))));
  input.focus();
}

const nameField = () => h("input", { id: "name", value: setting("name"), maxlength: 40, autocomplete: "nickname", required: true });

async function ask(main, id) {
  document.body.classList.remove("at-table");
  const table = await get(`/api/tables/${encodeURIComponent(id)}`).catch((refused) => ({ refused }));
  if (table.refused) {
    return fill(main, h("div", { class: "stack" }, h("h1", {}, "There is no such table."), h("p", {}, table.refused.message), h("p", {}, h("a", { href: "/" }, "To the lobby"))));
  }
  const open = table.chairs.filter((each) => each.kind === "open").length;
  const input = nameField();
  const said = h("p", { class: "error", role: "alert" });
  const join = h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    try {
      set("name", input.value.trim());
      const seat = await post(`/api/tables/${encodeURIComponent(id)}/join`, { name: input.value.trim() });
      keep({ table: id, token: seat.token, game: table.game, title: table.title, when: Date.now() });
      location.replace(seat.link);
      location.reload();
    } catch (refused) {
      said.textContent = refused.message;
    }
  } }, h("label", { for: "name" }, "Your name", input), h("div", { class: "row" }, h("button", { class: "button main" }, "Sit down"), h("a", { class: "button", href: `/watch/${id}` }, "Watch")), said);
  const full = h("div", { class: "stack" }, h("p", {}, table.status === "closed" ? "This table is closed." : "All seats are taken. Watch, or ask the host for another table."),
    h("div", { class: "row" }, h("a", { class: "button main", href: `/watch/${id}` }, "Watch"), h("a", { class: "button", href: "/" }, "To the lobby")));
  return fill(main, h("div", { class: "panel stack arrival" }, h("h1", {}, `A table of ${table.title}`),
    h("p", {}, `At the table: ${table.chairs.map((each) => (each.kind === "open" ? "an open seat" : each.name)).join(", ")}.`), open ? join : full));
}
