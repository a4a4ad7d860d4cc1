// What each decision of a game was worth, as the server works it out: a curve of chances, and a bar for every choice.

import { get } from "./api.js";
import { bars, curve } from "./chart.js";
import { h } from "./dom.js";
import { pause } from "./motion.js";

const AGAIN = 1000; // milliseconds between looks at an analysis that grows
const PATIENCE = 900; // looks

/** Numbers of a review as they are told: chances in per cent, other units with a sign. */
function writer(unit) {
  if (unit === "chance") return (value) => `${Math.round(100 * value)}%`;
  return (value) => `${value > 0 ? "+" : ""}${Number(value.toFixed(2))}${unit ? ` ${unit}` : ""}`;
}

/** Ask for the analysis of a game until it is complete; `grown` is called with what there is so far. */
export async function analysis(id, number, grown) {
  for (let look = 0; look < PATIENCE; look += 1) {
    const data = await get(`/api/reviews/${encodeURIComponent(id)}/${number}`).catch(() => null);
    if (!data) return;
    grown(new Analysis(data));
    if (data.finished) return;
    await pause(AGAIN);
  }
}

/** What is known of a game that somebody has asked about before; null where nobody has, or it is not complete. */
export async function known(id, number) {
  const data = await get(`/api/reviews/${encodeURIComponent(id)}/${number}?begin=false`).catch(() => null);
  return data?.finished ? new Analysis(data) : null;
}

class Analysis {
  constructor(data) {
    this.data = data;
    this.written = writer(data.unit);
    this.decisions = new Map(data.decisions.map((each) => [each.move, each]));
    this.answers = new Map(data.answers.map((each) => [each.move, each]));
  }

  /** The decision at a move, where it was a mistake beyond doubt. */
  mistake(move) {
    const found = this.decisions.get(move);
    return found?.mistake ? found : null;
  }

  /** What a decision cost, in words: "-18 points of winning chance". */
  cost(decision) {
    const { estimate } = decision.cost;
    return this.data.unit === "chance" ? `−${Math.round(100 * estimate)} points of winning chance` : `−${Number(estimate.toFixed(2))} ${this.data.unit}`;
  }

  curve(move, onPick, width) {
    const { data } = this;
    const chance = data.unit === "chance";
    const values = data.curve.flatMap((point) => point.values.flatMap((each) => [each.low, each.high]));
    const series = data.names.map((name, seat) => ({ name, points: data.curve.map((point) => ({ x: point.move, y: point.values[seat].estimate, low: point.values[seat].low, high: point.values[seat].high })) }));
    const says = `${chance ? "Chances of winning" : `What the game was worth, in ${data.unit || "points"},`} after each move, if ${data.agent} played on in every seat; bands are ${Math.round(100 * data.level)}% intervals.`;
    const range = chance ? [0, 1] : [Math.min(...values), Math.max(...values)];
    return [
      data.finished ? null : h("p", { class: "row", role: "status" }, `Working out what each decision was worth: ${data.done} of ${data.work}.`, h("progress", { max: data.work, value: data.done, "aria-label": "Analysis" })),
      data.curve.length > 1 && curve(series, { says, at: move, onPick, range, width, written: chance ? this.written : (value) => String(Number(value.toFixed(2))) }),
      data.finished && this.costliest(onPick),
    ];
  }

  /** Decisions that were mistakes, the costliest first. */
  mistakes() {
    return this.data.costliest.map((nth) => this.data.decisions[nth]).filter((each) => each.mistake);
  }

  costliest(onPick) {
    const found = this.mistakes().slice(0, 3);
    if (!found.length) return h("p", {}, this.data.decisions.length ? "No decision was a mistake beyond doubt." : "");
    return h("p", { class: "row" }, "Costliest decisions:", found.map((each) =>
      h("button", { type: "button", class: "button small", onclick: () => onPick(each.move) }, `move ${each.move + 1}, ${this.cost(each)}`)));
  }

  /** One decision: what each choice was worth, or how likely an agent took each to be. */
  decision(move, name) {
    const found = this.decisions.get(move);
    if (found) {
      const rows = found.choices.map((each) => ({ label: each.label, value: each.value.estimate, low: each.value.low, high: each.value.high, chosen: each.action === found.chosen, note: `${this.data.agent}: ${Math.round(100 * each.likely)}%` }));
      return [h("h2", {}, `${name}, move ${move + 1}`), h("p", { class: "faint" }, found.question), found.advice && h("p", {}, found.advice),
        h("p", {}, found.mistake ? h("strong", { class: "error" }, `A mistake: ${this.cost(found)}.`) : "No mistake beyond doubt."), bars(rows, { written: this.written }),
        h("p", { class: "faint" }, `${found.games} games for each choice, in worlds that ${name} could not tell from the true one.`)];
    }
    const answer = this.answers.get(move);
    if (!answer) return null;
    const rows = answer.likely.filter((each) => each.chance > 0 || each.action === answer.chosen).slice(0, 6).map((each) => ({ label: each.label, value: each.chance, low: each.low, high: each.high, chosen: each.action === answer.chosen }));
    const how = answer.asked ? `This agent does not tell its chances. Asked again ${answer.asked} times in this position, this is how often it did each, with ${Math.round(100 * this.data.level)}% intervals:` : "How likely each action was to this agent, as it says itself:";
    return [h("h2", {}, `${name}, move ${move + 1}`), answer.advice && h("p", {}, `What it had to go on: “${answer.advice}”`),
      h("p", { class: "faint" }, how), bars(rows, { plain: !answer.asked })];
  }
}
