// A line to a table that mends itself: whatever happens, the next state is the whole state.

const FINAL = new Set([4401, 4404, 4408, 4410, 4413, 4429]); // closed for good: the reason is a sentence
const WAITS = [300, 600, 1200, 2500, 5000]; // milliseconds before each attempt

/**
 * @param {string} table
 * @param {Object} hello who one is: a token, or {watch: true}
 * @param {{message: (data: any) => void, status: (status: "open"|"lost"|"closed", detail: any) => void}} on
 */
export function connect(table, hello, on) {
  let socket = null;
  let attempts = 0;
  let stopped = false;
  let timer = 0;

  function open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/ws/${encodeURIComponent(table)}`);
    socket.addEventListener("open", () => socket.send(JSON.stringify(hello())));
    socket.addEventListener("message", (event) => {
      if (attempts) on.status("open", null);
      attempts = 0;
      on.message(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (stopped) return;
      if (FINAL.has(event.code)) {
        stopped = true;
        on.status("closed", { code: event.code, reason: event.reason });
        return;
      }
      attempts += 1;
      on.status("lost", attempts);
      timer = setTimeout(open, WAITS[Math.min(attempts, WAITS.length) - 1]);
    });
  }

  /** Somebody who comes back to the tab should not have to wait for the next attempt. */
  function hurry() {
    if (!stopped && !document.hidden && socket?.readyState === WebSocket.CLOSED) {
      clearTimeout(timer);
      open();
    }
  }
  document.addEventListener("visibilitychange", hurry);
  addEventListener("online", hurry);
  open();

  return {
    /** Send something; false while there is no line. */
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", hurry);
      removeEventListener("online", hurry);
      socket?.close();
    },
  };
}
