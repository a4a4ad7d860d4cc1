#!/usr/bin/env node
// A bot for Bluff, in JavaScript: it lays true cards while it has any, and calls whoever claims three cards or more.
// Other games it does not play, and says so.
const lines = require("readline").createInterface({ input: process.stdin });

function choose({ view, legal }) {
  const ranks = view.hand[0].length, lay = ranks, trust = ranks + 1, call = ranks + 2; // actions below are picks
  if (view.asked > 0) return view.claim >= 3 ? call : trust;
  return legal.includes(lay) ? lay : legal[0]; // action 0 picks a true card
}

function answer(message) {
  if (message.type !== "begin") return { actions: message.tables.map(choose) };
  return message.game === "bluff" ? { protocol: 1, name: "JavaScript" } : { error: "I only play bluff." };
}

lines.on("line", (line) => process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n"));
