// Experiments.

import { fill, h } from "./dom.js";

export async function run(main) {
  document.title = "Run · feint";
  fill(main, h("h1", {}, "Run"));
}
