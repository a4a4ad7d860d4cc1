// Curves and bars, drawn as SVG from plain numbers; what they show is said in words beside them.

import { h, s } from "./dom.js";

const HEIGHT = 190;
const EDGE = { left: 44, right: 12, top: 10, bottom: 26 };
const SERIES = 6; // kinds of lines that are told apart

const percent = (value) => `${Math.round(100 * value)}%`;

/** Round numbers between two ends, a handful of them. */
function ticks(low, high, wanted = 4) {
  const raw = (high - low) / wanted || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= raw);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, nth) => first + nth * step);
}

/**
 * Lines over the moves of a game, each with a band where it has intervals.
 * @param {{name: string, points: {x: number, y: number, low?: number, high?: number}[]}[]} series
 * @param {{says: string, at?: number, onPick?: (x: number) => void, range?: [number, number], written?: (y: number) => string, width?: number}} how
 */
export function curve(series, { says, at = null, onPick = null, range = [0, 1], written = percent, width = 720 }) {
  const xs = series.flatMap((each) => each.points.map((point) => point.x));
  const [first, last] = [Math.min(...xs), Math.max(...xs, Math.min(...xs) + 1)];
  const across = (x) => EDGE.left + ((x - first) / (last - first)) * (width - EDGE.left - EDGE.right);
  const up = (y) => HEIGHT - EDGE.bottom - ((y - range[0]) / (range[1] - range[0])) * (HEIGHT - EDGE.top - EDGE.bottom);
  const path = (points, y) => points.map((point, nth) => `${nth ? "L" : "M"}${across(point.x).toFixed(1)} ${up(point[y] ?? point.y).toFixed(1)}`).join("");
  const svg = s("svg", { class: "chart curve", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": says },
    ticks(...range).map((y) => [s("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: up(y), y2: up(y) }), s("text", { x: EDGE.left - 6, y: up(y) + 4, "text-anchor": "end" }, written(y))]),
    ticks(first, last, 6).filter(Number.isInteger).map((x) => s("text", { x: across(x), y: HEIGHT - 8, "text-anchor": "middle" }, String(x))),
    series.map((each, nth) => [
      each.points.some((point) => point.low !== undefined) && s("path", { class: `band series-${nth % SERIES}`, d: `${path(each.points, "high")}${path([...each.points].reverse(), "low").replace("M", "L")}Z` }),
      s("path", { class: `line series-${nth % SERIES}`, d: path(each.points, "y") }),
    ]),
    at !== null && s("line", { class: "at", x1: across(at), x2: across(at), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }));
  if (onPick) {
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      onPick(first + ((x - EDGE.left) / (width - EDGE.left - EDGE.right)) * (last - first));
    });
  }
  return h("figure", { class: "figure" }, svg, h("figcaption", {}, says, h("ul", { class: "legend" }, series.map((each, nth) => h("li", {}, s("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, s("path", { class: `line series-${nth % SERIES}`, d: "M1 5h24" })), each.name)))));
}

/**
 * A bar for each choice, with its interval as a whisker.
 * @param {{label: string, value: number, low: number, high: number, chosen?: boolean, note?: string}[]} rows
 */
export function bars(rows, { written = percent, plain = false } = {}) {
  const low = Math.min(0, ...rows.map((row) => row.low));
  const high = Math.max(0, ...rows.map((row) => row.high), low + 1e-6);
  const across = (value) => (100 * (value - low)) / (high - low);
  return h("ol", { class: "bars" }, rows.map((row) => h("li", { class: row.chosen ? "chosen" : "" },
    h("span", { class: "bar-label" }, row.label, row.chosen && h("span", { class: "tag" }, "played")),
    s("svg", { class: "chart bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "fill", x: Math.min(across(0), across(row.value)), y: 1, width: Math.max(0.4, Math.abs(across(row.value) - across(0))), height: 6 }),
      !plain && s("path", { class: "whisker", d: `M${across(row.low)} 4H${across(row.high)}M${across(row.low)} 2.2V5.8M${across(row.high)} 2.2V5.8` })),
    h("span", { class: "bar-value number" }, plain ? written(row.value) : `${written(row.value)} (${written(row.low)} to ${written(row.high)})`, row.note && h("span", { class: "faint" }, ` ${row.note}`)))));
}

/**
 * A point for each row with its interval as a whisker, all on one scale, and a line where `usual` is; what is drawn stands beside it as text.
 * @param {{title: string, says: string, unit: string, places: number, rows: {label: string, value: number, low: number, high: number}[], usual: number | null}} plot
 */
export function whiskers({ title, says, unit, places, rows, usual }) {
  const ends = [...rows.flatMap((row) => [row.low, row.high]), ...(usual === null ? [] : [usual])];
  const [low, high] = [Math.min(...ends), Math.max(...ends, Math.min(...ends) + 1e-6)];
  const across = (value) => 3 + (94 * (value - low)) / (high - low);
  const written = (value) => `${value.toFixed(places)}${unit}`;
  return h("figure", { class: "figure" }, h("h3", {}, title), h("ol", { class: "bars whiskers" }, rows.map((row) => h("li", {},
    h("span", { class: "bar-label" }, row.label),
    s("svg", { class: "chart bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      usual !== null && s("path", { class: "usual", d: `M${across(usual)} 0V8` }),
      s("path", { class: "whisker", d: `M${across(row.low)} 4H${across(row.high)}M${across(row.low)} 2.2V5.8M${across(row.high)} 2.2V5.8` }),
      s("path", { class: "point", d: `M${across(row.value)} 4h0` })),
    h("span", { class: "bar-value number" }, written(row.value), h("span", { class: "faint" }, ` (${written(row.low)} to ${written(row.high)})`))))),
  h("figcaption", {}, says));
}
