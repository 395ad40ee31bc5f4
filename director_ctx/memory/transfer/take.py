"""Rows come into a store, batch after batch.

Rows that are there already stay as they are, but for one kind: a variable is what its newest change
made it. Two histories that went apart are not mixed: behind the first version that is another one
there, none is taken.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.memory.store import variable_rows
from director_ctx.memory.store.canonical import same
from director_ctx.memory.store.tables import CHANGES, PARTS, VARIABLES
from director_ctx.memory.transfer import table_rows
from director_ctx.memory.transfer.rows import batches, lacking, there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.memory.store.engine import Reader, Row, Writer
    from director_ctx.memory.store.tables import TableRow
    from director_ctx.memory.transfer.rows import Batch, ByKey, Item, Items, Owned

    Sifted = tuple[list[Item], "Tally"]
    """The rows that are not there yet, and what is to be said of all."""
    Tell = Callable[[int], None]
    """Is told how many rows were looked at, whenever some were."""


class Tally(Record):
    """What became of the rows of one table."""

    added: int = 0
    same: int = 0
    others: tuple[str, ...] = ()
    """Rows that are there already, with another content: they stay."""

    def plus(self, other: Tally) -> Tally:
        return Tally(
            added=self.added + other.added,
            same=self.same + other.same,
            others=(*self.others, *other.others),
        )


def take(
    writer: Writer,
    workflow: str,
    items: Items,
    tell: Tell = lambda _: None,
) -> dict[str, Tally]:
    """Puts rows in that are not there yet; says after each batch how many were looked at."""
    taking = _Taking(writer, workflow)
    for batch in batches(items):
        taking.take(batch)
        tell(len(batch))
    taking.follow_changes()
    return taking.tallies


class _History:
    """How far the rows of one table, which may be numbered, went along with those that are there."""

    def __init__(self, part: TableRow | None = None) -> None:
        self.part = part
        self.number: object = None
        """The last one that is on both sides."""
        self.is_apart = False
        self.refused: set[object] = set()
        """The names of what was refused."""

    def pass_by(self, item: Item) -> None:
        self.number = item.by(item.part.number)

    def refuse(self, item: Item) -> None:
        """A program of the team's own may have made the same version twice: that is no reason to
        stop.
        """
        column = item.part.number
        if column and item.by(column) != self.number:
            self.is_apart = True
        self.refused.add(item.name)


class _Taking:
    """One transaction into which rows come, batch after batch."""

    def __init__(self, writer: Writer, workflow: str) -> None:
        self.writer = writer
        self.workflow = workflow
        self.tallies = {part.table: Tally() for part in PARTS}
        self._history = _History()
        self._changed: set[object] = set()
        """The variables whose changes came in."""
        self._refused: set[object] = set()
        """Those whose changes did not."""

    def take(self, batch: Batch) -> None:
        part = batch[0].part
        if self._history.part is not part:
            self._history = _History(part)
        if part.table == VARIABLES:
            new, tally = self._variables(batch)
        else:
            new, tally = self._sift(batch, self._history)

        self._add(part, new)
        if part.table == CHANGES:
            for item in new:
                self._changed.add(item.name)
            self._refused |= self._history.refused
        before = self.tallies[part.table]
        now = before.plus(tally)
        self.tallies[part.table] = now

    def _add(self, part: TableRow, items: Batch) -> None:
        rows: list[Row] = []
        for item in items:
            row = tuple(item.values.values())
            rows.append(row)
        if rows:
            table_rows.add_rows(self.writer, part, self.workflow, rows)

    def _sift(self, batch: Batch, history: _History) -> Sifted:
        """Tells apart what is new, what is the same there, and what is another thing."""
        if not batch:
            return [], Tally()
        rows_there = _There(self.writer, self.workflow, batch)

        new: list[Item] = []
        alike = 0
        others: list[str] = []
        for item in batch:
            empty = lacking(item.part, item.values)
            if empty:
                others.append(f"{_named(item)} has no {empty}")
                continue

            existing = rows_there.like(item)
            if not existing and not history.is_apart:
                history.pass_by(item)
                new.append(item)
                rows_there.add(item)
            elif existing and _all_same(item, self.workflow, existing):
                history.pass_by(item)
                alike += 1
            elif item.part.keys:
                history.refuse(item)
                others.append(_named(item))
            else:
                alike += 1  # the name of a workflow is its owner's
        tally = Tally(
            added=len(new),
            same=alike,
            others=tuple(others),
        )
        return new, tally

    def _variables(self, batch: Batch) -> Sifted:
        """Only what no change that is there speaks of; the others are what their newest change
        says. Whose changes were refused stays away too: nobody could see where it came from.
        """
        followed = 0
        left_out: list[Item] = []
        rest: list[Item] = []
        for item in batch:
            if item.name in self._changed:
                followed += 1
            elif item.name in self._refused:
                left_out.append(item)
            else:
                rest.append(item)

        # They have no numbers, so there is no history that could go apart.
        unknown, tally = self._sift(rest, _History())
        new, cleared = self._never_changed(unknown)
        apart = self._apart(left_out)
        alike = len(left_out) - len(apart)
        tally = Tally(
            added=len(new) + followed,
            same=tally.same + alike,
            others=(*tally.others, *cleared, *apart),
        )
        return new, tally

    def _never_changed(
        self,
        items: Batch,
    ) -> tuple[list[Item], list[str]]:
        """The variables that no change here speaks of; and which of the others were cleared."""
        names = [item.name for item in items]
        changed_here = variable_rows.changed_among(
            self.writer,
            self.workflow,
            names,
        )
        new: list[Item] = []
        cleared: list[str] = []
        for item in items:
            if item.name in changed_here:
                cleared.append(f"{_named(item)} (cleared)")
            else:
                new.append(item)
        return new, cleared

    def _apart(self, items: Batch) -> list[str]:
        """Those that are another thing there, or nothing."""
        if not items:
            return []
        part = items[0].part
        rows_there = there(
            self.writer,
            part,
            self.workflow,
            part.key,
            items,
        )

        apart: list[str] = []
        for item in items:
            row = rows_there.get(item.by(part.key))
            if row is None:
                apart.append(_named(item))
                continue
            values, _ = row
            if not same(part.telling, values, item.values):
                apart.append(_named(item))
        return apart

    def follow_changes(self) -> None:
        """Variables become what the changes that came in made of them."""
        for changed in self._changed:
            self._follow(str(changed))

    def _follow(self, name: str) -> None:
        writer = self.writer
        workflow = self.workflow
        newest = variable_rows.newest_value(writer, workflow, name)
        if not newest:
            return
        value, moment = newest
        if value is None:
            variable_rows.remove_variable(writer, workflow, name)
        else:
            variable_rows.set_variable(writer, workflow, name, value, moment)


class _There:
    """The rows of a store that share a key with one of a batch."""

    def __init__(
        self,
        reader: Reader,
        workflow: str,
        batch: Batch,
    ) -> None:
        self._workflow = workflow
        part = batch[0].part
        self._by_key: dict[str, ByKey] = {}
        # A workflow has one row of itself, which no key tells from others.
        for key in part.keys or ("",):
            self._by_key[key] = there(
                reader,
                part,
                workflow,
                key,
                batch,
            )

    def like(self, item: Item) -> list[Owned]:
        """The rows that any of an item's keys finds."""
        rows: list[Owned] = []
        for key, known in self._by_key.items():
            row = known.get(item.by(key))
            if row:
                rows.append(row)
        return rows

    def add(self, item: Item) -> None:
        """So that the same row later in the batch is there already."""
        owned = (item.values, self._workflow)
        for key, known in self._by_key.items():
            known[item.by(key)] = owned


def _all_same(item: Item, workflow: str, rows: Sequence[Owned]) -> bool:
    """Whether these rows are the item, in that workflow."""
    for values, owner in rows:
        if owner != workflow:
            return False
        if not same(item.part.telling, values, item.values):
            return False
    return True


def _named(item: Item) -> str:
    part = item.part
    key = "name"
    if part.keys:
        key = part.keys[-1]
    name = f"{part.table}, {key} {item.by(key)}"
    if item.line:
        return f"line {item.line}: {name}"
    return name
