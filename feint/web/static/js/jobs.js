// Experiments that run, or have run, on the server: progress, results, and a button to stop one.

import { get, post } from "./api.js";
import { whiskers } from "./chart.js";
import { button, fill, h } from "./dom.js";
import { notice } from "./notice.js";
import { reportOf } from "./report.js";

const AGAIN = 700; // milliseconds between looks at one that runs
const UNDER_WAY = ["queued", "running"];
const DRAWN = ["match", "tournament"];
const STATUS = { queued: "Waits for the one before it.", running: "Running.", stopped: "Stopped.", failed: "Failed.", done: "Done." };

/** "about 3 minutes", of seconds. */
function lasting(seconds) {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} seconds`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 3600)} hours`;
}

/** The list of jobs, kept up to date as long as one of them is under way; `changed` is called when one has ended. */
export function jobList(first, changed) {
  const element = h("section", { class: "stack", "aria-label": "Experiments" });
  const plots = new Map(); // what is drawn, by job
  const opened = new Set(); // jobs whose words are unfolded
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

  /** Draw what a job has shown. */
  async function show(each) {
    plots.set(each.job, []); // asked for once
    plots.set(each.job, await get(`/api/jobs/${each.job}/plots`).catch(() => []));
    draw();
  }

  const output = (each) => h("pre", { class: "command said", tabindex: "0", role: "region", "aria-label": "Result" }, each.output);

  /** What it said, below what is easier to read. */
  const folded = (each) => h("details", { open: opened.has(each.job), ontoggle: (event) => (event.target.open ? opened.add(each.job) : opened.delete(each.job)) },
    h("summary", { id: `said-${each.job}` }, "All of it, as a terminal shows it"), output(each));

  const isDrawable = (each) => !UNDER_WAY.includes(each.status) && DRAWN.includes(each.words[0]) && each.files.length > 0;

  function job(each) {
    const on = UNDER_WAY.includes(each.status);
    const ask = (what) => post(`/api/jobs/${each.job}/${what}`).then(look).catch((refused) => notice(refused.message));
    if (on) plots.delete(each.job);
    const drawable = isDrawable(each);
    if (each === jobs.find(isDrawable) && !plots.has(each.job)) show(each); // of the newest nobody has to ask for it
    const drawn = drawable ? plots.get(each.job) : null;
    return h("article", { class: "panel job", id: `job-${each.job}`, "data-status": each.status }, h("code", {}, `feint ${each.words.join(" ")}`),
      h("div", { class: "row" }, on && h("progress", { max: 1, value: each.share ?? null, "aria-label": "Progress" }),
        h("span", {}, [STATUS[each.status] ?? "", on && each.told ? ` ${each.told}` : "", on && each.left != null ? `, ${lasting(each.left)} left` : ""].join("")),
        on && button("Cancel", () => ask("cancel"), { kind: "small", id: `cancel-${each.job}` }),
        each.resumable && button("Go on", () => ask("resume"), { kind: "small", id: `resume-${each.job}` })),
      drawn?.length > 0 && h("div", { class: "plots" }, drawn.map(whiskers)),
      each.output && (drawn?.length || reportOf(each) ? folded(each) : output(each)),
      h("div", { class: "row" }, reportOf(each) && h("a", { class: "button small main", href: `/report/${each.job}` }, "Read the report"),
        drawable && !plots.has(each.job) && button("Show the plots", () => show(each), { kind: "small", id: `plot-${each.job}` }),
        each.files.map((file) => h("a", { class: "button small", href: file.href, download: file.name }, file.name))));
  }

  draw();
  return { element, add(made) { jobs = [made, ...jobs]; draw(); } };
}
