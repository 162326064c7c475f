/* Copies the text of the element that a button names. */

for (const button of document.querySelectorAll("[data-copy]")) {
  const label = button.querySelector("span");
  const usual = label.textContent;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      label.textContent = button.dataset.copied;
      label.setAttribute("role", "status");
      setTimeout(() => (label.textContent = usual), 2000);
    } catch {
      getSelection().selectAllChildren(source); /* not allowed: at least select it */
    }
  });
}
