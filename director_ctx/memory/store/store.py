"""One workflow's corner of a store: what every use case holds in its hand; ids and times, as every
row carries them.
"""

from __future__ import annotations

import os
import time

from director_ctx.memory.store.engine import Nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.memory.store.engine import Engine, Reader, T, Writer

_ID_LENGTHS = [8, 4, 4, 4, 12]
_HEX_DIGITS = frozenset("0123456789abcdef")


def new_id() -> str:
    """A random UUID (version 4), without the module for it."""
    raw = bytearray(os.urandom(16))
    # The version and the variant, which the standard puts among the random bits.
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80

    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def patiently(
    ask: Callable[[], T],
    seconds: float,
    may_pass: Callable[[Exception], bool],
    nap: float,
    longest_nap: float,
) -> T:
    """Asks again while what went wrong may pass, in naps whose length differs, so that nobody is
    always late.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except Exception as error:
            if not may_pass(error) or time.monotonic() > deadline:
                raise
        time.sleep(nap * (0.5 + os.urandom(1)[0] / 255))
        nap = min(longest_nap, nap * 1.5)


def is_id(text: str) -> bool:
    """Whether this is a UUID as it is usually written."""
    parts = text.split("-")
    return list(map(len, parts)) == _ID_LENGTHS and _HEX_DIGITS.issuperset("".join(parts))


def now() -> str:
    """The time in UTC to the microsecond, which is what PostgreSQL keeps."""
    return moments(1)[0]


def in_utc(text: str) -> str:
    """A time as somebody wrote it, in the one form that rows have; empty where it is no time.

    Without a zone it is taken to be UTC, so that every copy of a project says the same.
    """
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        # A time near the first or the last year may leave what Python knows here.
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""

    # An earlier year would have fewer than four digits, and texts would no longer sort as times.
    if moment.year < 1000:
        return ""
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


def moments(count: int) -> list[str]:
    """So many times from now on, each later than the one before, so that what is added at once
    keeps its order.
    """
    first = time.time_ns() // 1000
    return [_written(microseconds) for microseconds in range(first, first + count)]


def _written(microseconds: int) -> str:
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:06d}Z"


class Store:
    """An open database, and the workflow in it that is meant. Close it, or use it in a `with`."""

    def __init__(self, engine: Engine, workflow: str, name: str = "") -> None:
        self.engine = engine
        self.workflow = workflow
        self.name = name
        self.root: str | None = None
        """The project that it was opened for."""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.engine.close()

    def lent(self) -> Store:
        """The same for somebody who closes what they open: this one stays open."""
        lent = _Lent(self.engine, self.workflow, self.name)
        lent.root = self.root
        return lent


class _Lent(Store):
    """Whoever opened it closes it."""

    def close(self) -> None:
        pass


def no_store() -> Store:
    """The store of a project that has none yet."""
    return Store(Nothing(), "")


def ensure_workflow(writer: Writer, store: Store) -> None:
    """The row that all others refer to. It is there before the first of them."""
    if not workflow_exists(writer, store.workflow):
        moment = now()
        writer.run(
            "INSERT INTO workflows (id, name, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (store.workflow, store.name, moment, moment),
        )


def workflow_exists(reader: Reader, workflow: str) -> bool:
    return reader.row("SELECT 1 FROM workflows WHERE id = ?", (workflow,)) is not None


def beginning_of_workflow(reader: Reader, workflow: str) -> str:
    """The time of its row; empty where nothing was kept in it yet."""
    row = reader.row("SELECT created_at FROM workflows WHERE id = ?", (workflow,))
    return str(row[0]) if row else ""
