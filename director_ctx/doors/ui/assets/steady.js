// What slid under a mouse that rests is not what somebody means to press, and who presses twice means one.

const MOMENT = 1200;
const STILL = 6;
let at;
let slid;

export function steady() {
  for (const name of ["pointermove", "pointerdown"]) document.addEventListener(name, follow, true);
  document.addEventListener("click", hold, true);
}

// A change of the page, that tells whether there is another button under the mouse after it.
export function watched(change) {
  const before = pointedAt();
  change();
  const after = pointedAt();
  if (after && after !== before) slid = { ...at, until: Date.now() + MOMENT };
}

function follow({ clientX, clientY }) {
  at = { x: clientX, y: clientY };
}

function pointedAt() {
  return at && document.elementFromPoint(at.x, at.y)?.closest("button");
}

function hold(event) {
  const button = event.target.closest("button");
  // A key that presses a button is no click of a mouse.
  if (!event.detail || !button?.form?.matches("[data-live][method=post]")) return;
  if (event.detail === 1 && !isWhereItSlid(event)) return;
  event.preventDefault();
  event.stopPropagation();
}

function isWhereItSlid({ clientX, clientY }) {
  return slid && Date.now() < slid.until && Math.hypot(clientX - slid.x, clientY - slid.y) < STILL;
}
