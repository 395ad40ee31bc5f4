// Pleasant with scripts, complete without: links and forms do all of this by themselves.
import { visit, send, follow } from "./visit.js";
import { listen } from "./live.js";
import { keys } from "./keys.js";
import { palette } from "./palette.js";
import { board } from "./board.js";
import { folds } from "./folds.js";

document.documentElement.classList.add("scripted");

// A form that is sent without leaving the page.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-live]")) return;
  event.preventDefault();
  if (form.method === "post") send(form, event.submitter);
  else follow(form);
});

// A slider or a choice that shows at once what it does.
let soon;
document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.matches("[data-filter]")) filter(field);
  if (!field.matches("[data-now]")) return;
  clearTimeout(soon);
  soon = setTimeout(() => follow(field.form), 60);
});

// Only entries with all of these words.
function filter(field) {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of document.querySelectorAll(field.dataset.filter)) {
    const text = entry.textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
}

document.addEventListener("page:swapped", () => {
  for (const field of document.querySelectorAll("[data-filter]")) if (field.value) filter(field);
});
addEventListener("popstate", () => visit(location.href, { keep: false, push: false }));

listen();
keys();
palette();
board();
folds();
