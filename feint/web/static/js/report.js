// The report of a study: what was measured beside what was published, cell by cell, with figures and verdicts.

import { get } from "./api.js";
import { fill, h } from "./dom.js";

const HOLDS = { holds: ["✓", "Holds"], partly: ["≈", "Holds in part"], differs: ["✗", "Does not hold"], open: ["?", "Open"] };
const HOW = "In each cell: what was measured and its interval; below it, what was published. ✓ they agree, ✗ they do not. A published figure is itself a sample, so the two are compared as samples, "
  + "with Holm's correction over the cells of a table: if all truly agreed, a table would show even one ✗ in at most 1% of cases. Whole rows of shares are judged together as well, by chi-square.";
const INKS = "<style>svg{color:#1d2320}@media(prefers-color-scheme:dark){svg{color:#e9eeea}}</style>"; // as the page has them

/** The file of an experiment that has its report; null where there is none. */
export const reportOf = (job) => (job.words[0] === "study" && job.files.find((file) => file.name === `${job.words[1]}.json`)) || null;

/** Show the report that a study has written here. */
export async function report(main, id) {
  fill(main, h("p", { class: "faint", role: "status" }, "Fetching the report …"));
  try {
    const file = reportOf(await get(`/api/jobs/${encodeURIComponent(id)}`));
    if (!file) throw new Error("This experiment has written no report, or has not come to it yet.");
    const found = await get(file.href);
    document.title = `${found.title} · feint`;
    fill(main, drawn(found));
    document.getElementById(location.hash.slice(1))?.scrollIntoView(); // a link may lead to a section
  } catch (refused) {
    fill(main, h("div", { class: "stack" }, h("h1", {}, "There is no report to read."), h("p", {}, refused.message), h("p", {}, h("a", { class: "button", href: "/run" }, "To the experiments"))));
  }
}

const drawn = (found) => h("div", { class: "report" },
  h("header", { class: "stack" }, h("h1", {}, found.title), h("p", {}, found.about),
    h("p", { class: "faint" }, `Published: ${found.source}`), h("p", { class: "faint" }, "Made by ", h("code", {}, found.command), ` with feint ${found.version}.`)),
  h("nav", { class: "panel", "aria-labelledby": "report-contents" }, h("h2", { id: "report-contents" }, "In short"),
    h("ul", { class: "plain-list" }, found.sections.map((each) => h("li", {}, mark(each.holds), h("div", {}, h("a", { href: `#section-${each.key}` }, worded(each.title)),
      each.of > 0 && h("span", { class: "faint" }, ` ${each.agree} of ${each.of} published figures agree.`),
      verdicts(each).map((verdict) => h("p", {}, worded(verdict.text)))))))),
  h("p", { class: "faint prose" }, HOW),
  found.sections.map((each) => h("section", { id: `section-${each.key}`, class: "stack", "aria-label": plain(each.title) }, h("h2", {}, worded(each.title)), each.blocks.map(block))));

const verdicts = (section) => section.blocks.filter((each) => each.kind === "verdict");
const plain = (text) => text.replaceAll("`", "");

/** Text of a report, what is between backquotes as code. */
const worded = (text) => text.split(/`([^`]+)`/).map((part, nth) => (nth % 2 ? h("code", {}, part) : part));

const mark = (holds) => h("span", { class: `mark ${holds}`, role: "img", "aria-label": HOLDS[holds][1] }, HOLDS[holds][0]);

function block(each) {
  switch (each.kind) {
    case "text": return each.text.trim().split(/\n\s*\n/).map((part) => h("p", { class: "prose" }, worded(part.trim())));
    case "verdict": return h("p", { class: `finding prose ${each.holds}` }, h("strong", {}, `${HOLDS[each.holds].join(" ")}. `), worded(each.text));
    case "figure": return h("figure", { class: "figure" }, h("img", { class: "drawing", src: picture(each.svg), alt: plain(each.caption) }), h("figcaption", { "aria-hidden": "true" }, worded(each.caption)));
    default: return table(each);
  }
}

/** A drawing as an address: nothing in it is run, and it takes the page's colours. */
function picture(svg) {
  const bytes = new TextEncoder().encode(svg.replace(">", `>${INKS}`));
  return `data:image/svg+xml;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

function table(each) {
  const whole = each.row_p.some((p) => p !== null);
  const title = plain(each.title);
  return [h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": title }, h("table", { class: "figures" }, h("caption", {}, worded(each.title)),
    h("thead", {}, h("tr", {}, [...each.columns, ...(whole ? ["whole row"] : [])].map((column, nth) =>
      (column ? h("th", { scope: "col", class: nth && nth < each.columns.length && each.rows.every((row) => typeof row.cells[nth - 1] === "string") ? "words" : "" }, worded(column)) : h("td"))))),
    h("tbody", {}, each.rows.map((row, nth) => h("tr", {}, h("th", { scope: "row" }, worded(row.label)), row.cells.map((one, at) => cell(one, each.agreement[nth][at])), whole && rowCell(each.row_p[nth], each.level)))))),
  each.said && h("p", { class: "faint prose" }, worded(each.said))];
}

const agreement = (agrees) => agrees !== null && h("span", { class: agrees ? "agree" : "disagree", role: "img", "aria-label": agrees ? "agrees" : "does not agree" }, agrees ? "✓" : "✗");

function cell(one, agrees) {
  if (typeof one === "string") return h("td", { class: "words" }, worded(one));
  const written = (value) => (value === null ? "–" : value.toFixed(one.places));
  return h("td", { class: agrees === false ? "off" : "" }, h("span", { class: "measured" }, written(one.measured), one.measured !== null && one.unit), " ", agreement(agrees),
    one.low !== null && h("small", {}, `${written(one.low)} to ${written(one.high)}`),
    one.published !== null && h("small", {}, `published ${Number(one.published.toFixed(one.places))}${one.unit}`));
}

function rowCell(p, level) {
  if (p === null) return h("td");
  const agrees = p >= 1 - level;
  return h("td", { class: agrees ? "" : "off" }, agreement(agrees), h("small", {}, p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`));
}
