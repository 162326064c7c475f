/* Adds a row to the options of a multiple-choice question without asking the server. */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

for (const fieldset of document.querySelectorAll("[data-options]")) {
  const button = fieldset.querySelector("[data-add-option]");
  button.addEventListener("click", (event) => {
    const rows = fieldset.querySelectorAll(".option-row");
    if (rows.length >= LETTERS.length) return;
    event.preventDefault();
    const row = rows[0].cloneNode(true);
    const taken = new Set([...rows].map((other) => other.querySelector("[name=option_label]").value));
    for (const input of row.querySelectorAll("input, textarea")) {
      input.value = "";
      input.setAttribute("aria-label", input.getAttribute("aria-label").replace(/\d+/, rows.length + 1));
    }
    row.querySelector("[name=option_label]").value = [...LETTERS].find((letter) => !taken.has(letter)) ?? "";
    rows[rows.length - 1].after(row);
    row.querySelector("[name=option_text]").focus();
    if (rows.length + 1 >= LETTERS.length) button.hidden = true;
  });
}
