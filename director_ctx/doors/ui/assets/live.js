// What others change shows within a second, as long as somebody looks.
import { reached, visit } from "./visit.js";

let stream;
let waiting = false;
let missed = false;
let heardOf = "";

export function listen() {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  document.addEventListener("page:swapped", listenToThis);
  addEventListener("pagehide", close);
  addEventListener("pageshow", () => document.hidden || open());
  open();
}

function open() {
  if (stream) return;
  const { project, hears } = document.body.dataset;
  stream = new EventSource(project + "events" + (hears ? `?${hears}` : ""));
  heardOf = hears ?? "";
  stream.addEventListener("open", () => {
    say("");
    reached();
  });
  stream.addEventListener("changed", (event) => refresh(JSON.parse(event.data)));
  stream.addEventListener("talked", (event) => heard(JSON.parse(event.data)));
  stream.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
  stream.addEventListener("error", () => {
    say("Not connected");
    // A browser gives up where the server was away for long; we do not.
    if (stream?.readyState === EventSource.CLOSED) {
      close();
      setTimeout(() => document.hidden || open(), 2000);
    }
  });
}

// A page that nobody sees keeps no connection: browsers have six for all of them.
function close() {
  stream?.close();
  stream = undefined;
}

// What is shown now may be about other conversations.
function listenToThis() {
  if (!stream || (document.body.dataset.hears ?? "") === heardOf) return;
  close();
  talk = undefined;
  open();
}

async function refresh(mark) {
  if (mark === document.body.dataset.mark) return;
  await again();
}

// How far something is, wherever the page has a place for it.
function progress({ name, part, whole, says }) {
  for (const place of document.querySelectorAll(`[data-progress="${CSS.escape(name)}"]`)) {
    const isOver = part >= whole;
    place.hidden = isOver;
    // What is fetched meanwhile does not know how far it is.
    if (isOver) delete place.dataset.mine;
    else place.dataset.mine = "1";
    Object.assign(place.querySelector("progress"), { max: whole, value: part });
    place.querySelector("span").textContent = says;
  }
}

// The first is how it is; what comes after is different.
let talk;
async function heard(mark) {
  const known = talk;
  talk = mark;
  if (known && known !== mark) await again();
}

// One at a time: what changes meanwhile is fetched after it.
async function again() {
  if (waiting) {
    missed = true;
    return;
  }
  waiting = true;
  do {
    missed = false;
    await visit(location.href, { push: false });
  } while (missed);
  waiting = false;
}

function say(text) {
  const place = document.getElementById("live");
  if (place.textContent !== text) place.textContent = text;
}
