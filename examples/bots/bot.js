#!/usr/bin/env node
// A bot for Bluff, in JavaScript: it lays all its true cards, or one lie, and calls whoever claims three cards or more.
// Other games it does not play, and says so. It shows how views are read, not how to win: calling so easily, it never did in 400 games.
const lines = require("readline").createInterface({ input: process.stdin });

function choose({ view, legal }) {
  const ranks = view.hand[0].length, lay = ranks, trust = ranks + 1, call = ranks + 2; // actions below are picks
  if (view.asked > 0) return view.claim >= 3 ? call : trust;
  if (legal.includes(0)) return 0; // picks a true card
  return legal.includes(lay) ? lay : legal[0];
}

function answer(message) {
  if (message.type !== "begin") return { number: message.number, actions: message.tables.map(choose) };
  return message.game === "bluff" ? { protocol: 1, name: "JavaScript" } : { error: "I only play bluff." };
}

lines.on("line", (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n"));
