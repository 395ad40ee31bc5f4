// Pleasant with scripts, complete without: links and forms do all of this by themselves.
import { visit, send, follow } from "./visit.js";
import { listen } from "./live.js";
import { keys } from "./keys.js";
import { palette } from "./palette.js";
import { board } from "./board.js";
import { folds } from "./folds.js";
import { steady } from "./steady.js";

document.documentElement.classList.add("scripted");

// A form that is sent without leaving the page.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-live]")) return;
  event.preventDefault();
  if (form.method === "post") send(form, event.submitter);
  else follow(form);
});

// A link that shows the same page in another way: what is opened on it stays so.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-live]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  visit(link.href);
});

// A slider or a choice that shows at once what it does.
let soon;
document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.matches("[data-filter]")) filter(field);
  if (field.matches("[data-fills]")) fill(field);
  if (!field.matches("[data-now]")) return;
  clearTimeout(soon);
  soon = setTimeout(() => follow(field.form), 60);
});

// A slider is another hand for the field beside it.
function fill(slider) {
  const field = slider.form.elements[slider.dataset.fills];
  field.value = slider.dataset.values.split(" ")[slider.value];
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// Only entries with all of these words, and only groups that have one. What is folded is opened for
// as long as somebody searches.
function filter(field) {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const selector = field.dataset.filter;
  for (const entry of document.querySelectorAll(selector)) {
    const text = entry.textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
  const left = `${selector}:not([hidden])`;
  for (const group of document.querySelectorAll("[data-group]")) {
    group.hidden = words.length > 0 && !group.querySelector(left);
    if (group.nodeName === "DETAILS") unfold(group, words.length > 0);
  }
  for (const group of document.querySelectorAll("[data-entries]")) {
    const count = group.querySelector("[data-count]");
    count.textContent = words.length ? group.querySelectorAll(left).length : count.dataset.count;
  }
  const nothing = document.querySelector("[data-nothing-left]");
  if (nothing) nothing.hidden = !words.length || Boolean(document.querySelector(left));
}

function unfold(fold, searching) {
  if (searching && !fold.open) fold.dataset.opened = "by search";
  if (searching) fold.open = true;
  else if (fold.dataset.opened) {
    fold.open = false;
    delete fold.dataset.opened;
  }
}

document.addEventListener("click", (event) => {
  const selector = event.target.closest("[data-remove]")?.dataset.remove;
  if (selector) event.target.closest(selector).remove();
});

// What a button takes along, it says.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
});

document.addEventListener("page:swapped", () => {
  for (const field of document.querySelectorAll("[data-filter]")) if (field.value) filter(field);
});
addEventListener("popstate", () => visit(location.href, { keep: false, push: false }));

listen();
keys();
palette();
board();
folds();
steady();
