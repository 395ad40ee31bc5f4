// Cards dragged into another column; its button in the card does the same without a mouse.

export function board() {
  let card;
  document.addEventListener("dragstart", (event) => {
    card = event.target.closest?.(".board .task");
    card && event.dataTransfer.setData("text/plain", card.dataset.key);
  });
  document.addEventListener("dragover", (event) => {
    const column = event.target.closest?.("[data-drop]");
    mark(card && column);
    if (card && column) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const column = event.target.closest?.("[data-drop]");
    const button = column && card?.querySelector(`button[value$=" ${column.dataset.drop}"]`);
    mark();
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  document.addEventListener("dragend", () => {
    card = undefined;
    mark();
  });
}

function mark(column) {
  for (const other of document.querySelectorAll(".over-it")) if (other !== column) other.classList.remove("over-it");
  column?.classList.add("over-it");
}
