/* Keeps the pair of a review while its page is in sight, and sends a decision once; keys.js presses its buttons. */

const review = document.querySelector("[data-review]");
let sent = false;

/* A decision is sent once: a key that is held down or pressed twice must not decide the next pair. */
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-decision], .undo")) return;
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => (sent = false));

/* Opinions that are complete can be undone for a few seconds; the page's next load offers an earlier decision. */
const undo = document.querySelector(".undo[data-seconds]");
if (undo) setTimeout(() => undo.remove(), 1000 * Number(undo.dataset.seconds));

if (review) {
  const { heartbeat, beatSeconds } = review.dataset;
  if (heartbeat) {
    const tokens = document.querySelectorAll("[name=csrfmiddlewaretoken]");
    const ask = (options) => fetch(heartbeat, { redirect: "manual", ...options });
    const post = () => ask({ method: "POST", headers: { "X-CSRFToken": tokens[0].value } });
    /* Who logged in again in another tab may go on here: its forms get the token of the new session. */
    const renewTokens = async () => {
      const answer = await ask();
      if (!answer.ok) return false;
      const token = await answer.text();
      tokens.forEach((field) => (field.value = token));
      return true;
    };
    const say = (name) => {
      for (const notice of document.querySelectorAll("[data-notice]")) {
        notice.hidden = notice.dataset.notice !== name;
      }
    };
    /* Two beats may be on their way at once: only the answer to the latest is shown. */
    let beats = 0;
    const beat = async () => {
      if (document.hidden) return;
      const number = ++beats;
      try {
        let answer = await post();
        if (answer.status === 403 && (await renewTokens())) answer = await post();
        const text = await answer.text();
        if (number !== beats) return;
        const isLoggedOut = answer.type === "opaqueredirect" || [401, 403].includes(answer.status);
        if (isLoggedOut) say("logged-out");
        else if (answer.status === 409) say(text);
        else if (answer.ok) say("");
      } catch {
        /* offline: the next beat tries again */
      }
    };
    setInterval(beat, 1000 * Number(beatSeconds));
    document.addEventListener("visibilitychange", beat);
  }
}
