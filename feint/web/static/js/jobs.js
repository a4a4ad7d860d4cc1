// Experiments that run, or have run, on the server: progress, results, and a button to stop one.

import { get, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { notice } from "./notice.js";

const AGAIN = 700; // milliseconds between looks at one that runs
const UNDER_WAY = ["queued", "running"];
const STATUS = { queued: "Waits for the one before it.", running: "Running.", stopped: "Stopped.", failed: "Failed.", done: "Done." };

/** "about 3 minutes", of seconds. */
function lasting(seconds) {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} seconds`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 3600)} hours`;
}

/** The list of jobs, kept up to date as long as one of them is under way; `changed` is called when one has ended. */
export function jobList(first, changed) {
  const element = h("section", { class: "stack", "aria-label": "Experiments" });
  const plots = new Map(); // pictures that were asked for, by address
  let jobs = first?.jobs ?? [];
  let since = first?.now ?? 0; // what has ended before is known
  let timer = 0;

  function draw() {
    fill(element, h("h2", {}, "Experiments"), jobs.length ? jobs.map(job) : h("p", { class: "faint" }, "None has been run yet."));
    clearTimeout(timer);
    if (jobs.some((each) => UNDER_WAY.includes(each.status))) timer = setTimeout(look, AGAIN);
  }

  async function look() {
    const before = jobs;
    const found = await get(`/api/jobs?since=${since}`).catch(() => ({ jobs: [], now: since }));
    const known = new Map([...jobs, ...found.jobs].map((each) => [each.job, each])); // of two the later one
    jobs = [...known.values()].sort((one, other) => other.created - one.created);
    since = found.now;
    draw();
    if (before.some((each) => UNDER_WAY.includes(each.status) && !UNDER_WAY.includes(jobs.find((now) => now.job === each.job)?.status))) changed();
  }

  /** A plot, fetched as text and shown from memory. */
  async function show(file) {
    const text = await (await fetch(file.href)).text();
    plots.set(file.href, `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`);
    draw();
  }

  function job(each) {
    const on = UNDER_WAY.includes(each.status);
    const ask = (what) => post(`/api/jobs/${each.job}/${what}`).then(look).catch((refused) => notice(refused.message));
    const shown = each.files.filter((file) => plots.has(file.href));
    return h("article", { class: "panel job", id: `job-${each.job}`, "data-status": each.status }, h("code", {}, `feint ${each.words.join(" ")}`),
      h("div", { class: "row" }, on && h("progress", { max: 1, value: each.share ?? null, "aria-label": "Progress" }),
        h("span", {}, [STATUS[each.status] ?? "", on && each.told ? ` ${each.told}` : "", on && each.left != null ? `, ${lasting(each.left)} left` : ""].join("")),
        on && button("Cancel", () => ask("cancel"), { kind: "small", id: `cancel-${each.job}` }),
        each.resumable && button("Go on", () => ask("resume"), { kind: "small", id: `resume-${each.job}` })),
      each.output && h("pre", { class: "command", tabindex: "0", "aria-label": "Result" }, each.output),
      shown.map((file) => h("img", { class: "plot", src: plots.get(file.href), alt: "The same result as a plot" })),
      h("div", { class: "row" }, each.files.map((file) => [
        file.name.endsWith(".svg") && !plots.has(file.href) && button("Show the plot", () => show(file), { kind: "small", id: `plot-${each.job}` }),
        h("a", { class: "button small", href: file.href, download: file.name }, file.name)])));
  }

  draw();
  return { element, add(made) { jobs = [made, ...jobs]; draw(); } };
}
