// Which face a game has on the table: its own, or the general one that any game gets from its choices and its words.

import { bidding } from "./bidding.js";
import { bluff } from "./bluff.js";
import { general } from "./general.js";
import { holdem } from "./holdem.js";
import { okey } from "./okey.js";
import { kuhn, leduc, liarsDice } from "./small.js";

const FACES = { bidding, bluff, holdem, okey, kuhn, leduc, "liars-dice": liarsDice };

export const faceOf = (game) => ({ ...general, ...FACES[game] });
