// The lobby: one click to a game.

import { games, get, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { friendsDialog } from "./friends.js";
import { radios, rulesDialog } from "./menu.js";
import { notice } from "./notice.js";
import { picture } from "./pictures.js";
import { topRated } from "./ratings.js";
import { forget, keep, seats } from "./seatbook.js";
import { set, setting } from "./settings.js";

const LARGE = 4;
const LEVELS = [["easy", "easy"], ["fair", "fair"], ["strong", "strong"]];

/** Show the lobby. */
export async function lobby(main) {
  document.title = "feint, a laboratory for games of bluff";
  const list = h("div", { class: "game-cards" }, h("p", { class: "faint" }, "Looking for the games …"));
  const small = h("div", { class: "small-games" });
  const goOn = h("section", { class: "stack", hidden: true });
  const tables = h("section", { class: "stack", hidden: true });
  const rated = h("section", { class: "stack", hidden: true });
  fill(main,
    h("div", { class: "row between lobby-head" },
      h("div", {}, h("h1", {}, "Games of bluff"), h("p", { class: "faint" }, "Others hide what they know. Sit down with them.")),
      radios("Opponents", "level", LEVELS, setting("level"), (level) => set("level", level))),
    list, h("div", { class: "lobby-more" }, goOn, tables, rated, h("section", { class: "stack small-section", hidden: true }, h("h2", {}, "Small games"), small)));
  let offered;
  try {
    offered = await games();
  } catch (refused) {
    fill(list, h("div", { class: "panel stack" }, h("p", { role: "alert" }, refused.message), h("div", { class: "row" }, button("Try again", () => lobby(main), { kind: "main" }))));
    return;
  }
  fill(list, offered.slice(0, LARGE).map((game) => gameCard(game)));
  fill(small, offered.slice(LARGE).map((game) => gameCard(game, true)));
  small.parentElement.hidden = offered.length <= LARGE;
  toGoOnWith(goOn);
  toWatch(tables);
  topRated(rated);
}

function gameCard(game, small = false) {
  const begin = (event) => once(event, () => playNow(game));
  const players = game.players.least === game.players.most ? `${game.players.least} players` : `${game.players.least} to ${game.players.most} players`;
  return h("article", { class: `game-card ${small ? "small" : ""}`, "data-game": game.name },
    picture(game.name),
    h("div", { class: "game-text stack" },
      h("div", { class: "row between" }, h("h2", {}, game.title), h("span", { class: "row faint" }, players, button("Rules", () => rulesDialog(game), { kind: "quiet small", "aria-label": `Rules of ${game.title}` }))),
      h("p", {}, game.sentence),
      h("div", { class: "row game-buttons" },
        button("Play now", begin, { kind: "main", "aria-label": `Play ${game.title} now` }),
        button("With friends", () => friendsDialog(game), { "aria-label": `Play ${game.title} with friends` }),
        button("Watch", (event) => once(event, () => watch(game)), { "aria-label": `Watch ${game.title}` }))));
}

/** Do something that takes a moment, and cannot be asked for twice meanwhile. */
async function once(event, what) {
  const pressed = event.currentTarget;
  pressed.disabled = true;
  try {
    await what();
  } catch (refused) {
    notice(refused.message, 8);
    pressed.disabled = false;
  }
}

async function playNow(game) {
  const name = setting("name");
  const seat = await post("/api/play", { game: game.name, level: setting("level"), pace: setting("pace"), ...(name ? { name } : {}) });
  keep({ table: seat.table, token: seat.token, game: game.name, title: game.title, when: Date.now() });
  location.assign(seat.link);
}

/** Agents of the chosen level among themselves. */
async function watch(game) {
  const company = game.levels[setting("level")] ?? game.levels.fair ?? ["random"];
  const chairs = Array.from({ length: game.players.usual }, (_, nth) => ({ agent: company[nth % company.length] }));
  const table = await post("/api/tables", { game: game.name, chairs, pace: Math.max(0.3, setting("pace")), public: false });
  location.assign(`/watch/${table.table}#${table.host}`);
}

async function toGoOnWith(section) {
  const rows = await Promise.all(seats().map(async (seat) => {
    const table = await get(`/api/tables/${encodeURIComponent(seat.table)}`).catch((refused) => (refused.status === 404 ? "gone" : null));
    if (table === "gone" || table?.status === "closed") forget(seat.table);
    return table && table !== "gone" && table.status !== "closed" ? { seat, table } : null;
  }));
  const found = rows.filter(Boolean);
  if (!found.length) return;
  section.hidden = false;
  fill(section, h("h2", {}, "Go on"), h("ul", { class: "plain-list" }, found.slice(0, 6).map(({ seat, table }) => h("li", { class: "row between" },
    h("span", {}, `${table.title} with ${table.chairs.filter((each) => each.kind !== "open").map((each) => each.name).join(", ")}`),
    h("span", { class: "row" }, h("span", { class: "faint" }, { waiting: "waiting", playing: "in play", over: "between games" }[table.status] ?? ""),
      h("a", { class: "button small", href: `/table/${seat.table}#${seat.token}` }, "Go on"),
      table.status === "over" && h("a", { class: "button small", href: `/review/${seat.table}` }, "Review"))))));
}

async function toWatch(section) {
  const { tables } = await get("/api/tables").catch(() => ({ tables: [] }));
  if (!tables.length) return;
  section.hidden = false;
  fill(section, h("h2", {}, "Open tables"), h("ul", { class: "plain-list" }, tables.slice(0, 6).map((table) => h("li", { class: "row between" },
    h("span", {}, `${table.title}: ${table.chairs.map((each) => (each.kind === "open" ? "an open seat" : each.name)).join(", ")}`),
    h("span", { class: "row" }, table.chairs.some((each) => each.kind === "open") && h("a", { class: "button small", href: `/table/${table.table}` }, "Join"),
      h("a", { class: "button small", href: `/watch/${table.table}` }, "Watch"))))));
}
