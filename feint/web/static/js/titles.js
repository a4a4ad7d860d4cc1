// What games are called among people, where that is more than their name.

const TITLES = { holdem: "Limit Hold'em", kuhn: "Kuhn poker", leduc: "Leduc poker", "liars-dice": "Liar's Dice", bidding: "Bidding Elimination" };

/** The title of a game by its name; what the server calls it, where it is not known here. */
export const titleOf = (name, called = name) => TITLES[name] ?? called;
