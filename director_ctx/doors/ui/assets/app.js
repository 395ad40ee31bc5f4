// A view inside a conversation: it speaks JSON-RPC with the client that shows it, and with nobody else.
"use strict";
{
  const host = window.parent;
  const waiting = new Map();
  let last = 0;

  const tell = (method, params = {}) => host.postMessage({ jsonrpc: "2.0", method, params }, "*");
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      host.postMessage({ jsonrpc: "2.0", id: last, method, params }, "*");
    });

  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== host || message?.jsonrpc !== "2.0") return;
    if (message.method) heard(message);
    else answered(message);
  });

  function answered({ id, result, error }) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(error);
    else asked?.resolve(result);
  }

  function heard({ id, method, params }) {
    if (method === "ui/notifications/tool-input") open(params?.arguments?.agent);
    if (method === "ui/notifications/tool-result") again();
    // A question that waits: whether we are here, or that we are about to go.
    if (id !== undefined) host.postMessage({ jsonrpc: "2.0", id, result: {} }, "*");
  }

  // The client may have kept the document from before the tool changed something.
  async function again() {
    const main = document.getElementById("main");
    let answer;
    try {
      answer = await ask("resources/read", { uri: `ui://dctx/${main.dataset.view}` });
    } catch {
      return;
    }
    const text = answer?.contents?.[0]?.text;
    if (!text) return;
    const opened = [...main.querySelectorAll("details[open][id]")].map((node) => node.id);
    // Nothing in a parsed document runs, and the server escaped what is in it.
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    main.replaceChildren(...document.importNode(fresh, true).childNodes);
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    settle();
  }

  function open(agent) {
    if (typeof agent === "string") document.getElementById(`agent-${agent}`)?.setAttribute("open", "");
  }

  // Links lead to pages that are not here.
  function settle() {
    for (const link of document.querySelectorAll("a[href]")) link.removeAttribute("href");
  }

  settle();
  new ResizeObserver(() => {
    // Not what is scrolled: a frame that is too high would never shrink again.
    const { offsetWidth: width, offsetHeight: height } = document.body;
    // Before it is shown it has no size, and a client would not show what has none.
    if (height) tell("ui/notifications/size-changed", { width, height });
  }).observe(document.body);
  ask("ui/initialize", {
    appInfo: { name: "dctx", version: "1" },
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  }).then(() => tell("ui/notifications/initialized"), () => {});
}
