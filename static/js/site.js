/* What every page does beyond plain HTML; each of these works without it, only less smoothly. */

document.documentElement.classList.add("js");

/* The server may leave a slow part of a page to a second request where scripts run (questionbank/bank/question_views.py). */
if (window.htmx) document.cookie = "scripts=1; path=/; SameSite=Lax";

/* A menu closes on Escape and on a click elsewhere. */
for (const menu of document.querySelectorAll("[data-menu]")) {
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}

/* "/" goes to the search box, "?" shows the keys; both are letters while somebody types. */
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  if (event.key === "/") {
    const boxes = [...document.querySelectorAll('input[type="search"][name="q"]')];
    const box = boxes.reverse().find((field) => field.checkVisibility());
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "?") {
    document.getElementById("key-help")?.showModal();
  }
});

/* Leaving a form with changes asks first; sending it does not. A form that came back from the server (`data-unsaved`)
   holds changes from the start. */
const unsaved = new Set();
const values = (form) => new URLSearchParams(new FormData(form)).toString();
for (const form of document.querySelectorAll("form[data-warn-unsaved]")) {
  const before = "unsaved" in form.dataset ? null : values(form);
  if (before === null) unsaved.add(form);
  const compare = () => (values(form) === before ? unsaved.delete(form) : unsaved.add(form));
  form.addEventListener("input", compare);
  form.addEventListener("change", compare);
  form.addEventListener("submit", () => unsaved.delete(form));
}
addEventListener("beforeunload", (event) => {
  if (unsaved.size) event.preventDefault();
});

/* A double click sends a form once: two sheets, lists or uploads would be made. What htmx sends is its own. */
const sentAt = new WeakMap();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return;
  if (event.timeStamp - (sentAt.get(form) ?? -Infinity) < 1000) event.preventDefault();
  else sentAt.set(form, event.timeStamp);
});

/* The theme changes at once; the form still tells the server, which keeps it in a cookie. */
for (const form of document.querySelectorAll("[data-theme-form]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = event.submitter.value;
    document.documentElement.dataset.theme = chosen;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === chosen));
    }
    const data = new FormData(form);
    data.set("theme", chosen);
    fetch(form.action, { method: "POST", body: data, redirect: "manual" });
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.addEventListener("click", () => window.print());
}

/* A part that refreshes itself keeps what somebody unfolded in it, and how far it was scrolled. */
let unfolded = [];
let scrolled = [];
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  unfolded = [...detail.target.querySelectorAll("details[id][open]")].map((fold) => fold.id);
  scrolled = [...detail.target.querySelectorAll("[id][data-keep-scroll]")].map((box) => [box.id, box.scrollTop]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, top] of scrolled) document.getElementById(id)?.scrollTo(0, top);
});

/* The session ended while a page was open, or another began: a part that htmx asked for is then the log-in page, or 403.
   What a button sent goes as a whole page, which keeps it (questionbank/core/views.py). A page in which somebody
   writes stays as it is. */
function sendAsPage({ path, formData }) {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: path, hidden: true });
  for (const [name, value] of formData) {
    if (typeof value !== "string") continue; // a file
    const field = document.createElement("textarea");
    Object.assign(field, { name, value });
    form.append(field);
  }
  document.body.append(form);
  unsaved.clear();
  form.submit();
}
document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  const isLogIn = new URL(xhr.responseURL || location.href).pathname.startsWith("/accounts/login");
  if (isLogIn || xhr.status === 403) {
    event.detail.shouldSwap = false;
    const isPressed = ["click", "submit"].includes(requestConfig.triggeringEvent?.type);
    const isWritten = [...document.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
    if (requestConfig.verb === "post" && isPressed) sendAsPage(requestConfig);
    else if (isLogIn && !isWritten) location.reload();
    return;
  }
  /* Sentences about what is wrong with the input replace the part like any other answer. */
  if ([409, 422, 503].includes(xhr.status)) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});
