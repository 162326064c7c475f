/* Swagger's page is dark where Kindred's pages are. */

const root = document.documentElement;
const { theme } = root.dataset;
const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
root.classList.toggle("dark-mode", isDark);
root.style.colorScheme = isDark ? "dark" : "light"; /* of links outside Swagger, and of scroll bars */
