// Which page an address stands for.

import { h } from "./dom.js";
import { looks } from "./menu.js";
import { dialog } from "./notice.js";
import { apply } from "./settings.js";

apply();

const main = document.getElementById("main");
const [page = "", id = "", number = ""] = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
const token = location.hash.slice(1);

document.getElementById("looks").addEventListener("click", () => dialog("How it looks", ...looks()));
document.body.prepend(h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "To the content"));
document.querySelector(`.top nav [data-page="${{ "": "lobby", report: "run" }[page] ?? page}"]`)?.setAttribute("aria-current", "page");

async function show() {
  switch (page) {
    case "": return (await import("./lobby.js")).lobby(main);
    case "table":
    case "watch": {
      document.body.classList.add("at-table");
      return (await import("./arrival.js")).arrive(main, id, token, page === "watch");
    }
    case "review": return (await import("./review.js")).review(main, id, number);
    case "report": return (await import("./report.js")).report(main, id);
    case "run": return (await import("./run.js")).run(main, id);
    default: return main.replaceChildren(h("div", { class: "stack" }, h("h1", {}, "There is no such page."), h("p", {}, h("a", { href: "/" }, "To the lobby"))));
  }
}

addEventListener("hashchange", () => page !== "report" && location.reload()); // another seat at the same table; in a report, a section
show().catch((broken) => {
  console.error(broken);
  main.replaceChildren(h("div", { class: "stack" }, h("h1", {}, "This page could not be shown."), h("p", {}, broken.message), h("p", {}, h("a", { href: location.href }, "Try again"))));
});
