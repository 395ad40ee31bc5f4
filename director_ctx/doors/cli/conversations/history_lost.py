"""`dctx history lost`: what a compression removed, by kind and size, and where it is."""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.hashing import shown
from director_ctx.base.text import counted
from director_ctx.doors.cli.shared.history_input import read_history
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.compress.restore import (
    HOW,
    NONE_YET,
    by_kind,
    every_receipt,
    first_lines,
    is_receipt,
    receipt_for,
    receipt_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 10
_SHOWN = 60
"""Characters of a first line."""


def run(values: dict[str, Any]) -> int:
    if values["all"]:
        return _list(values)
    receipt = _receipt(values["receipt"], values["root"])
    try:
        rows = list(by_kind(receipt["cuts"]))
        largest_first = sorted(receipt["cuts"], key=lambda cut: cut["after"] - cut["before"])
        largest = largest_first[:LARGEST]
        locators = [str(cut["locator"]) for cut in largest]
        begins = first_lines(locators, values["root"])
        if values["json"]:
            put_json({**receipt, "lost": [_kind_json(row) for row in rows]})
        else:
            _show(receipt, rows, largest, begins)
    except (KeyError, TypeError, ValueError, OverflowError):
        # It looked like one, and somebody may have written it by hand.
        raise DctxError(
            "This file is not a receipt that dctx wrote.",
            "`dctx compress --receipt FILE` writes a receipt.",
        ) from None
    return OK


def _list(values: dict[str, Any]) -> int:
    if values["receipt"]:
        raise UsageProblem(
            "--all lists every receipt, so no receipt can be named.", "Leave out --all or the name."
        )
    receipts = every_receipt(values["root"])
    if values["json"]:
        put_json(receipts)
    elif not receipts:
        say(NONE_YET, HOW)
    else:
        # As short as ids can be without two that look the same.
        names = shown([receipt["receipt"] for receipt in receipts])
        rows = []
        for name, receipt in zip(names, receipts, strict=True):
            rows.append(_receipt_row(name, receipt))
        put_table(["Receipt", "Time", "Strategy", ">Before", ">After", "/Of"], rows)
    return OK


def _receipt_row(name: str, receipt: dict[str, Any]) -> list[str]:
    return [
        name,
        local_time(receipt["created_at"]),
        receipt["strategy"],
        f"{receipt['tokens_in']:,}",
        f"{receipt['tokens_out']:,}",
        receipt["source"] or "-",
    ]


def _receipt(named: str | None, root: str | None) -> dict[str, Any]:
    if named is None:
        return receipt_of(None, root)
    if named != "-" and not os.path.isfile(named):
        return receipt_of(named, root)

    # Either a receipt that was written to a file, or the history that was shortened with it.
    data = read_history(named, "lost")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if is_receipt(document):
        return dict(document)

    receipt = receipt_for(data, root)
    if receipt is None:
        raise DctxError(
            f"{named} is neither a receipt nor a conversation that was shortened here.",
            "`dctx history lost --all` lists every receipt.",
        )
    return receipt


def _kind_json(row: tuple[str, str, int, int, int]) -> dict[str, object]:
    return dict(zip(("kind", "tool", "blocks", "before", "after"), row, strict=True))


def _show(
    receipt: dict[str, Any],
    rows: list[tuple[str, str, int, int, int]],
    largest: list[dict[str, Any]],
    begins: dict[str, str],
) -> None:
    (short,) = shown([str(receipt["id"])])
    if not rows:
        put_lines([(f"Receipt {short}: nothing was cut.", "bold")])
        return

    blocks = 0
    before = 0
    after = 0
    cells = []
    for kind, tool, row_blocks, row_before, row_after in rows:
        blocks += row_blocks
        before += row_before
        after += row_after
        cells.append([kind, tool, f"{row_blocks:,}", f"{row_before:,}", f"{row_after:,}"])
    new = _put_in(receipt, before, after)
    if new:
        cells.append(["put in", "", "", "0", f"{new:,}"])
    size = f"{receipt['tokens_in']:,} to {counted(receipt['tokens_out'], 'token')}"
    put_table(
        ["Kind", "Tool", ">Blocks", ">Before", ">After"],
        cells,
        ["Total", "", f"{blocks:,}", f"{before:,}", f"{after + new:,}"],
        f"Receipt {short}: {size}",
    )

    put_lines([("", ""), ("The largest", "bold")])
    put_table(
        ["Locator", ">Message", ">Before", ">After", "~Begins"],
        [_cut_row(cut, begins) for cut in largest],
    )


def _cut_row(cut: dict[str, Any], begins: dict[str, str]) -> list[str]:
    return [
        cut["locator"],
        _message_number(cut),
        f"{cut['before']:,}",
        f"{cut['after']:,}",
        _begin(cut, begins),
    ]


def _put_in(receipt: dict[str, Any], before: int, after: int) -> int:
    """Tokens of what stands for others, such as a digest; it is no cut."""
    return max(0, int(receipt["tokens_out"]) - int(receipt["tokens_in"]) + before - after)


def _message_number(cut: dict[str, Any]) -> str:
    """As people count messages, and `history show` does: from one."""
    return str(int(cut["message"]) + 1)


def _begin(cut: dict[str, Any], begins: dict[str, str]) -> str:
    line = begins.get(cut["locator"])
    if line is None:
        return "(not in this archive)"
    if len(line) > _SHOWN:
        return f"{line[: _SHOWN - 1]}…"
    return line
