// One tree made like another, with as little touched as can be: focus, what is typed, what is
// opened and where one reads stay as they are.

export function swap(old, fresh, keep) {
  // What was fetched into a fold stays there as long as the fold says the same.
  if (old.dataset.fetched && cameFrom(old) === cameFrom(fresh)) {
    swap(old.firstElementChild, fresh.firstElementChild, keep);
    return;
  }
  attributes(old, fresh, keep);
  children(old, fresh, keep);
}

function cameFrom(fold) {
  return fold.dataset.from ?? fold.firstElementChild.getAttribute("href");
}

function children(old, fresh, keep) {
  const byKey = new Map();
  for (const child of old.children) if (keyOf(child)) byKey.set(keyOf(child), child);
  let here = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const known = keyOf(wanted) ? byKey.get(keyOf(wanted)) : here;
    if (known && alike(known, wanted)) {
      if (known === here) here = here.nextSibling;
      else old.insertBefore(known, here);
      update(known, wanted, keep);
    } else {
      old.insertBefore(document.importNode(wanted, true), here);
    }
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

function keyOf(node) {
  return node.nodeType === 1 ? node.id || node.dataset?.key || "" : "";
}

function alike(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
}

function update(old, fresh, keep) {
  // What a script put there is not on the server.
  if (keep && (old.dataset?.mine || old.dataset?.fetched)) return;
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
  } else if (!keep || !old.isEqualNode(fresh)) {
    swap(old, fresh, keep);
  }
}

function attributes(old, fresh, keep) {
  for (const { name, value } of fresh.attributes) {
    if (mine(old, name, keep)) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!mine(old, name, keep) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  if (!["INPUT", "SELECT", "TEXTAREA"].includes(old.nodeName)) return;
  // A field that somebody is in, or has changed, is theirs; a slider only says what another field is.
  const changed = old.nodeName !== "SELECT" && !old.dataset.fills && old.value !== old.defaultValue;
  if (keep && (old === document.activeElement || changed)) return;
  if (old.nodeName === "TEXTAREA") old.value = fresh.defaultValue;
  else if (old.type === "checkbox") old.checked = keep ? old.checked : fresh.defaultChecked;
  else if (old.nodeName === "INPUT" && old.type !== "hidden") old.value = fresh.getAttribute("value") ?? "";
}

// What the reader opened or filtered.
function mine(node, name, keep) {
  if (name === "hidden" && node.dataset.progress) return true;
  if (name === "open" && ["DETAILS", "DIALOG"].includes(node.nodeName)) return true;
  if (name === "hidden" && node.matches(".task, [data-group], [data-nothing-left]")) return true;
  if (name === "data-opened") return true;
  if (name === "aria-expanded" && node.matches(".fold")) return true;
  if (node.dataset.fills) return false;
  return keep && name === "value" && node === document.activeElement && node.type !== "hidden";
}
