// Experiments that run, or have run, on the server: progress, results, and a button to stop one.

import { get, post } from "./api.js";
import { button, fill, h } from "./dom.js";
import { notice } from "./notice.js";

const AGAIN = 700; // milliseconds between looks at one that runs

/** "about 3 minutes", of seconds. */
function lasting(seconds) {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} seconds`;
  return seconds < 5400 ? `about ${Math.round(seconds / 60)} minutes` : `about ${Math.round(seconds / 3600)} hours`;
}

/** The list of jobs, kept up to date as long as one of them runs. */
export function jobList(first) {
  const element = h("section", { class: "stack", "aria-label": "Experiments" });
  let jobs = first?.jobs ?? [];
  let timer = 0;

  function draw() {
    fill(element, h("h2", {}, "Experiments"), jobs.length ? jobs.map(job) : h("p", { class: "faint" }, "None has been run yet."));
    clearTimeout(timer);
    if (jobs.some((each) => each.status === "running")) timer = setTimeout(look, AGAIN);
  }

  async function look() {
    jobs = (await get("/api/jobs").catch(() => ({ jobs })))?.jobs ?? jobs;
    draw();
  }

  function job(each) {
    const running = each.status === "running";
    const ask = (what) => post(`/api/jobs/${each.job}/${what}`).then(look).catch((refused) => notice(refused.message));
    return h("article", { class: "panel job", id: `job-${each.job}` }, h("code", {}, `feint ${each.words.join(" ")}`),
      h("div", { class: "row" }, running && h("progress", { max: 1, value: each.share ?? null, "aria-label": "Progress" }),
        h("span", { role: "status" }, each.told || each.status), running && each.left != null && h("span", { class: "faint" }, `${lasting(each.left)} left`),
        running && button("Cancel", () => ask("cancel"), { kind: "small", id: `cancel-${each.job}` }),
        each.resumable && button("Go on", () => ask("resume"), { kind: "small" })),
      each.output && h("pre", { class: "command", tabindex: "0", "aria-label": "Result" }, each.output),
      each.files?.length ? h("div", { class: "row" }, each.files.map((file) => h("a", { class: "button small", href: file.href, download: file.name }, file.name))) : null);
  }

  draw();
  return { element, add(made) { jobs = [made, ...jobs]; draw(); } };
}
