/* Moving a row of what people put in order, such as a list: the buttons swap the rows in place (htmx), and the handle
   drags by mouse, pen and touch or moves by the arrow keys. All of it posts to the address that the buttons have
   without JavaScript. */

const STEP = 12; // pixels a frame that the page scrolls while somebody drags near its edge
const EDGE = 60; // pixels from an edge of the window in which it scrolls

const status = document.querySelector("[data-order-status]");
const list = () => document.getElementById("ordered-rows");
const rows = () => [...list().querySelectorAll(":scope > [data-row]")];
const placeOf = (row) => rows().indexOf(row) + 1;

/* Send where a row goes; the answer is the page, whose rows replace ours, so numbers and labels are right again.
   `focus` is the id of what keeps the focus. */
function move(row, position, focus) {
  const form = row.querySelector("[data-row-form]");
  const address = form.getAttribute("action"); // its buttons are called "action", too
  pending = focus;
  htmx.ajax("POST", address, {
    source: form,
    values: { position },
    target: "#ordered-rows",
    select: "#ordered-rows",
    swap: "outerHTML",
  });
}

let pending = ""; // id of the control that moved a row, which keeps the focus
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  if (detail.elt.matches?.("button[id][hx-post]")) pending = detail.elt.id;
});
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.target.id !== "ordered-rows" || !pending) return;
  const control = document.getElementById(pending);
  const row = control?.closest("[data-row]");
  pending = "";
  if (!row) return;
  control.focus({ preventScroll: true });
  control.scrollIntoView({ block: "nearest" });
  status.textContent = status.dataset.moved
    .replace("%(row)s", () => row.dataset.row)
    .replace("%(place)s", placeOf(row))
    .replace("%(all)s", rows().length);
});
for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(failure, () => {
    status.textContent = status.dataset.failed;
    status.classList.remove("visually-hidden");
  });
}

document.addEventListener("keydown", (event) => {
  const handle = event.target.closest?.("[data-row-handle]");
  if (!handle) return;
  const row = handle.closest("[data-row]");
  const place = placeOf(row);
  const last = rows().length;
  const wanted = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 1, End: last }[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  if (wanted >= 1 && wanted <= last && wanted !== place) move(row, wanted, handle.id);
});

/* While a row is dragged it moves among the others at once; letting go sends its place, Escape puts it back. */
let drag = null;

document.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest?.("[data-row-handle]");
  if (!handle || event.button !== 0) return;
  event.preventDefault();
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  const row = handle.closest("[data-row]");
  drag = { handle, row, from: placeOf(row), next: row.nextElementSibling, y: event.clientY };
  row.classList.add("order-dragged");
  requestAnimationFrame(scroll);
});
document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  drag.y = event.clientY;
  settle();
});
document.addEventListener("pointerup", () => finish(true));
document.addEventListener("pointercancel", () => finish(false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag) finish(false);
});

/* Put the dragged row before the first row whose middle is below the pointer. */
function settle() {
  const others = rows().filter((row) => row !== drag.row);
  const below = others.find((row) => {
    const box = row.getBoundingClientRect();
    return drag.y < box.top + box.height / 2;
  });
  if ((below ?? null) !== drag.row.nextElementSibling) list().insertBefore(drag.row, below ?? null);
}

function scroll() {
  if (!drag) return;
  if (drag.y < EDGE) scrollBy(0, -STEP);
  else if (drag.y > innerHeight - EDGE) scrollBy(0, STEP);
  settle();
  requestAnimationFrame(scroll);
}

function finish(keep) {
  if (!drag) return;
  const { handle, row, from, next } = drag;
  drag = null;
  row.classList.remove("order-dragged");
  if (!keep) list().insertBefore(row, next);
  else if (placeOf(row) !== from) move(row, placeOf(row), handle.id);
}

/* A form that puts in a new row follows the row that somebody was in last. */
document.addEventListener("focusin", ({ target }) => {
  const row = target.closest?.("[data-row]");
  const place = document.querySelector("[data-row-place]");
  if (row && place) place.value = row.id.replace("item-", "");
});
