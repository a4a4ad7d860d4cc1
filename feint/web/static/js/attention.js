// Your turn while the tab is hidden: the title and the little picture of the tab say so.

const CALM = "/static/art/favicon.svg";
const TURN = "/static/art/favicon-turn.svg";
let last = { wanted: false, title: "feint" };

/** Whether somebody is waited for here. */
export function attention(wanted, title) {
  last = { wanted, title };
  document.title = wanted && document.hidden ? `● Your turn · ${title}` : `${title} · feint`;
  const link = document.querySelector('link[rel="icon"]');
  const href = wanted ? TURN : CALM;
  if (link && link.getAttribute("href") !== href) link.setAttribute("href", href);
}

document.addEventListener("visibilitychange", () => attention(last.wanted, last.title));
