// The end of a game: who won and why, three facts, and what to do next.

import { analysis, known } from "./analysis.js";
import { get } from "./api.js";
import { checked } from "./commitment.js";
import { button, fill, h } from "./dom.js";
import { marked } from "./log.js";

const FACTS = 3;

/** The panel in the middle of the table when a game is over. */
export function endPanel(page, ctx) {
  const { state } = ctx;
  const own = state.seat;
  const decides = own !== null || state.host;
  const won = own !== null && state.winners?.[own];
  const heading = own === null || !state.winners ? "The game is over" : won ? "You win" : state.winners.some(Boolean) ? "You do not win this one" : "Nobody wins";
  const facts = h("ul", { class: "end-facts" });
  const proof = h("p", { class: "proof" });
  tell(page, state, facts, proof);
  return h("div", { class: "end panel stack" },
    h("h2", { tabindex: "-1", id: "end-heading" }, heading),
    h("p", { class: "end-sentence" }, state.end.split("\n").flatMap((line, nth) => [nth ? h("br") : null, ...marked(line.replaceAll("\t", "  "))])),
    state.score?.sentence && h("p", { class: "faint number" }, state.score.sentence),
    ctx.face.showdown?.(ctx) ?? null, facts, own === null ? null : (page.ended[state.round].cost ??= costliest(page.id, state.round, own)),
    h("div", { class: "row" },
      decides && button("Again", () => page.line.send({ next: true }), { kind: "main", id: "again" }),
      h("a", { class: "button", href: `/review/${page.id}/${state.round}` }, "Review"),
      decides && button("Change company", () => page.company())),
    proof);
}

/** The facts and the check of the deal come a moment later, each asked for once a game. */
async function tell(page, state, facts, proof) {
  page.ended[state.round] ??= {
    check: state.opening && page.promised[state.round] ? checked(page.promised[state.round], state.opening) : null,
    lines: get(`/api/tables/${page.id}/games/${state.round}`).then((game) => factsOf(game, state)).catch(() => []),
  };
  const { check, lines } = page.ended[state.round];
  const found = await check;
  if (found) {
    proof.textContent = found.sentence;
    proof.classList.add(found.well === false ? "broken" : "kept");
  }
  fill(facts, (await lines).map((line) => h("li", {}, marked(line))));
}

/** What one's costliest decision was, where that is known; else a button that asks for it. */
function costliest(id, round, own) {
  const place = h("div", { class: "end-cost row", role: "status" });
  const show = (found) => {
    const worst = found.mistakes().find((each) => each.seat === own);
    const { done, work, finished } = found.data;
    if (!finished) fill(place, `Looking at your decisions: ${done} of ${work}.`, h("progress", { max: work, value: done, "aria-label": "Analysis" }));
    else if (worst) fill(place, "Your costliest decision:", h("a", { href: `/review/${id}/${round}#move-${worst.move}` }, `move ${worst.move + 1}, ${found.cost(worst)}`));
    else fill(place, "No decision of yours was a mistake beyond doubt.");
  };
  fill(place, button("Which decision cost the most?", () => analysis(id, round, show), { kind: "small", id: "costliest" }));
  known(id, round).then((found) => found && show(found));
  return place;
}

/** Three lines of what the game shows of its players, one's own first. */
function factsOf(game, state) {
  const own = state.seat === null ? "" : state.seats[state.seat].name;
  const [told] = game.recap.split(/^.*:$/m); // what follows a heading is a list, which the review shows
  const lines = told.split("\n").map((line) => line.replaceAll("\t", " ")).filter(Boolean);
  const mine = (line) => own && (line.startsWith(`${own}:`) || line.startsWith(`${own} `));
  const about = lines.filter(mine).map((line) => honesty(`You${line.slice(own.length)}`));
  return [...about, ...lines.filter((line) => !mine(line))].slice(0, FACTS);
}

/** One's own lies and calls in a whole sentence; any other line as it is. */
function honesty(line) {
  const found = line.match(/^You: \d+ plays?, (\d+) (?:lie|lies), (\d+) caught; (\d+) calls?, (\d+) right\.$/);
  if (!found) return line;
  const [lies, caught, calls, right] = found.slice(1).map(Number);
  const believed = lies - caught;
  const said = lies ? `You told ${lies === 1 ? "1 lie" : `${lies} lies`}, ${believed} of which ${believed === 1 ? "was" : "were"} believed` : "You told no lie";
  return `${said}; ${calls ? `${right} of your ${calls} calls ${right === 1 ? "was" : "were"} right` : "you never called"}.`;
}
