// Searches INDEX, which search-index.js brings: a list of {page, anchor, title, heading, text}.
const field = document.getElementById("search");
const results = document.getElementById("results");
const article = document.querySelector("article");
const top_ = document.body.dataset.top;
const MOST = 30;

function worth(part, words) {
  const heading = part.heading.toLowerCase();
  const title = part.title.toLowerCase();
  const text = part.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (heading.includes(word)) sum += 10;
    else if (title.includes(word)) sum += 4;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  // Of equals, the one that says least besides.
  return sum + 1 / (1 + heading.length);
}

function around(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  const start = at ? "…" : "";
  return start + text.slice(at, at + 180) + (text.length > at + 180 ? "…" : "");
}

function row(part, words) {
  const link = document.createElement("a");
  link.className = "result";
  link.href = top_ + part.page + (part.anchor ? "#" + part.anchor : "");
  link.textContent = part.heading === part.title ? part.title : part.title + ": " + part.heading;
  const said = document.createElement("small");
  said.textContent = around(part.text, words[0]);
  link.append(said);
  // A result on this page is a jump only.
  link.addEventListener("click", () => { field.value = ""; show(); });
  return link;
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.hidden = !words.length;
  article.hidden = !results.hidden;
  if (!words.length) return;
  const best = INDEX.map((part) => [worth(part, words), part]).filter(([sum]) => sum > 0);
  best.sort(([one], [other]) => other - one);
  const rows = best.slice(0, MOST).map(([, part]) => row(part, words));
  results.replaceChildren(...(rows.length ? rows : ["Nothing was found."]));
}

field.addEventListener("input", show);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") { field.value = ""; show(); }
});

// A search can be kept as a link: index.html?q=budget
field.value = new URLSearchParams(location.search).get("q") || "";
show();
