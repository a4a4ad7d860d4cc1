// What somebody likes, kept in this browser only.

const DEFAULTS = { theme: "auto", fourColours: false, sound: false, pace: 0.8, level: "fair", name: "", hints: true };
const KEPT = "feint-settings";
let settings = { ...DEFAULTS, ...read() };

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {}; // storage may be switched off or hold something else
  }
}

/** What is set under a name. */
export function setting(name) {
  return settings[name];
}

/** Set it, keep it and show it. */
export function set(name, value) {
  settings = { ...settings, [name]: value };
  try {
    localStorage.setItem(KEPT, JSON.stringify(settings));
  } catch { /* it lasts as long as the page, then */ }
  apply();
}

/** Theme and suits, as the whole document has them. */
export function apply() {
  const root = document.documentElement;
  if (settings.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  root.classList.toggle("four-colours", settings.fourColours);
}

/** Whether things may fly. */
export function moves() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
