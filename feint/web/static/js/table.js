// A table: states come in, one after the other, and are shown; choices go out.

import { gameNamed, get } from "./api.js";
import { companyDialog, seatDialog } from "./company.js";
import { connect } from "./connection.js";
import { button, fill, h } from "./dom.js";
import { endPanel } from "./endgame.js";
import { faceOf } from "./games/faces.js";
import { gameLog } from "./log.js";
import { menuDialog, rulesDialog } from "./menu.js";
import { pause, shake } from "./motion.js";
import { notice } from "./notice.js";
import { plates } from "./seats.js";
import { forget, keep } from "./seatbook.js";
import { setting } from "./settings.js";
import { sound } from "./sound.js";
import { attention } from "./attention.js";
import { waitingPanel } from "./waiting.js";

const BEHIND = 3; // states that wait before things stop flying

/** One table in this page. */
export class TablePage {
  constructor(main, id, token, watching) {
    this.id = id;
    this.token = token;
    this.watching = watching;
    this.state = null;
    this.local = {}; // what is chosen and not sent, by the game's face
    this.pending = null; // the moves on their way
    this.promised = {}; // commitments, by game of the match: as they came, before anything was played
    this.ended = {}; // what is told of games that are over
    this.queue = [];
    this.busy = false;
    this.draw(main);
    addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.state && !this.busy && this.render()).observe(this.own);
    this.line = connect(id, () => this.hello(), {
      message: (data) => this.take(data),
      status: (status, detail) => this.linked(status, detail),
    });
  }

  /** Who one is: a seat by its token, the host of agents by theirs, or somebody who watches. */
  hello() {
    if (this.watching) return this.token ? { token: this.token } : { watch: true };
    return { token: this.token, ...(setting("name") ? { name: setting("name") } : {}) };
  }

  draw(main) {
    this.main = main;
    main.className = "table-page";
    this.title = h("h1", {}, "feint");
    this.score = h("p", { class: "score number" });
    this.banner = h("p", { class: "banner", role: "status", hidden: true });
    this.felt = h("section", { class: "felt", "aria-label": "The table" });
    this.middle = h("div", { class: "middle", id: "middle" });
    this.question = h("p", { class: "question", id: "question", "aria-live": "polite" });
    this.buttons = h("div", { class: "buttons", role: "group", "aria-label": "What you may do" });
    this.handBox = h("div", { class: "hand" });
    this.own = h("section", { class: "own", "aria-label": "Your seat" }, this.question, this.buttons, this.handBox);
    this.log = gameLog(() => this.toggleLog(false));
    this.logButton = button("Log", () => this.toggleLog(), { kind: "quiet log-button", "aria-expanded": "false", "aria-controls": "log" });
    this.hintButton = button("Hint", () => this.line.send({ hint: true }), { kind: "quiet", id: "hint" });
    this.bar = h("header", { class: "table-bar" },
      h("a", { class: "home", href: "/", "aria-label": "To the lobby" }, markIcon()), this.title, this.score,
      h("div", { class: "bar-buttons" }, this.hintButton,
        button("Rules", () => rulesDialog(this.game), { kind: "quiet" }), this.logButton,
        button("Menu", () => menuDialog(this), { kind: "quiet", "aria-haspopup": "dialog" })));
    fill(main, this.bar, this.banner, this.felt, this.own, this.log.element);
    fill(this.middle, h("p", { class: "faint-felt" }, "Coming to the table …"));
    fill(this.felt, this.middle);
  }

  toggleLog(open = !this.main.classList.contains("log-open")) {
    this.main.classList.toggle("log-open", open);
    this.logButton.setAttribute("aria-expanded", String(open));
    if (!open) this.logButton.focus();
  }

  // ---- what the server says

  take(data) {
    if (data.kind === "error") return this.refused(data);
    if (data.kind === "hint") return this.hinted(data);
    if (data.kind === "notes") return void notice(data.message, 12);
    if (data.kind !== "state") return undefined;
    this.queue.push(data);
    if (!this.busy) this.work();
    return undefined;
  }

  async work() {
    this.busy = true;
    while (this.queue.length) {
      const next = this.queue.shift();
      try {
        await this.enter(next);
      } catch (broken) {
        console.error(broken);
        this.state = next;
        this.render();
      }
    }
    this.busy = false;
  }

  /** Show what a new state changes, then the state itself. */
  async enter(next) {
    const before = this.state;
    if (!this.game || this.game.name !== next.game) await this.learn(next);
    if (!before || before.round !== next.round) this.local = {};
    if (next.commitment && !(next.round in this.promised)) this.promised[next.round] = next.commitment;
    if (this.pending && (next.round !== this.pending.round || next.number > this.pending.number)) this.pending = null;
    const follows = before?.view && next.view && before.round === next.round && next.number > before.number;
    if (follows && this.queue.length < BEHIND && next.number - before.number < 40) {
      const arrival = this.face.arrive?.(this.context(next), before.view, next.view);
      if (arrival) await Promise.race([arrival, pause(6000)]);
    }
    this.log.take(next);
    const over = next.over && !before?.over;
    this.state = next;
    this.render();
    if (next.choices.length && next.number !== this.heard) {
      this.heard = next.number;
      sound("turn");
    }
    if (over) sound("end");
    if (this.pending) this.line.send(this.pending.message); // it may be lost: sent twice, it counts once
  }

  async learn(next) {
    this.game = (await gameNamed(next.game).catch(() => null)) ?? { name: next.game, title: next.game, rules: "" };
    this.options = (await get(`/api/tables/${this.id}`).catch(() => null))?.options ?? {};
    this.face = faceOf(next.game);
    this.main.dataset.game = next.game;
    this.title.textContent = this.game.title;
    if (!this.watching) keep({ table: this.id, token: this.token, game: next.game, title: this.game.title, when: Date.now() });
  }

  /** All that a face needs to show a state. */
  context(state = this.state) {
    const view = state.view;
    return {
      page: this, state, view, face: this.face, local: this.local, options: this.options, middle: this.middle,
      suits: this.options.suits ?? 4, asked: state.choices.length > 0 && !this.pending, choices: state.choices, seen: state.seen,
      width: this.handBox.clientWidth || this.main.clientWidth, pace: state.pace, sound,
      send: (actions) => this.send(actions),
      refresh: () => this.render(),
      relabel: () => this.renderButtons(this.context()),
      refuse: (reason, element) => this.refuse(reason, element),
      plate: (seat) => document.getElementById(`plate-${seat}`) ?? this.own,
      name: (seat) => (seat === state.seat ? "You" : state.seats[seat]?.name ?? ""),
      does: (seat, you, they) => (seat === state.seat ? `You ${you}` : `${state.seats[seat].name} ${they}`),
    };
  }

  // ---- what is shown

  render() {
    const { state } = this;
    const ctx = this.context();
    document.title = `${this.game.title} · feint`;
    attention(state.choices.length > 0, this.game.title);
    fill(this.score, state.score?.games ? state.score.sentence || `Game ${state.round + 1}` : "");
    this.hintButton.hidden = !(state.hints && state.choices.length && setting("hints"));
    this.main.classList.toggle("your-turn", state.choices.length > 0 && !this.pending);
    this.main.classList.toggle("spectator", state.seat === null);
    if (!state.view) return this.renderWaiting(state);
    fill(this.middle, state.over ? endPanel(this, ctx) : this.face.middle(ctx));
    this.middle.classList.toggle("ended", state.over);
    fill(this.felt, plates(ctx, (seat) => seatDialog(this, seat)), this.middle);
    this.renderOwn(ctx);
    return undefined;
  }

  renderWaiting(state) {
    fill(this.middle, waitingPanel(this, state));
    fill(this.felt, this.middle);
    fill(this.question);
    fill(this.buttons);
    fill(this.handBox);
  }

  renderOwn(ctx) {
    const { state } = this;
    fill(this.question, this.asks(state));
    this.renderButtons(ctx);
    if (!this.local.dragging) fill(this.handBox, state.seat === null ? [] : this.face.hand(ctx)); // what is held in the hand is not taken from it
    this.own.classList.toggle("empty", state.seat === null);
  }

  renderButtons(ctx) {
    const { state } = this;
    this.shortcuts = state.over ? [] : (this.face.buttons?.(ctx) ?? []);
    fill(this.buttons, this.shortcuts.map((each, nth) =>
      button(each.label, each.go, { key: each.key ?? "", kind: each.kind ?? "", disabled: each.disabled || Boolean(this.pending), id: `choice-${nth}`, title: each.title ?? null })));
  }

  /** Whose turn it is and what is asked, in one line. */
  asks(state) {
    if (state.over) return state.seat === null ? "You watch. The game is over." : "The game is over.";
    if (this.pending) return "Sent …";
    if (state.question) return state.question;
    if (state.turn === null) return state.wait ?? "";
    const who = state.seats[state.turn];
    const told = who.kind === "agent" || who.sitting_in ? `${who.name} is thinking.` : who.here ? `It is ${who.name}'s turn.` : `${who.name} is away: the game waits, or an agent may sit in.`;
    return state.seat === null ? `You watch. ${told}` : told;
  }

  // ---- what the person does

  send(actions) {
    const { state } = this;
    this.pending = { round: state.round, number: state.number, message: actions.length === 1 ? { move: state.number, action: actions[0] } : { move: state.number, actions } };
    this.line.send(this.pending.message);
    this.render();
  }

  refused(data) {
    this.pending = null;
    notice(data.message);
    if (this.state) this.render();
  }

  refuse(reason, element) {
    shake(element);
    notice(reason, 4);
  }

  hinted(hint) {
    notice(`${hint.message}${hint.why ? ` ${hint.why}` : ""}`, 15);
    this.log.add(hint.message);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea, dialog") || !this.state?.view) return;
    if (event.key === "Escape") return void this.toggleLog(false);
    const named = (this.shortcuts ?? []).find((each) => each.key && each.key.toLowerCase() === event.key.toLowerCase());
    if (named && !named.disabled && !this.pending) {
      if (event.key === "Enter" && event.target.closest?.("button:not(.fan-card):not(.tile-slot), a")) return; // that button's own
      event.preventDefault();
      named.go();
    } else if (!this.pending && this.face.key?.(this.context(), event)) event.preventDefault();
  }

  company() {
    companyDialog(this);
  }

  // ---- the line

  linked(status, detail) {
    this.banner.hidden = status === "open";
    if (status === "lost") {
      this.banner.textContent = detail < 5 ? "The connection is lost. Trying again …" : "The server does not answer. Your game is kept there, and this page goes on trying.";
    }
    if (status === "closed") {
      const gone = detail.code === 4401 || detail.code === 4404 || detail.code === 4410;
      if (gone && !this.watching) forget(this.id);
      this.banner.hidden = true;
      fill(this.felt, this.middle);
      fill(this.middle, h("div", { class: "end panel" }, h("h2", {}, detail.code === 4410 ? "This table is closed." : "You cannot sit here."),
        h("p", {}, detail.reason || "The table is not there any more."),
        h("div", { class: "row" }, h("a", { class: "button main", href: "/" }, "To the lobby"),
          detail.code === 4401 && h("a", { class: "button", href: `/watch/${this.id}` }, "Watch"))));
      fill(this.question);
      fill(this.buttons);
      fill(this.handBox);
    }
  }
}

function markIcon() {
  return document.querySelector(".top .home svg").cloneNode(true);
}
