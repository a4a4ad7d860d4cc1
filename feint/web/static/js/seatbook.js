// The seats that this browser holds: a link each, so that a game can be gone on with from the lobby.

const KEPT = "feint-seats";
const MOST = 12;

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT));
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function write(seats) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(seats.slice(0, MOST)));
  } catch { /* the link itself still works */ }
}

/** All of them, the latest first. */
export const seats = () => read();

/** The token for a table, if there is one. */
export const tokenFor = (table) => read().find((each) => each.table === table)?.token ?? null;

/** Keep a seat, or what is new about it. */
export function keep(seat) {
  const others = read().filter((each) => each.table !== seat.table);
  const before = read().find((each) => each.table === seat.table);
  write([{ ...before, ...seat }, ...others]);
}

export function forget(table) {
  write(read().filter((each) => each.table !== table));
}
