"""Everything that a workflow has, out of a store into a file, and back into one: all of it, or
nothing.

Rows that are there already stay, so whatever was cut off can simply be done again. Sealed secrets
stay sealed; others are sealed where they come into a database that is shared. Rows of another
workflow come only where nothing stands in their way: its versions and ours are two histories.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.canonical import DATA
from director_ctx.memory.store.tables import CHANGES, VARIABLES
from director_ctx.memory.transfer.lines import LONGEST, header, rows, written
from director_ctx.memory.transfer.rows import counted_in, out
from director_ctx.memory.transfer.take import take
from director_ctx.memory.variables.display import hides
from director_ctx.memory.variables.entries import changes
from director_ctx.memory.variables.sealing import SHARED, sealer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import IO

    from director_ctx.memory.store.engine import Reader, View, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.transfer.rows import Item, Items
    from director_ctx.memory.transfer.take import Tally, Tell
    from director_ctx.memory.variables.sealing import Seal

    Tallies = Mapping[str, Tally]


_CONVERSATIONS = (
    "conversations",
    "compressed_contexts",
    "dctx_originals",
    "dctx_compressions",
    "dctx_summaries",
)
MOST_NAMED = 5


def row_count(store: Store) -> int:
    counts = counted_in(store)
    return sum(counts.values())


def holds_secrets(store: Store) -> bool:
    """Whether a file has secrets in the clear, among variables or in what was said."""
    counts = counted_in(store)
    if any(map(counts.get, _CONVERSATIONS)):
        return True
    values = [(change.name, change.stored or "") for change in changes(store)]
    return store.engine.name != SHARED and any(hides(name, stored) for name, stored in values)


def write_out(store: Store, put: Callable[[bytes], object], tell: Tell) -> int:
    """Writes the lines of a file; how many rows there are in it."""

    def work(view: View) -> int:
        count = 0
        for line in written(store.workflow, out(view, store)):
            put(line)
            count += 1
            tell(1)
        return count - 2  # without the header and the end

    return store.engine.look(work)


def read_in(store: Store, file: IO[bytes], tell: Tell) -> Tallies:
    """Reads the lines of a file, in one transaction; a mistake in the last line undoes the first."""
    seal = sealer(store)

    def work(writer: Writer) -> Tallies:
        # From the beginning: the database may have asked for the work to be done again.
        file.seek(0)
        lines = _lines_of(file)
        workflow = header(next(lines, b""))
        items = _sealed(rows(lines), seal)
        return _take(writer, store, workflow, items, tell)

    return store.engine.write(store.workflow, work, _not_known)


def _lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Never more at once than a line may have, whatever somebody calls a store."""
    while line := file.readline(LONGEST + 1):
        yield line


def _sealed(items: Items, seal: Seal) -> Iterator[Item]:
    """Variables as the store has them."""
    for item in items:
        value = item.values.get("value")
        if item.part.table not in (CHANGES, VARIABLES) or not isinstance(value, str):
            yield item
            continue
        sealed = seal(str(item.name), value)
        yield item.replace(values={**item.values, "value": sealed})


def _take(
    writer: Writer,
    target: Store,
    old: str,
    items: Items,
    tell: Tell,
) -> Tallies:
    """Rows of a workflow into the one of a store, which may be another."""
    own = rehomed(items, old, target.workflow)
    checked = holdable(own, target)
    tallies = take(writer, target.workflow, checked, tell)

    others: list[str] = []
    for tally in tallies.values():
        others += tally.others
    if others and old != target.workflow:
        shown = others[:MOST_NAMED]
        if len(others) > MOST_NAMED:
            shown.append(f"and {len(others) - MOST_NAMED:,} more")
        raise DctxError(
            "These are the plan and variables of another project, and this place has its own",
            "Nothing was taken; choose a project or a file that has none.",
            tuple(shown),
        )
    return tallies


def _not_known(_: Reader) -> None:
    """Where a connection broke in the end: doing it again finds the rows there, or puts them there."""
    return


def rehomed(items: Items, old: str, new: str) -> Iterator[Item]:
    """Rows of one workflow as rows of another: a plan names its workflow too."""
    if old == new:
        yield from items
        return
    for item in items:
        if item.part.table != "director_plans":
            yield item
            continue
        text = str(item.values["plan_data"])
        renamed = text.replace(f'"workflow_id": "{old}"', f'"workflow_id": "{new}"', 1)
        values = {**item.values, "plan_data": renamed}
        yield item.replace(values=values)


def holdable(items: Items, target: Store) -> Iterator[Item]:
    """PostgreSQL has no NUL in a text, and less in its JSON than JSON has; whose row that is should
    be said.
    """
    if target.engine.name != "postgresql":
        yield from items
        return
    for item in items:
        name = _unholdable(item)
        if name:
            raise DctxError(
                f"{item.part.table}, {_where(item)}: PostgreSQL cannot hold a character in its {name}.",
                "Nothing was written. It is a NUL, or half a character; a store in a file holds it.",
            )
        yield item


def _unholdable(item: Item) -> str:
    """The first column that PostgreSQL cannot hold; empty where it can hold all."""
    part = item.part
    # In its own tables dctx keeps JSON as a text, which PostgreSQL does not look into.
    is_own = part.table.startswith("dctx_")
    for name, value in item.values.items():
        is_jsonb = part.columns[name] == DATA and not is_own
        if isinstance(value, str) and _is_strange(value, is_jsonb):
            return name
    return ""


def _where(item: Item) -> str:
    if item.line:
        return f"line {item.line}"
    key = item.part.key or "name"
    return f"{key} {item.by(key)}"


def _is_strange(text: str, is_json: bool) -> bool:
    if "\0" in text:
        return True
    if not is_json or "\\u" not in text:
        return False

    data = json.loads(text)
    plain = json.dumps(data, ensure_ascii=False)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return True
    # A backslash that is written as two begins no escape.
    return "\\u0000" in plain.replace("\\\\", "")
