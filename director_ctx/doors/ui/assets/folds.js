// <details data-from="ADDRESS">: what is in it is fetched when it is opened, once. Without scripts
// the link in it leads there. What is fetched is the `main` of that page, or its part `#piece`.
import { parsed } from "./visit.js";

export function folds() {
  // It does not bubble.
  document.addEventListener("toggle", (event) => open(event.target), true);
}

async function open(fold) {
  if (!fold.open || !fold.dataset?.from || fold.dataset.fetched) return;
  fold.dataset.fetched = "begun";
  const answer = await fetch(fold.dataset.from).catch(() => undefined);
  if (!answer?.ok) {
    delete fold.dataset.fetched;
    return;
  }
  const page = parsed(await answer.text());
  const piece = page.getElementById("piece") ?? page.getElementById("main");
  const place = document.createElement("div");
  place.className = "fetched";
  place.append(...document.importNode(piece, true).childNodes);
  for (const child of [...fold.children]) if (child.nodeName !== "SUMMARY") child.remove();
  fold.append(place);
  fold.dataset.fetched = "yes";
}
