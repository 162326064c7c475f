/* The review of a test paper by keyboard, and which line belongs to which question. Without it lines are chosen and
   buttons pressed all the same, by the form itself. */

const paper = () => document.getElementById("paper");
const picks = () => [...paper().querySelectorAll('input[type="radio"][name="line"]')];
const isTyping = (element) => element?.matches?.("input:not([type=radio], [type=checkbox]), textarea, select");

function choose(pick) {
  pick.checked = true;
  pick.focus({ preventScroll: true });
  pick.closest(".paper-line").scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = picks();
  const now = all.findIndex((pick) => pick.checked);
  const next = all[now < 0 ? 0 : now + by];
  if (next) choose(next);
}

/* From the chosen line on, the next question that somebody should look at; behind the last one the first. */
function nextDoubtful() {
  const passages = [...paper().querySelectorAll(".passage")];
  const here = passages.findIndex((passage) => passage.querySelector("input[name=line]:checked"));
  const around = [...passages.slice(here + 1), ...passages.slice(0, here + 1)];
  const pick = around
    .filter((passage) => passage.querySelector("[data-doubtful]"))
    .map((passage) => passage.querySelector("input[name=line]"))
    .find(Boolean);
  if (!pick) return;
  choose(pick);
  pick.closest(".passage").scrollIntoView({ block: "start" });
}

function leaveOut() {
  chosenLine()?.closest(".passage").querySelector("[data-leave-out]")?.click();
}

const moves = { j: () => step(1), k: () => step(-1), n: nextDoubtful, d: leaveOut };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  const move = moves[event.key.toLowerCase()];
  if (!move || (event.repeat && !"jk".includes(event.key)) || !picks().length) return;
  event.preventDefault();
  move();
});

/* While a correction is being saved, the buttons are those of before: keys wait for the new ones. */
let isSaving = false;
const waiting = [];
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.target.id === "paper") isSaving = true;
});
document.addEventListener(
  "keydown",
  (event) => {
    if (!isSaving || event.key.length > 1 || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    waiting.push(event.key);
  },
  { capture: true },
);
function goOn() {
  isSaving = false;
  while (!isSaving && waiting.length) {
    const pressed = { key: waiting.shift(), bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", pressed));
  }
}

/* A line that stands elsewhere, such as the list of answers, lights up with its question, and the question with it. */
function light(event) {
  for (const element of document.querySelectorAll(".paper-lit")) element.classList.remove("paper-lit");
  const line = event.target.closest?.(".paper-line");
  const passage = event.target.closest?.(".passage");
  const places = line?.dataset.belongs?.split(" ") ?? [];
  for (const place of places) {
    paper().querySelector(`.passage[data-place="${place}"]`)?.classList.add("paper-lit");
  }
  if (passage?.dataset.place && !places.length) {
    passage.classList.add("paper-lit");
    for (const other of paper().querySelectorAll(`[data-belongs~="${passage.dataset.place}"]`)) {
      other.classList.add("paper-lit");
    }
  }
}
document.addEventListener("mouseover", light);
document.addEventListener("focusin", light);

/* The part that comes back has other elements: whoever chose a line by key goes on from it, and sees it where it was. */
let hadFocus = false;
let chosenBefore = null;
const chosenLine = () => paper().querySelector("input[name=line]:checked");
const topOf = (pick) => pick.closest(".paper-line").getBoundingClientRect().top;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "paper") return;
  hadFocus = detail.target.contains(document.activeElement);
  const pick = chosenLine();
  chosenBefore = pick && { value: pick.value, top: topOf(pick) };
});
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.elt.id !== "paper") return;
  const pick = chosenLine();
  if (pick && pick.value === chosenBefore?.value) scrollBy({ top: topOf(pick) - chosenBefore.top, behavior: "instant" });
  if (hadFocus) {
    hadFocus = false;
    const field = paper().querySelector("textarea[autofocus]");
    if (field) field.focus();
    else pick?.focus({ preventScroll: true });
  }
  goOn();
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.failed && detail.target.id === "paper") goOn();
});
