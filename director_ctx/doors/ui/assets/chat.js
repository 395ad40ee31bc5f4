// What a model is answering, as it comes. Without scripts the page is loaded again.
import { parsed, visit } from "./visit.js";

let stream;
const place = () => document.getElementById("answering");

document.addEventListener("page:swapped", follow);
document.addEventListener("keydown", (event) => {
  const isSent = event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (isSent && event.target.matches("#say textarea")) event.target.form.requestSubmit();
});
addEventListener("pagehide", end);
follow();

function follow() {
  if (!place()) end();
  else if (!stream) listen(place().dataset.stream);
}

function listen(address) {
  stream = new EventSource(address);
  stream.addEventListener("said", (event) => show(JSON.parse(event.data)));
  stream.addEventListener("over", over);
  stream.addEventListener("error", () => {
    // The server was started anew, and knows of no answer.
    if (stream?.readyState === EventSource.CLOSED) over();
  });
}

// Whole paragraphs as they will stand there, and the one that is being written.
function show({ from, blocks, rest }) {
  if (!place()) return;
  const soFar = place().querySelector(".so-far");
  while (soFar.children.length > from) soFar.lastElementChild.remove();
  for (const html of blocks) {
    const block = document.createElement("div");
    block.append(...document.importNode(parsed(html).body, true).childNodes);
    soFar.append(block);
  }
  const seesEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
  place().querySelector(".rest").textContent = rest;
  if (seesEnd) scrollTo(0, document.documentElement.scrollHeight);
}

function over() {
  end();
  visit(location.href, { push: false });
}

function end() {
  stream?.close();
  stream = undefined;
}
