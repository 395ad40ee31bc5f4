// Compressing asks in a dialog; without scripts it is a page.
import { fetched, parsed, send } from "./visit.js";

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-dialog]");
  const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
  if (link && plain) {
    event.preventDefault();
    ask(link.href);
  }
  const close = event.target.closest("dialog [data-close]");
  if (close) {
    event.preventDefault();
    dialog().close();
  }
});

async function part(address, id) {
  const text = await fetched(address);
  return text === undefined ? null : parsed(text).getElementById(id);
}

const dialog = () => document.getElementById("compress-dialog");

async function ask(address) {
  const page = await part(address, "compress");
  if (!page) return;
  dialog().dataset.mine = "1";
  dialog().replaceChildren(page);
  if (!dialog().open) dialog().showModal();
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-choose]");
  if (form) choose(form);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("form[data-choose]") && dialog()) {
    event.preventDefault();
    choose(form);
  }
  if (form.matches("form[data-long]")) {
    event.preventDefault();
    carryOut(form);
  }
});

function choose(form) {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form)).toString();
  if (dialog()?.open) ask(address.href);
  else location.assign(address.href);
}

// How full the window was, read with a slider or by pointing at the line.
const reader = () => document.querySelector("input[data-reads]");

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-reads]")) read(Number(event.target.value));
});

let pointedAt = "";

document.addEventListener("pointermove", (event) => {
  // A page that slides under a mouse is not pointed at.
  const here = `${event.clientX} ${event.clientY}`;
  const stretch = here !== pointedAt && event.target.closest?.(".chart a");
  pointedAt = here;
  if (!stretch || !reader()) return;
  const place = [...document.querySelectorAll(".chart a")].indexOf(stretch);
  reader().value = place;
  read(place);
});

// What comes to a conversation moves the end; a place that somebody chose stays where it is.
document.addEventListener("page:swapped", () => {
  const slider = reader();
  if (slider && slider.value !== slider.defaultValue) read(Number(slider.value));
});

function read(place) {
  const stretches = [...document.querySelectorAll(".chart a")];
  const says = reader().parentElement.querySelector("a");
  for (const [number, stretch] of stretches.entries()) stretch.classList.toggle("chosen", number === place);
  says.textContent = stretches[place].querySelector("title").textContent;
  says.href = stretches[place].getAttribute("href");
  reader().setAttribute("aria-valuetext", says.textContent);
}

// The page stays, and shows how far it is; nobody presses twice.
async function carryOut(form) {
  const button = form.querySelector("button");
  const place = form.querySelector("[data-progress]");
  place.hidden = false;
  button.disabled = true;
  const asked = form.closest("dialog");
  await send(form);
  place.hidden = true;
  button.disabled = false;
  // Also what went wrong is said on the page behind it.
  asked?.close();
}
