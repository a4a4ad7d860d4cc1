// Experiments from the page: a form that reads like the command it runs, and how far those are that run.

import { games, get, post } from "./api.js";
import { copy } from "./clipboard.js";
import { commandOf, KINDS } from "./command.js";
import { button, fill, h } from "./dom.js";
import { jobList } from "./jobs.js";
import { radios } from "./menu.js";
import { notice } from "./notice.js";
import { allRated } from "./ratings.js";

const NUMBERS = { games: ["Games", 2000, 1, 10_000_000], seed: ["Seed", 0, 0, 2 ** 31 - 1], steps: ["Steps to learn from", 1_000_000, 1000, 10 ** 10], players: ["Seats at the table", 2, 2, 16] };

/** Show the page of experiments. */
export async function run(main) {
  document.title = "Run · feint";
  fill(main, h("p", { class: "faint", role: "status" }, "Looking for the games …"));
  const jobs = get("/api/jobs").catch(() => null); // a server may leave experiments to the terminal
  const studies = get("/api/studies").catch(() => []); // takes a server seconds that has just begun: nobody waits for it
  const page = new Run(main, await games(), await jobs);
  page.offer(await studies);
}

class Run {
  constructor(main, offered, jobs) {
    this.offered = offered;
    this.studies = [];
    this.kind = "match";
    this.form = { game: offered[0].name, agents: usualAgents(offered[0]), games: 2000, seed: 0, steps: 1_000_000, players: 2, duplicate: false, study: "" };
    this.fields = h("div", { class: "stack" });
    this.command = h("pre", { class: "command", tabindex: "0", "aria-label": "The command" });
    const rated = h("section", { class: "stack", "aria-label": "Ratings" });
    this.list = jobList(jobs, () => allRated(rated));
    fill(main, h("div", { class: "stack" }, h("h1", {}, "Run an experiment"),
      radios("Kind", "kind", Object.entries(KINDS).map(([name, each]) => [name, each.title]), this.kind, (kind) => { this.kind = kind; this.draw(); }),
      h("form", { class: "panel stack", onsubmit: (event) => { event.preventDefault(); if (jobs) this.start(); else this.copy(); } }, this.fields, this.command,
        h("div", { class: "row" }, jobs && h("button", { class: "button main", id: "run" }, "Run"), button("Copy the command", () => this.copy(), { kind: jobs ? "" : "main" })),
        !jobs && h("p", { class: "faint" }, "This server leaves experiments to the terminal: paste the command there.")),
      jobs && this.list.element, rated));
    this.draw();
    allRated(rated);
  }

  /** The studies, once they are known. */
  offer(studies) {
    this.studies = studies.map(({ name, title }) => [name, title]);
    this.form.study = studies[0]?.name ?? "";
    if (KINDS[this.kind].study) this.draw();
  }

  get game() {
    return this.offered.find((each) => each.name === this.form.game);
  }

  draw() {
    const kind = KINDS[this.kind];
    const choices = [h("p", { class: "faint" }, kind.says)];
    if (kind.study) choices.push(this.select("Study", "study", this.studies));
    else {
      choices.push(this.select("Game", "game", this.offered.map((each) => [each.name, each.title]), () => { this.form.agents = []; this.draw(); }));
      choices.push(this.agents(kind.agents));
    }
    choices.push(h("div", { class: "run-form" }, kind.fields.map((name) => this.field(name))));
    fill(this.fields, choices);
    this.say();
  }

  say() {
    this.command.textContent = commandOf(this.kind, this.form);
  }

  select(label, name, options, then = () => this.say()) {
    return h("label", { class: "field" }, label, h("select", { id: `run-${name}`, onchange: (event) => { this.form[name] = event.target.value; then(); } },
      options.map(([value, shown]) => h("option", { value, selected: value === this.form[name] }, shown))));
  }

  field(name) {
    if (name === "duplicate") {
      return h("label", {}, h("input", { type: "checkbox", checked: this.form.duplicate, onchange: (event) => { this.form.duplicate = event.target.checked; this.say(); } }), "Every seating plays the same deals");
    }
    const [label, , least, most] = NUMBERS[name];
    return h("label", { class: "field" }, label, h("input", { type: "number", id: `run-${name}`, min: least, max: most, step: 1, required: true, value: this.form[name], oninput: (event) => { this.form[name] = Number(event.target.value); this.say(); } }));
  }

  /** Who plays: a list to add to and to take from. */
  agents(hint) {
    const change = (agents) => { this.form.agents = agents; this.draw(); };
    return h("fieldset", { class: "field" }, h("legend", {}, `Agents (${hint})`),
      h("ul", { class: "row plain-row" }, this.form.agents.map((agent, nth) => h("li", {}, button(`${agent} ×`, () => change(this.form.agents.toSpliced(nth, 1)), { kind: "small", "aria-label": `Take ${agent} away`, id: `agent-${nth}` })))),
      h("select", { "aria-label": "Add an agent", id: "add-agent", onchange: (event) => event.target.value && change([...this.form.agents, event.target.value]) },
        h("option", { value: "" }, "add an agent"), this.game.agents.map((each) => h("option", { value: each.agent }, each.name))));
  }

  copy() {
    copy(this.command.textContent, "The command is copied.");
  }

  async start() {
    try {
      this.list.add(await post("/api/jobs", { words: KINDS[this.kind].words(this.form).map(String) }));
    } catch (refused) {
      notice(refused.message, 8);
    }
  }
}

/** Two agents to begin with, such as play with any number of seats. */
const usualAgents = (game) => [...new Set(Object.values(game.levels).flat())].filter((agent) => !agent.includes(":")).slice(0, 2);
