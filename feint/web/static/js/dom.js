// Elements made from plain data. Text is always text, so a name can never become markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `h("button", {class: "big", onclick: go, "aria-label": "Go"}, "Go")`.
 * Attributes that are null or false are left out; `on...` are listeners; `vars` are CSS custom properties.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...any} children
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element, made the same way. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}

/** Replace what an element holds, and keep the keyboard's focus on whatever has the same id. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  return element;
}

/** A button with what it does; the key that does the same is shown beside its words. */
export function button(label, onclick, { key = "", kind = "", ...rest } = {}) {
  return h("button", { type: "button", class: `button ${kind}`, onclick, "aria-keyshortcuts": key || null, ...rest },
    h("span", {}, label), key && h("kbd", { "aria-hidden": "true" }, key));
}

/** `1 card` or `2 cards`. */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
