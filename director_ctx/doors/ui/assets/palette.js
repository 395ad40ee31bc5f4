// Ctrl-K: every page and task, by its words.
import { fetched } from "./visit.js";

const MOST = 30;
let places;
let shown = [];
let chosen = 0;

export function palette() {
  const dialog = document.getElementById("palette");
  const words = document.getElementById("palette-words");
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
    begin(words);
  });
  dialog.addEventListener("opened", () => begin(words));
  document.querySelector("[data-open=palette]").addEventListener("click", () => begin(words));
  words.addEventListener("input", () => list(words));
  words.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(words, chosen + 1);
    else if (event.key === "ArrowUp") choose(words, chosen - 1);
    else if (event.key === "Enter") go(shown[chosen]);
    else return;
    event.preventDefault();
  });
}

async function begin(words) {
  words.value = "";
  words.focus();
  const text = await fetched(document.body.dataset.project + "places.json");
  if (text === undefined) return;
  places = JSON.parse(text);
  list(words);
}

function list(words) {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (place) => wanted.every((word) => `${place.title} ${place.hint}`.toLowerCase().includes(word));
  shown = (places ?? []).filter(fits).slice(0, MOST);
  const said = words.value.trim();
  if (!shown.length && said) shown = elsewhere(said);
  const rows = shown.map((place, index) => {
    const row = document.createElement("li");
    row.id = `place-${index}`;
    row.role = "option";
    const title = document.createElement("span");
    title.textContent = place.title;
    const hint = document.createElement("span");
    hint.className = "quiet small";
    hint.textContent = place.hint;
    row.append(title, hint);
    row.addEventListener("click", () => go(place));
    return row;
  });
  document.getElementById("palette-places").replaceChildren(...rows);
  choose(words, 0);
}

// Where no page or task has these words, somebody may have said them.
function elsewhere(said) {
  const { project } = document.body.dataset;
  const asked = encodeURIComponent(said);
  return [
    { title: `Search conversations for “${said}”`, hint: "", href: `${project}conversations?q=${asked}` },
    { title: `Search what agents were told for “${said}”`, hint: "", href: `${project}told?words=${asked}` },
  ];
}

function choose(words, index) {
  const rows = document.getElementById("palette-places").children;
  chosen = Math.min(rows.length - 1, Math.max(0, index));
  for (const [place, row] of [...rows].entries()) row.setAttribute("aria-selected", place === chosen);
  rows[chosen]?.scrollIntoView({ block: "nearest" });
  if (rows[chosen]) words.setAttribute("aria-activedescendant", rows[chosen].id);
  else words.removeAttribute("aria-activedescendant");
}

function go(place) {
  if (place) location.href = place.href;
}
