// Motion explains what changed. With reduced motion the same states follow each other without flight.

import { moves } from "./settings.js";

const FLIGHT = 230;
const BEAT = 400;
const TURN = 120;

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
export const beat = () => pause(BEAT);

/** Where an element is now, kept for when it is gone. */
export function place(element) {
  return element?.getBoundingClientRect() ?? null;
}

/**
 * Let copies of a picture fly from one place to another, one shortly after the other.
 * @param {() => Element} picture
 * @param {DOMRect|null} from
 * @param {DOMRect|null} to
 */
export async function fly(picture, from, to, count = 1) {
  if (!moves() || !from || !to || document.hidden) return;
  const flights = [];
  for (let nth = 0; nth < Math.min(count, 6); nth += 1) flights.push(one(picture(), from, to, nth * 45));
  await Promise.all(flights);
}

async function one(element, from, to, delay) {
  const layer = document.createElement("div");
  layer.className = "flying";
  layer.append(element);
  const width = 44;
  layer.style.width = `${width}px`;
  layer.style.left = `${from.left + from.width / 2 - width / 2}px`;
  layer.style.top = `${from.top + from.height / 2 - width * 0.7}px`;
  document.body.append(layer);
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const flight = layer.animate(
    [{ transform: "none", opacity: 1 }, { transform: `translate(${x}px, ${y}px) rotate(6deg)`, opacity: 0.9 }],
    { duration: FLIGHT, delay, easing: "cubic-bezier(.3,.1,.3,1)", fill: "both" });
  await flight.finished.catch(() => null);
  layer.remove();
}

/** Turn face-down things over one by one; `turn(n)` shows the n-th. */
export async function turnOver(elements, turn) {
  for (const [nth, element] of elements.entries()) {
    if (moves() && !document.hidden) {
      await element.animate([{ transform: "none" }, { transform: "rotateY(90deg)" }], { duration: TURN / 2 }).finished.catch(() => null);
    }
    turn(nth);
    if (moves() && !document.hidden) {
      await element.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], { duration: TURN / 2 }).finished.catch(() => null);
    }
  }
}

/** Say no without words: one shake. */
export function shake(element) {
  if (!moves() || !element) return;
  element.animate([0, -5, 5, -3, 3, 0].map((x) => ({ translate: `${x}px 0` })), { duration: 260 });
}
