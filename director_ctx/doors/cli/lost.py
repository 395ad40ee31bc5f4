"""`dctx lost`: what a compression removed, by kind and size, and where it is."""

from __future__ import annotations

import os

from director_ctx.doors.cli.output import put_json
from director_ctx.doors.cli.table import put_lines, put_table
from director_ctx.errors import OK, DctxError
from director_ctx.wiring.restore import by_kind, first_lines, receipt_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 10
_SHOWN = 60
"""Characters of a first line."""


def run(values: dict[str, Any]) -> int:
    receipt = _receipt(values["receipt"], values["root"])
    try:
        rows = list(by_kind(receipt["cuts"]))
        largest = sorted(receipt["cuts"], key=lambda cut: cut["after"] - cut["before"])[:LARGEST]
        begins = first_lines([str(cut["locator"]) for cut in largest], values["root"])
        if values["json"]:
            put_json({**receipt, "lost": [_row(row) for row in rows]})
        else:
            _show(receipt, rows, largest, begins)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DctxError("This is no receipt of dctx.", "`dctx compress --receipt FILE` writes one.") from None
    return OK


def _receipt(named: str | None, root: str | None) -> dict[str, Any]:
    if named is None or (named != "-" and not os.path.isfile(named)):
        return receipt_of(named, root)
    import json

    from director_ctx.doors.cli.history_input import read_history
    from director_ctx.wiring.restore import is_receipt

    try:
        found = json.loads(read_history(named, "lost"))
    except (ValueError, RecursionError):
        found = None
    if not is_receipt(found):
        raise DctxError(f"{named} is no receipt.", "`dctx compress --receipt FILE` writes one.")
    return dict(found)


def _row(row: tuple[str, str, int, int, int]) -> dict[str, object]:
    return dict(zip(("kind", "tool", "blocks", "before", "after"), row, strict=True))


def _show(
    receipt: dict[str, Any],
    rows: list[tuple[str, str, int, int, int]],
    largest: list[dict[str, Any]],
    begins: dict[str, str],
) -> None:
    if not rows:
        put_lines([(f"Receipt {receipt['id']}: nothing was cut.", "bold")])
        return
    put_table(
        ["Kind", "Tool", ">Blocks", ">Before", ">After"],
        [[kind, tool, f"{blocks:,}", f"{before:,}", f"{after:,}"] for kind, tool, blocks, before, after in rows],
        ["Total", "", *(f"{sum(column):,}" for column in zip(*(row[2:] for row in rows), strict=True))],
        f"Receipt {receipt['id']}: {receipt['tokens_in']:,} to {receipt['tokens_out']:,} tokens",
    )
    put_lines([("", ""), ("The largest", "bold")])
    put_table(
        ["Locator", ">Message", ">Before", ">After", "Begins"],
        [
            [cut["locator"], f"{int(cut['message']) + 1:,}", f"{cut['before']:,}", f"{cut['after']:,}", _begin(cut, begins)]
            for cut in largest
        ],
    )


def _begin(cut: dict[str, Any], begins: dict[str, str]) -> str:
    line = begins.get(cut["locator"])
    if line is None:
        return "(not in this archive)"
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
