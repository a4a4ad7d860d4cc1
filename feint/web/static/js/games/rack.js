// One's own tiles on a rack of two boards: dragged, moved by keys, or arranged as the game's solver would.

import { tile, tileName } from "../art.js";
import { h } from "../dom.js";

const COLUMNS = 13;
const SLOTS = 2 * COLUMNS;
const LETTERS = "YBKR";

/** The kinds of a rack, one for each tile. */
const held = (view) => view.rack.flatMap((count, kind) => Array(Math.max(0, count)).fill(kind));

/** The kind that is picked for discarding, or null. */
export const selectedKind = (ctx) => (ctx.local.selected == null ? null : (ctx.local.slots?.[ctx.local.selected] ?? null));

/** A tile as the game's words have it, such as R7, as its kind. */
function kindOf(sign, okey) {
  if (sign === "★") return okey;
  if (sign === "☆") return 52;
  const colour = LETTERS.indexOf(sign[0]);
  const number = Number(sign.slice(1));
  return colour >= 0 && number >= 1 && number <= 13 ? colour * 13 + number - 1 : null;
}

/** The solver's arrangement, as the state tells it in words: melds in brackets, then what is begun, then the rest. */
function arranged(seen, okey) {
  const line = seen.split("\n").find((each) => each.startsWith("Your rack\t"))?.split("\t")[1] ?? "";
  return line.split(/[[\],]/).map((group) => group.trim().split(/\s+/).map((sign) => (sign ? kindOf(sign, okey) : null)).filter((kind) => kind !== null)).filter((group) => group.length);
}

/** Groups on the two boards with a gap between them; a group that does not fit goes on below. */
function placed(groups) {
  const slots = Array(SLOTS).fill(null);
  let at = 0;
  const tiles = groups.reduce((sum, group) => sum + group.length, 0);
  let gaps = SLOTS - tiles;
  for (const group of groups) {
    const room = COLUMNS - (at % COLUMNS);
    if (at < COLUMNS && group.length > room && room < COLUMNS && gaps >= room) {
      gaps -= room;
      at = COLUMNS;
    }
    for (const kind of group) {
      slots[at] = kind;
      at += 1;
    }
    if (at % COLUMNS && gaps > 0) {
      at += 1;
      gaps -= 1;
    }
  }
  return slots;
}

/** The slots for the tiles that are held now: those that stayed stay where they are, a new one goes to the first free place from the right. */
function settled(slots, kinds) {
  const left = [...kinds];
  const kept = slots.map((kind) => {
    const at = kind === null ? -1 : left.indexOf(kind);
    if (at < 0) return null;
    left.splice(at, 1);
    return kind;
  });
  for (const kind of left) {
    const last = kept.findLastIndex((each) => each !== null);
    const free = last + 2 < SLOTS ? last + 2 : last + 1 < SLOTS ? last + 1 : kept.indexOf(null);
    kept[free] = kind;
  }
  return kept;
}

/** The rack; `discard(kind)` is called for a tile that is dropped on the table or picked twice. */
export function rack(ctx, okey, discard) {
  const { local, view } = ctx;
  if (local.hand !== view.hand) Object.assign(local, { hand: view.hand, slots: null, selected: null }); // the next hand has other tiles
  local.slots = local.slots ? settled(local.slots, held(view)) : settled(placed(arranged(ctx.seen, okey)), held(view));
  if (local.selected != null && local.slots[local.selected] === null) local.selected = null;
  const boards = [0, 1].map((row) => h("div", { class: "board-row" }, local.slots.slice(row * COLUMNS, (row + 1) * COLUMNS).map((kind, column) => slot(ctx, row * COLUMNS + column, kind, okey, discard))));
  return h("div", { class: "rack", role: "group", "aria-label": "Your rack. Arrow keys go along it, with Shift they move a tile." }, boards);
}

function slot(ctx, at, kind, okey, discard) {
  const { local, view } = ctx;
  if (kind === null) return h("span", { class: "tile-slot vacant", "data-at": at });
  const first = local.slots.findIndex((each) => each !== null);
  const current = local.focus != null && local.slots[local.focus] !== null ? local.focus : first;
  const chosen = local.selected === at;
  return h("button", {
    type: "button", class: `tile-slot ${chosen ? "chosen" : ""} ${view.drew === kind && isDrawn(local, kind, at) ? "drawn" : ""}`, id: `slot-${at}`, "data-at": at,
    "aria-label": tileName(kind, okey), "aria-pressed": String(chosen), tabindex: at === current ? "0" : "-1",
    onclick: () => choose(ctx, at, discard),
    onkeydown: (event) => travel(ctx, at, event),
    onpointerdown: (event) => drag(ctx, at, event, discard),
  }, tile(kind, okey));
}

/** Of two equal tiles, the one further right is the one that was drawn. */
const isDrawn = (local, kind, at) => local.slots.lastIndexOf(kind) === at;

function choose(ctx, at, discard) {
  const { local, view } = ctx;
  if (local.dragged) {
    local.dragged = false;
    return;
  }
  if (local.selected === at && ctx.asked && !view.drawing) discard(local.slots[at]);
  else {
    local.selected = local.selected === at ? null : at;
    local.focus = at;
    ctx.refresh();
  }
}

/** Arrow keys: to the next tile, or with Shift, move this one. */
function travel(ctx, at, event) {
  const { local } = ctx;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  let to = at + step;
  if (event.shiftKey) {
    if (to < 0 || to >= SLOTS) return;
    swap(local, at, to);
  } else {
    const along = Math.abs(step) === 1;
    while (along && to >= 0 && to < SLOTS && local.slots[to] === null) to += step;
    if (!along && local.slots[to] === null) to = nearest(local.slots, to);
    if (to < 0 || to >= SLOTS || local.slots[to] === null) return;
  }
  local.focus = to;
  ctx.refresh();
  document.getElementById(`slot-${to}`)?.focus();
}

/** The tile of a board that is nearest to a slot of it. */
function nearest(slots, to) {
  const row = Math.floor(to / COLUMNS);
  const there = slots.flatMap((kind, at) => (kind !== null && Math.floor(at / COLUMNS) === row ? [at] : []));
  return there.sort((one, other) => Math.abs(one - to) - Math.abs(other - to))[0] ?? -1;
}

function swap(local, from, to) {
  [local.slots[from], local.slots[to]] = [local.slots[to], local.slots[from]];
  if (local.selected === from) local.selected = to;
  else if (local.selected === to) local.selected = from;
}

/** Drag a tile to another slot, or onto the table to discard it. */
function drag(ctx, at, event, discard) {
  if (event.button) return;
  const { local } = ctx;
  const element = event.currentTarget;
  const [x, y] = [event.clientX, event.clientY];
  let moved = false;
  const move = (step) => {
    if (!moved && Math.hypot(step.clientX - x, step.clientY - y) < 6) return;
    moved = true;
    local.dragging = true;
    element.classList.add("dragging");
    element.style.translate = `${step.clientX - x}px ${step.clientY - y}px`;
  };
  const drop = (end) => {
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", drop);
    element.removeEventListener("pointercancel", drop);
    element.classList.remove("dragging");
    element.style.translate = "";
    local.dragging = false;
    if (!moved || end.type === "pointercancel") return;
    local.dragged = true; // the click that follows is no click
    setTimeout(() => { local.dragged = false; });
    const under = document.elementsFromPoint(end.clientX, end.clientY);
    const target = under.map((each) => each.closest("[data-at]")).find((each) => each && each !== element);
    if (target) {
      swap(local, at, Number(target.dataset.at));
      ctx.refresh();
    } else if (under.some((each) => each.closest(".felt"))) discard(local.slots[at]);
    else ctx.refresh();
  };
  element.setPointerCapture(event.pointerId);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", drop);
  element.addEventListener("pointercancel", drop);
}
