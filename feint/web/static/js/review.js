// Looking back at a finished game: all hands open, lies marked, and what each decision was worth.

import { gameNamed, get } from "./api.js";
import { analysis } from "./analysis.js";
import { copy } from "./clipboard.js";
import { checked } from "./commitment.js";
import { button, fill, h } from "./dom.js";
import { faceOf } from "./games/faces.js";
import { told } from "./games/general.js";
import { marked } from "./log.js";
import { notice } from "./notice.js";
import { openHand } from "./openhands.js";

/** Show the N-th finished game of a table, or its last. */
export async function review(main, id, number) {
  main.classList.add("review-page");
  fill(main, h("p", { class: "faint", role: "status" }, "Fetching the game …"));
  try {
    const table = await get(`/api/tables/${encodeURIComponent(id)}`);
    const wanted = number === "" ? await lastOver(id, table.games) : Number(number);
    const played = await get(`/api/tables/${encodeURIComponent(id)}/games/${wanted}`);
    const game = (await gameNamed(table.game).catch(() => null)) ?? { name: table.game, title: table.title };
    new Review(main, { id, number: wanted, table, played, game });
  } catch (refused) {
    const on = refused.code === "still_on";
    fill(main, h("div", { class: "stack" }, h("h1", {}, on ? "The game is still on." : "There is nothing to review."), h("p", {}, refused.message),
      h("p", { class: "row" }, on && h("a", { class: "button", href: `/watch/${id}` }, "Watch"), h("a", { class: "button", href: "/" }, "To the lobby"))));
  }
}

/** The last game that is over: the newest may still be on. */
async function lastOver(id, games) {
  const newest = Math.max(0, games - 1);
  const over = await get(`/api/tables/${encodeURIComponent(id)}/games/${newest}/record`).then(() => true).catch(() => false);
  return over ? newest : Math.max(0, newest - 1);
}

class Review {
  constructor(main, { id, number, table, played, game }) {
    Object.assign(this, { main, id, number, table, played, game, steps: whole(played.steps), at: 0 });
    document.title = `Review: ${game.title} · feint`;
    this.face = faceOf(game.name);
    this.moves = this.steps.flatMap((step, at) => (step.told ? [at] : []));
    this.draw();
    addEventListener("keydown", (event) => this.key(event));
    this.go(Number(location.hash.match(/^#move-(\d+)$/)?.[1] ?? 0)); // a link may lead to a move
    analysis(id, number, (found) => {
      this.analysis = found;
      this.mark();
      this.go(this.at);
    });
  }

  draw() {
    const { played, game, id, number } = this;
    const record = `/api/tables/${encodeURIComponent(id)}/games/${number}/record`;
    this.curve = h("section", { class: "review-curve stack", "aria-label": "Winning chances" });
    this.scene = h("section", { class: "review-scene felt-panel", "aria-label": "The table, all hands open" });
    this.decision = h("section", { class: "review-decision", "aria-live": "polite", "aria-label": "This decision" });
    this.list = h("ol", { class: "review-moves", "aria-label": "Moves" }, this.moves.map((at) => this.move(at)));
    this.slider = h("input", { type: "range", min: 0, max: this.steps.length - 1, value: 0, "aria-label": "Move", oninput: () => this.go(Number(this.slider.value)) });
    const proof = h("p", { class: "proof" });
    if (played.opening) checked(played.commitment, played.opening).then((check) => { proof.textContent = check.sentence; proof.classList.add(check.well === false ? "broken" : "kept"); });
    fill(this.main,
      h("div", { class: "row between" },
        h("div", {}, h("h1", {}, `${game.title}: ${played.names.join(", ")}`), h("p", { class: "faint" }, played.end ?? `${winners(played)}`)),
        h("div", { class: "row" }, button("Copy the link", () => copy(`${location.origin}/review/${id}/${number}`, "The link to this review is copied.")),
          h("a", { class: "button", href: record, download: `${game.name}-${id}-${number}.json` }, "Download the record"))),
      this.curve,
      h("div", { class: "row review-controls" },
        button("Start", () => this.go(0), { kind: "small", key: "Home" }), button("Back", () => this.step(-1), { kind: "small", key: "←" }),
        button("Next", () => this.step(1), { kind: "small main", key: "→" }), button("End", () => this.go(this.steps.length - 1), { kind: "small", key: "End" }),
        this.slider,
        button("Next lie", () => this.jump((at) => /\ba lie\b/i.test(this.steps[at].told ?? "")), { kind: "small", key: "L" }),
        button("Next mistake", () => this.jumpToMistake(), { kind: "small", key: "M" })),
      h("div", { class: "review-grid" }, this.scene, h("div", { class: "review-side" }, this.decision, this.list)),
      h("section", { class: "stack recap" }, h("h2", {}, "What the game shows"), told(played.recap || "Nothing was hidden when it ended."), proof));
  }

  move(at) {
    const step = this.steps[at];
    return h("li", {}, h("button", { type: "button", class: "move", id: `move-${at}`, onclick: () => this.go(at) },
      h("span", { class: "move-number number" }, String(step.number + 1)), h("span", {}, marked(step.told)), step.by === "person" && h("span", { class: "tag" }, "person")));
  }

  /** Show a position; the sentence of the move made there stands in the list. */
  go(at) {
    this.at = Math.min(this.steps.length - 1, Math.max(0, at));
    const step = this.steps[this.at];
    this.slider.value = this.at;
    const ctx = this.context(step);
    const hands = this.played.names.map((name, seat) => h("li", { class: step.seat === seat ? "acts" : "" }, h("span", { class: "open-name" }, name, this.played.agents[seat] ? null : h("span", { class: "tag" }, "person")),
      h("span", { class: "open-hand" }, openHand(this.game.name, step.views[seat], this.played.names.length, this.table.options) ?? h("span", {}, ""))));
    const known = openHand(this.game.name, step.views[0], this.played.names.length, this.table.options) !== null;
    fill(this.scene, h("div", { class: "review-middle" }, this.face.middle({ ...ctx, seen: step.scene || "" })), known ? h("ol", { class: "open-hands" }, hands) : h("div", { class: "seen" }, told(step.scene || "")));
    for (const each of this.list.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
    const shown = this.moves.findLast((each) => each <= this.at) ?? this.moves[0];
    const row = document.getElementById(`move-${shown}`);
    row?.setAttribute("aria-current", "step");
    if (row) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
    fill(this.decision, (step.seat !== null && this.analysis?.decision(step.number, this.played.names[step.seat])) || this.plain(step));
    if (this.analysis) fill(this.curve, this.analysis.curve(step.number, (move) => this.go(Math.round(move)), Math.max(320, this.curve.clientWidth - 24)));
  }

  plain(step) {
    if (step.seat === null) return h("p", {}, "The end of the game.");
    return h("p", {}, h("strong", {}, this.played.names[step.seat]), `: ${step.label}.`);
  }

  /** Enough of a table's context for the middle of a face. */
  context(step) {
    const seats = this.played.names.map((name, seat) => ({ seat, name, kind: this.played.agents[seat] ? "agent" : "person", here: true }));
    return {
      state: { seats, seat: null, over: step.seat === null, turn: step.seat }, view: step.public, face: this.face, local: {}, options: this.table.options ?? {},
      choices: [], asked: false, seen: "", suits: 4, name: (seat) => seats[seat].name, does: (seat, you, they) => `${seats[seat].name} ${they}`,
    };
  }

  /** On to the next position that has a sentence. */
  step(by) {
    let at = this.at + by;
    while (at > 0 && at < this.steps.length - 1 && !this.steps[at].told) at += by;
    this.go(at);
  }

  jump(wanted) {
    const found = this.moves.find((at) => at > this.at && wanted(at)) ?? this.moves.find((at) => wanted(at));
    if (found !== undefined) this.go(found);
  }

  jumpToMistake() {
    const all = this.steps.flatMap((step, at) => (this.analysis?.mistake(step.number) ? [at] : []));
    const found = all.find((at) => at > this.at) ?? all[0];
    if (found !== undefined) this.go(found);
    else notice(this.analysis?.data.finished ? "No decision was a mistake beyond doubt." : "The analysis has not found a mistake so far.");
  }

  /** Mistakes beside the moves that they led to. */
  mark() {
    for (const tag of this.list.querySelectorAll(".tag.mistake")) tag.remove();
    for (const decision of this.analysis.data.decisions.filter((each) => each.mistake)) {
      const at = this.moves.find((each) => each >= decision.move && this.steps[each].seat === decision.seat);
      document.getElementById(`move-${at}`)?.append(h("span", { class: "tag mistake" }, this.analysis.cost(decision)));
    }
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea, dialog")) return;
    const deed = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.go(0), End: () => this.go(this.steps.length - 1),
      l: () => this.jump((at) => /\ba lie\b/i.test(this.steps[at].told ?? "")), m: () => this.jumpToMistake() }[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  }
}

/** Of views a step tells what is new in them: here each is whole again. */
function whole(steps) {
  let before = { views: [], public: {} };
  for (const step of steps) {
    step.views = step.views.map((view, seat) => ({ ...before.views[seat], ...view }));
    step.public = { ...before.public, ...step.public };
    before = step;
  }
  return steps;
}

function winners(played) {
  const names = played.names.filter((_, seat) => played.winners[seat]);
  return names.length ? `${names.join(" and ")} won.` : "Nobody won.";
}
