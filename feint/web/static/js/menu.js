// The rules, and what can be set at a table.

import { copy } from "./clipboard.js";
import { agentSelect } from "./company.js";
import { button, h } from "./dom.js";
import { dialog } from "./notice.js";
import { set, setting } from "./settings.js";

const PACES = [[0, "at once"], [0.3, "fast"], [0.8, "usual"], [1.6, "slow"], [3, "very slow"]];

/** The rules as the game tells them, headings of paragraphs in bold. */
export function rulesDialog(game) {
  const paragraphs = (game.rules || game.sentence || "").split("\n").filter(Boolean).map((line) => {
    const [, heading, rest] = line.match(/^([A-Z][^.:]{2,40}):(.*)$/) ?? [null, "", line];
    return h("p", {}, heading && h("strong", {}, `${heading}:`), rest);
  });
  dialog(`${game.title}: the rules`, h("div", { class: "stack prose" }, paragraphs));
}

/** A choice among a few, as radio buttons. */
export function radios(legend, name, options, chosen, onChoose) {
  return h("fieldset", { class: "choice" }, h("legend", {}, legend), options.map(([value, label]) =>
    h("label", {}, h("input", { type: "radio", name, value, checked: String(value) === String(chosen), onchange: () => onChoose(value) }), label)));
}

const toggle = (label, name) =>
  h("label", {}, h("input", { type: "checkbox", checked: setting(name), onchange: (event) => set(name, event.target.checked) }), label);

/** How the page looks and sounds. */
export function looks() {
  return [
    radios("Theme", "theme", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]], setting("theme"), (value) => set("theme", value)),
    h("div", { class: "stack" }, toggle("Suits in four colours", "fourColours"), toggle("Sound", "sound"), toggle("Offer hints", "hints")),
  ];
}

/** Pace, company, looks: all that a table has besides play. */
export function menuDialog(page) {
  const { state } = page;
  const nearest = state ? PACES.reduce((best, each, nth) => (Math.abs(each[0] - state.pace) < Math.abs(PACES[best][0] - state.pace) ? nth : best), 0) : 2;
  const said = h("output", {}, PACES[nearest][1]);
  const pace = h("input", { type: "range", id: "pace", min: 0, max: PACES.length - 1, step: 1, value: nearest, oninput: (event) => {
    const [seconds, label] = PACES[event.target.value];
    said.textContent = label;
    set("pace", seconds);
    page.line.send({ pace: seconds });
  } });
  const seated = state && state.seat !== null;
  const decides = seated || state?.host;
  const box = dialog("This table",
    decides && h("label", { for: "pace" }, "Agents move", pace, said),
    h("div", { class: "row" },
      decides && button("Change company", () => { box.close(); page.company(); }),
      seated && state.view && button("What I could have noted", () => { box.close(); page.line.send({ notes: true }); }),
      button("Link to watch", () => copy(`${location.origin}/watch/${page.id}`, "The link to watch is copied."))),
    seated && substitute(page, state),
    ...looks(),
    h("p", {}, h("a", { href: "/" }, "Leave for the lobby"), ": the game waits for you there."));
}

/** An agent that plays for oneself, for as long as one likes. */
function substitute(page, state) {
  const own = state.seats.find((each) => each.chair === state.chair);
  if (own.sitting_in) return button(`Play again myself (${own.sitting_in} plays for you)`, () => page.line.send({ sit_in: state.chair, agent: null }));
  return h("label", {}, "Let an agent play for you", agentSelect(page.game, "", (agent) => page.line.send({ sit_in: state.chair, agent }), "Agent that plays for you"));
}
