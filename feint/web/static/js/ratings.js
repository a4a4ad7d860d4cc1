// Who is strong: agents as the tournaments run here rate them, and how people fare against each.

import { gameNamed, get } from "./api.js";
import { fill, h } from "./dom.js";

const TOP = 3;
const points = (rating) => rating.toFixed(1);
const percent = (share) => `${Math.round(100 * share)}%`;

/** Every list, by the title of its game. */
async function rated() {
  const lists = Object.entries(await get("/api/ratings").catch(() => ({})));
  return Promise.all(lists.map(async ([name, rows]) => [(await gameNamed(name).catch(() => null))?.title ?? name, rows]));
}

/** The first few of each game's list, in a section that stays hidden where there is none. */
export async function topRated(section) {
  const lists = await rated();
  if (!lists.length) return;
  section.hidden = false;
  fill(section, h("h2", {}, "The strongest agents"), h("div", { class: "ratings" }, lists.map(([title, rows]) => h("div", {}, h("h3", {}, title),
    h("ol", {}, rows.slice(0, TOP).map((row) => h("li", {}, `${row.agent} `, h("span", { class: "faint number" }, row.rating === null ? fared(row.people) : points(row.rating)))))))));
}

const fared = (people) => (people ? `people won ${people.won} of ${people.games}` : "");

/** What is known of an agent's strength, in words; empty where nothing is. */
export async function ratingOf(game, agent) {
  const row = (await get("/api/ratings").catch(() => ({})))[game]?.find((each) => each.agent === agent);
  const rated = row && row.rating !== null ? `Rated ${points(row.rating)} (${points(row.low)} to ${points(row.high)}).` : "";
  return [rated, row?.people ? `People won ${row.people.won} of ${row.people.games} games with it.` : ""].join(" ").trim();
}

/** The whole lists, with intervals. */
export async function allRated(section) {
  const lists = await rated();
  fill(section, h("h2", {}, "Ratings"), lists.length ? lists.map(table) : h("p", { class: "faint" }, "No agent has been rated yet: run a tournament, or play."));
}

function table([title, rows]) {
  return h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": `Ratings: ${title}` }, h("table", {}, h("caption", {}, title),
    h("thead", {}, h("tr", {}, ["Agent", "Rating", "99% interval", "People won", "99% interval"].map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.agent),
      row.rating === null ? [h("td", {}, "not rated"), h("td")] : [h("td", {}, points(row.rating)), h("td", {}, `${points(row.low)} to ${points(row.high)}`)],
      row.people ? [h("td", {}, `${row.people.won} of ${row.people.games}`), h("td", {}, `${percent(row.people.low)} to ${percent(row.people.high)}`)] : [h("td", {}, "–"), h("td")])))));
}
