// Every action has a key; `?` lists them.

let going = 0;

export function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A dialog that was just closed may still have the focus.
    const inField = event.target.matches("input, textarea, select, [contenteditable]") && event.target.checkVisibility();
    if (event.key === "Escape" && inField && !event.target.closest("dialog")) {
      // A search field would empty itself.
      event.preventDefault();
      event.target.blur();
    }
    if (inField || document.querySelector("dialog[open]")) return;
    if (act(event.key)) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const name = event.target.closest("[data-open]")?.dataset.open;
    if (name) document.getElementById(name).showModal();
  });
}

function act(key) {
  if (Date.now() < going) {
    going = 0;
    return press(`[data-go="${CSS.escape(key)}"]`);
  }
  if (key === "g") {
    going = Date.now() + 1500;
    return true;
  }
  if (key === "?") return open("keys");
  if (key === "j") return move(1);
  if (key === "k") return move(-1);
  if (key === "/") return focus(document.querySelector("main input[type=search]")) || open("palette");
  const entry = document.activeElement?.closest("[data-key], .task");
  const own = entry?.querySelector(`[data-press="${CSS.escape(key)}"]`);
  if (own) {
    own.click();
    return true;
  }
  return press(`[data-page-key="${CSS.escape(key)}"]`) || focus(document.querySelector(`[data-page-focus="${CSS.escape(key)}"]`));
}

function press(selector) {
  const target = document.querySelector(selector);
  target?.click();
  return Boolean(target);
}

function focus(target) {
  target?.focus();
  return Boolean(target);
}

function open(name) {
  const dialog = document.getElementById(name);
  dialog.showModal();
  dialog.dispatchEvent(new Event("opened"));
  return true;
}

function move(by) {
  const entries = [...document.querySelectorAll("main [data-item]")].filter((entry) => entry.checkVisibility());
  const here = entries.indexOf(document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : entries.length - 1) : Math.min(entries.length - 1, Math.max(0, here + by));
  entries[next]?.focus();
  entries[next]?.scrollIntoView({ block: "nearest" });
  return true;
}
