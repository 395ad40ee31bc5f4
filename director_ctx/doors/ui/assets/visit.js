// The page fetched anew, and put in the place of what is shown.
import { watched } from "./steady.js";
import { swap } from "./swap.js";

let latest = 0;
const sending = new WeakMap();
const UNREACHABLE = "The server does not answer: is `dctx ui` still running?";
const ACCEPT = "text/html, application/json;q=0.9"; // what went wrong comes as JSON

// A page or a piece of one; where there is none, the reader is told why.
export async function fetched(address) {
  try {
    const answer = await fetch(address, { headers: { accept: ACCEPT } });
    reached();
    if (answer.ok) return await answer.text();
    await explain(answer);
  } catch {
    say(UNREACHABLE);
  }
  return undefined;
}

export async function visit(address, { keep = true, push = true } = {}) {
  const mine = ++latest;
  const text = await fetched(address);
  // Whoever asked later is answered; an older answer would show what was.
  if (mine !== latest) return true;
  if (text === undefined) return false;
  show(text, keep);
  if (push && address !== location.href) history.replaceState(null, "", address);
  return true;
}

export async function follow(form) {
  const address = new URL(form.action || location.href, location.href);
  address.search = new URLSearchParams(new FormData(form)).toString();
  await visit(address.href);
  if (address.hash) document.querySelector(address.hash)?.scrollIntoView();
}

// One after the other: what is pressed meanwhile is about the page as it is then.
export function send(form, button) {
  const sent = (sending.get(form) ?? Promise.resolve()).then(() => sendNow(form, button));
  sending.set(form, sent);
  return sent;
}

async function sendNow(form, button) {
  // It may be gone by now, or be pressed already.
  if (button && (!button.isConnected || button.type !== "submit")) return;
  const data = new URLSearchParams(new FormData(form));
  if (button?.name) data.set(button.name, button.value);
  say("");
  let answer;
  try {
    answer = await fetch(form.action, {
      method: "POST",
      body: data,
      headers: { "x-form-token": document.body.dataset.formToken, accept: ACCEPT },
    });
  } catch {
    say(UNREACHABLE);
    return;
  }
  if (!answer.ok) {
    // What it offered is refused.
    form.closest(".notice")?.remove();
    await explain(answer);
    visit(location.href, { keep: true, push: false });
    return;
  }
  const text = await answer.text();
  // What was asked for meanwhile would show what was before, or take away what is said now.
  latest++;
  const shown = new URL(answer.url);
  shown.searchParams.delete("said");
  history.replaceState(null, "", shown.href);
  show(text, false);
}

async function explain(answer) {
  const kind = answer.headers.get("content-type") || "";
  if (!kind.startsWith("application/json")) {
    const text = kind.startsWith("text/plain") ? await answer.text() : "";
    say(text || `The server answers ${answer.status}, and does not say why.`);
    return;
  }
  const told = await answer.json();
  say([told.error, told.hint].filter(Boolean).join("\n"));
}

// Text alone, whatever it says. Nothing can be seen or pressed behind a dialog, so that is closed.
export function say(text) {
  if (text) document.querySelector("dialog:modal")?.close();
  const place = document.getElementById("trouble");
  place.replaceChildren();
  place.dataset.says = text;
  if (!text) return;
  for (const line of text.trim().split("\n")) {
    const paragraph = document.createElement("p");
    paragraph.append(...withCommands(line));
    place.append(paragraph);
  }
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => say(""));
  place.append(close);
}

// Commands stand in backticks.
function withCommands(line) {
  return line.split("`").map((piece, index, pieces) => {
    const isCommand = index % 2 && index < pieces.length - 1;
    if (!isCommand) return index % 2 ? "`" + piece : piece;
    const code = document.createElement("code");
    code.textContent = piece;
    return code;
  });
}

// That it could not be reached is over.
export function reached() {
  if (document.getElementById("trouble").dataset.says === UNREACHABLE) say("");
}

const policy = window.trustedTypes?.createPolicy("dctx", { createHTML: (text) => text });

// Nothing in a parsed document runs, and what is taken over from it was escaped by the server.
export function parsed(text) {
  return new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "text/html");
}

function show(text, keep) {
  const fresh = parsed(text);
  const main = fresh.getElementById("main");
  if (!main) return;
  const notice = document.querySelector("#notice .notice");
  if (keep && notice && !main.querySelector("#notice .notice")) main.querySelector("#notice")?.append(notice.cloneNode(true));
  watched(() => swap(document.getElementById("main"), main, keep));
  document.title = fresh.title;
  document.body.dataset.mark = fresh.body.dataset.mark;
  document.body.dataset.formToken = fresh.body.dataset.formToken;
  document.body.dataset.hears = fresh.body.dataset.hears ?? "";
  document.dispatchEvent(new Event("page:swapped"));
}
