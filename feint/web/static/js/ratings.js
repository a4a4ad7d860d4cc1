// The strongest agents of each game, as far as the server has rated them.

import { get } from "./api.js";
import { fill, h } from "./dom.js";

const TOP = 3;

/** The first few of each game's list, in a section that stays hidden where there is none. */
export async function ratings(section, games) {
  const lists = await get("/api/ratings").catch(() => null);
  const found = games.filter((game) => lists?.[game.name]?.length);
  if (!found.length) return;
  section.hidden = false;
  fill(section, h("h2", {}, "The strongest agents"), h("div", { class: "ratings" }, found.map((game) => h("div", {}, h("h3", {}, game.title),
    h("ol", {}, lists[game.name].slice(0, TOP).map((each) => h("li", {}, `${each.name ?? each.agent} `, h("span", { class: "faint number" }, Math.round(each.rating)))))))));
}
