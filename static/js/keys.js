/* On a page with `data-keys`, presses what bears the key that was pressed: a button, a link, a field, something to
   unfold (`data-key`). */

const isField = (element) =>
  element?.matches?.("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");

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

document.addEventListener("keydown", (event) => {
  if (!document.querySelector("[data-keys]")) return;
  if (event.key === "Escape" && isField(event.target)) {
    event.target.blur();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.dataset?.savedBy) {
    event.preventDefault();
    document.getElementById(event.target.dataset.savedBy).click();
  }
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || isField(event.target)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target) return;
  event.preventDefault();
  act(target);
});
