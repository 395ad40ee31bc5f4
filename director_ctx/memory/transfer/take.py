"""Rows come into a store, batch after batch.

Rows that are there already stay as they are, but for one kind: a variable is what its newest change
made it. Two histories that went apart are not mixed: behind the first version that is another one
there, none is taken.
"""

from __future__ import annotations

from director_ctx.memory.store.schema import CHANGES, PARTS, VARIABLES
from director_ctx.memory.transfer.rows import Item, batches, lacking, same, there
from director_ctx.memory.variables.entries import changed_among, follow_newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from director_ctx.memory.store.engine import Writer
    from director_ctx.memory.transfer.rows import Owned

    Tell = Callable[[int], None]
    """Is told how many rows were looked at, whenever some were."""


class Tally:
    """What became of the rows of one table."""

    def __init__(self) -> None:
        self.added = 0
        self.same = 0
        self.others: list[str] = []
        """Rows that are there already, with another content: they stay."""


def take(
    writer: Writer, workflow: str, items: Iterable[Item], tell: Tell = lambda _: None
) -> dict[str, Tally]:
    """Puts rows in that are not there yet; says after each batch how many were looked at."""
    taking = _Taking(writer, workflow)
    for batch in batches(items):
        taking.take(batch)
        tell(len(batch))
    # Variables become what the changes that came in made of them.
    for name in taking.changed:
        follow_newest(writer, workflow, str(name))
    return taking.tallies


class _Taking:
    """One transaction into which rows come, batch after batch."""

    def __init__(self, writer: Writer, workflow: str) -> None:
        self.writer = writer
        self.workflow = workflow
        self.tallies = {part.table: Tally() for part in PARTS}
        self.changed: set[object] = set()
        """The variables whose changes came in."""
        self._refused: set[object] = set()
        """Those whose changes did not."""
        self._last: dict[str, object] = {}
        """By table: the last number that is on both sides."""
        self._apart: set[str] = set()
        """The tables behind whose last number nothing is taken."""

    def take(self, batch: Sequence[Item]) -> None:
        part = batch[0].part
        if part.table == VARIABLES:
            batch = self._never_changed(batch)
        new = self._sift(batch)
        if part.table == CHANGES:
            self.changed.update(item.name for item in new)
        if not new:
            return
        # All in one statement: a server is asked once for a batch, and not once for each row.
        names = ", ".join((part.owner, *part.columns))
        places = ", ".join([f"({', '.join('?' * (len(part.columns) + 1))})"] * len(new))
        values = [value for item in new for value in (self.workflow, *item.values.values())]
        self.writer.run(f"INSERT INTO {part.table} ({names}) VALUES {places}", values)

    def _never_changed(self, batch: Sequence[Item]) -> list[Item]:
        """The variables that no change that is there speaks of; the others are what their newest
        change says. Whose changes were refused stays away too: nobody could see where it came from.
        """
        tally = self.tallies[VARIABLES]
        here = [item for item in batch if item.name not in self.changed]
        tally.added += len(batch) - len(here)
        known = changed_among(self.writer, self.workflow, [item.name for item in here])
        rows = there(self.writer, batch[0].part, self.workflow, batch[0].part.key, batch)
        never: list[Item] = []
        for item in here:
            is_refused = item.name in self._refused
            row = rows.get(item.name)
            if is_refused and row and same(item.part.telling, row[0], item.values):
                tally.same += 1
            elif is_refused:
                tally.others.append(_named(item))
            elif row is None and item.name in known:
                tally.others.append(f"{_named(item)} (cleared)")
            else:
                never.append(item)
        return never

    def _sift(self, batch: Sequence[Item]) -> list[Item]:
        """Tells apart what is new, what is the same there, and what is another thing."""
        if not batch:
            return []
        part = batch[0].part
        tally = self.tallies[part.table]
        # A workflow has one row of itself, which no key tells from others.
        by_keys = {
            key: there(self.writer, part, self.workflow, key, batch) for key in part.keys or ("",)
        }
        new: list[Item] = []
        for item in batch:
            if empty := lacking(part, item.values):
                tally.others.append(f"{_named(item)} has no {empty}")
                continue
            number = item.values.get(part.number)
            found = [known.get(item.values.get(key)) for key, known in by_keys.items()]
            existing = [row for row in found if row]
            if not existing and part.table not in self._apart:
                self._last[part.table] = number
                new.append(item)
                # The same row later in the batch is there already.
                for key, known in by_keys.items():
                    known[item.values.get(key)] = (item.values, self.workflow)
            elif existing and all(self._is_same(item, row) for row in existing):
                self._last[part.table] = number
                tally.same += 1
            elif part.keys:
                # A program of the team's own may have made the same version twice: that is no
                # reason to stop.
                if part.number and number != self._last.get(part.table):
                    self._apart.add(part.table)
                if part.table == CHANGES:
                    self._refused.add(item.name)
                tally.others.append(_named(item))
            else:
                tally.same += 1  # the name of a workflow is its owner's
        tally.added += len(new)
        return new

    def _is_same(self, item: Item, row: Owned) -> bool:
        values, owner = row
        return owner == self.workflow and same(item.part.telling, values, item.values)


def _named(item: Item) -> str:
    key = item.part.keys[-1] if item.part.keys else "name"
    name = f"{item.part.table}, {key} {item.values.get(key)}"
    return f"line {item.line}: {name}" if item.line else name
