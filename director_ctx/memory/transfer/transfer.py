"""Everything that a workflow has, out of a store into a file, and back into one: all of it, or
nothing.

Rows that are there already stay, so whatever was cut off can simply be done again. Sealed secrets
stay sealed; others are sealed where they come into a database that is shared. Rows of another
workflow come only where nothing stands in their way: its versions and ours are two histories.
"""

from __future__ import annotations

import json
from typing import IO

from director_ctx.base.errors import DctxError
from director_ctx.memory.store.schema import CHANGES, DATA, VARIABLES
from director_ctx.memory.transfer.lines import LONGEST, header, rows, written
from director_ctx.memory.transfer.rows import Item, counted_in, out
from director_ctx.memory.transfer.take import Tally, take
from director_ctx.memory.variables.display import hides
from director_ctx.memory.variables.entries import changes
from director_ctx.memory.variables.sealing import SHARED, sealer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from director_ctx.memory.store.engine import View, Writer
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.transfer.take import Tell

_CONVERSATIONS = (
    "conversations",
    "compressed_contexts",
    "dctx_originals",
    "dctx_compressions",
    "dctx_summaries",
)
MOST_NAMED = 5


def holds_secrets(store: Store) -> bool:
    """Whether a file has secrets in the clear, among variables or in what was said."""
    if any(map(counted_in(store).get, _CONVERSATIONS)):
        return True
    return store.engine.name != SHARED and any(
        hides(change.name, change.stored or "") for change in changes(store)
    )


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


def read_in(store: Store, file: IO[bytes], tell: Tell) -> dict[str, Tally]:
    """Reads the lines of a file, in one transaction; a mistake in the last line undoes the first."""
    seal = sealer(store)

    def work(writer: Writer) -> dict[str, Tally]:
        # From the beginning: the database may have asked for the work to be done again.
        file.seek(0)
        # Never more at once than a line may have, whatever somebody calls a store.
        lines = iter(lambda: file.readline(LONGEST + 1), b"")
        workflow = header(next(lines, b""))
        items = (fitted(item, store, workflow, seal) for item in rows(lines))
        return _take(writer, store, workflow, items, tell)

    # Where a connection broke in the end, doing it again finds the rows there, or puts them there.
    return store.engine.write(store.workflow, work, lambda _: None)


def _take(
    writer: Writer, target: Store, old: str, items: Iterable[Item], tell: Tell
) -> dict[str, Tally]:
    """Rows of a workflow into the one of a store, which may be another."""
    tallies = take(writer, target.workflow, items, tell)
    others = [other for tally in tallies.values() for other in tally.others]
    if others and old != target.workflow:
        named = others[:MOST_NAMED]
        if len(others) > MOST_NAMED:
            named.append(f"and {len(others) - MOST_NAMED:,} more")
        raise DctxError(
            "These are the plan and variables of another project, and this place has its own",
            "Nothing was taken; choose a project or a file that has none.",
            tuple(named),
        )
    return tallies


def fitted(item: Item, target: Store, old: str, seal: Callable[[str, str], str]) -> Item:
    """The row as a store has it: variables sealed, and a plan, which names its workflow, renamed."""
    part, values = item.part, item.values
    value = values.get("value")
    if part.table in (CHANGES, VARIABLES) and isinstance(value, str):
        values = {**values, "value": seal(str(item.name), value)}
    if part.table == "director_plans" and old != target.workflow:
        # As `json.dumps` wrote it.
        ids = (f'"workflow_id": "{old}"', f'"workflow_id": "{target.workflow}"')
        values = {**values, "plan_data": str(values["plan_data"]).replace(*ids, 1)}
    if target.engine.name != SHARED:
        return item.replace(values=values)

    # PostgreSQL has no NUL in a text, and less in its JSON than JSON has. In its own tables dctx
    # keeps JSON as a text, which PostgreSQL does not look into.
    for name, text in values.items():
        is_jsonb = part.columns[name] == DATA and not part.table.startswith("dctx_")
        if isinstance(text, str) and _is_strange(text, is_jsonb):
            key = part.key or "name"
            where = f"line {item.line}" if item.line else f"{key} {values.get(key)}"
            raise DctxError(
                f"{part.table}, {where}: PostgreSQL cannot hold a character in its {name}.",
                "Nothing was written. It is a NUL, or half a character; a store in a file holds it.",
            )
    return item.replace(values=values)


def _is_strange(text: str, is_json: bool) -> bool:
    if "\0" in text:
        return True
    if not is_json or "\\u" not in text:
        return False
    plain = json.dumps(json.loads(text), ensure_ascii=False)
    try:
        plain.encode()
    except UnicodeEncodeError:
        return True
    # A backslash that is written as two begins no escape.
    return "\\u0000" in plain.replace("\\\\", "")
