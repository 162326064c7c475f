/* Presses the buttons of the review by key, and keeps the pair while its page is in sight. */

const review = document.querySelector("[data-review]");
const isField = (element) => element?.matches?.("input, textarea, select, [contenteditable]");
let sent = false;

/* A decision is sent once: a key that is held down or pressed twice must not decide the next pair. */
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-decision], .undo")) return;
  if (sent) event.preventDefault();
  sent = true;
});
addEventListener("pageshow", () => (sent = false));

function act(target) {
  if (target.matches("[data-edit]")) {
    target.open = true;
    target.querySelector("textarea").focus();
  } else if (isField(target)) {
    target.focus();
  } else {
    target.click();
  }
}

if (review) {
  const targets = new Map(
    [...document.querySelectorAll("[data-key]")].map((target) => [target.dataset.key, target]),
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isField(event.target)) {
      event.target.blur();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.id === "id_text") {
      event.preventDefault();
      document.querySelector("[data-edit-button]").click();
    }
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || isField(event.target)) return;
    const target = targets.get(event.key.toLowerCase());
    if (!target) return;
    event.preventDefault();
    act(target);
  });

  const { heartbeat, beatSeconds } = review.dataset;
  if (heartbeat) {
    const beat = async () => {
      if (document.hidden) return;
      const token = review.querySelector("[name=csrfmiddlewaretoken]").value;
      try {
        const answer = await fetch(heartbeat, { method: "POST", headers: { "X-CSRFToken": token } });
        document.querySelector("[data-lost]").hidden = answer.status !== 409;
      } catch {
        /* offline: the next beat tries again */
      }
    };
    setInterval(beat, 1000 * Number(beatSeconds));
    document.addEventListener("visibilitychange", beat);
  }
}
