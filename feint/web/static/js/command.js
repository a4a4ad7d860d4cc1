// Experiments as the commands that run them: what the form says is what a terminal would be told.

const quoted = (word) => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The kinds of experiments: what each asks for, and its command. */
export const KINDS = {
  match: {
    title: "Match", says: "Who wins how often at one table, with intervals.", agents: "one for each seat", fields: ["games", "seed", "duplicate"],
    words: (form) => ["match", form.game, ...form.agents, "--games", form.games, "--seed", form.seed, ...(form.duplicate ? ["--duplicate"] : [])],
  },
  tournament: {
    title: "Tournament", says: "Everybody against everybody: standings, a cross-table and a rating list.", agents: "as many as there are seats, or more", fields: ["players", "games", "seed"],
    words: (form) => ["tournament", form.game, ...form.agents, "--players", form.players, "--games", form.games, "--seed", form.seed],
  },
  train: {
    title: "Training", says: "An agent that learns by playing: against itself, or against those named.", agents: "who sits with the learner; nobody for itself in every seat", fields: ["steps", "seed"],
    words: (form) => ["train", form.game, ...(form.agents.length ? ["--opponents", form.agents.join(",")] : []), "--steps", form.steps, "--seed", form.seed],
  },
  study: {
    title: "Study", says: "Published experiments run again, with the published figures beside ours.", study: true, fields: ["games", "seed"],
    words: (form) => ["study", form.study, "--games", form.games, "--seed", form.seed],
  },
};

/** The command of an experiment, as it is typed. */
export const commandOf = (kind, form) => ["feint", ...KINDS[kind].words(form).map(String).map(quoted)].join(" ");
