// Compressing asks in a dialog; without scripts it is a page.
import { parsed, say } from "./visit.js";

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
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    return parsed(await answer.text()).getElementById(id);
  } catch {
    say("The server does not answer: is `dctx ui` still running?");
    return null;
  }
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
  if (form.matches("form[data-progress]")) wait(form);
});

function choose(form) {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form)).toString();
  if (dialog()?.open) ask(address.href);
  else location.assign(address.href);
}

// The form goes its own way; meanwhile nobody presses twice.
function wait(form) {
  const bar = document.createElement("progress");
  const words = document.createElement("span");
  words.textContent = form.dataset.progress;
  bar.setAttribute("aria-label", form.dataset.progress);
  form.querySelector(".progress-place").replaceChildren(bar, words);
  form.querySelector("button").disabled = true;
}

addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-progress] button")) button.disabled = false;
});
