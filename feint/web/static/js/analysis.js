// What each decision of a game was worth, where the server has worked it out.

/** The analysis of a game; null where there is none. */
export async function analysis() {
  return null;
}
