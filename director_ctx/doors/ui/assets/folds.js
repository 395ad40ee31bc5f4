// <details data-from="ADDRESS">: what is in it is fetched when it is opened, once. Without scripts
// the link in it leads there. What is fetched is the `main` of that page, or its part `#piece`.
// <a class="fold" href="ADDRESS"> does the same behind itself, where a page has thousands of them.
import { fetched, parsed } from "./visit.js";

export function folds() {
  // It does not bubble.
  document.addEventListener("toggle", (event) => unfold(event.target), true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.fold");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    turn(link);
  });
}

async function unfold(fold) {
  if (!fold.open || !fold.dataset?.from || fold.dataset.fetched) return;
  const place = await filled(fold, fold.dataset.from);
  if (!place) return;
  for (const child of [...fold.children]) if (child.nodeName !== "SUMMARY") child.remove();
  fold.append(place);
}

async function turn(link) {
  const fold = link.parentElement;
  const opens = link.ariaExpanded !== "true";
  link.ariaExpanded = String(opens);
  const known = fold.querySelector(".fetched");
  if (known) known.hidden = !opens;
  if (known || fold.dataset.fetched) return;
  const place = await filled(fold, link.href);
  if (!place) {
    link.ariaExpanded = "false";
    return;
  }
  // It may have been closed meanwhile.
  place.hidden = link.ariaExpanded !== "true";
  fold.append(place);
}

async function filled(fold, address) {
  fold.dataset.fetched = "begun";
  const text = await fetched(address);
  if (text === undefined) {
    delete fold.dataset.fetched;
    return undefined;
  }
  const page = parsed(text);
  const piece = page.getElementById("piece") ?? page.getElementById("main");
  const place = document.createElement("div");
  place.className = "fetched";
  place.append(...document.importNode(piece, true).childNodes);
  fold.dataset.fetched = "yes";
  return place;
}
