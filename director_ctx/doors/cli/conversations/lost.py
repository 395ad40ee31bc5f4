"""`dctx lost`: what a compression removed, by kind and size, and where it is."""

from __future__ import annotations

import os

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.hashing import shown
from director_ctx.base.text import counted
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.history.compress.restore import (
    HOW,
    NONE_YET,
    by_kind,
    every_receipt,
    first_lines,
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
        largest = sorted(receipt["cuts"], key=lambda cut: cut["after"] - cut["before"])[:LARGEST]
        begins = first_lines([str(cut["locator"]) for cut in largest], values["root"])
        if values["json"]:
            put_json({**receipt, "lost": [_row(row) for row in rows]})
        else:
            _show(receipt, rows, largest, begins)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DctxError(
            "This is no receipt of dctx.", "`dctx compress --receipt FILE` writes one."
        ) from None
    return OK


def _list(values: dict[str, Any]) -> int:
    from director_ctx.doors.cli.contexts.budget_history import local

    if values["receipt"]:
        raise UsageProblem(
            "--all lists every receipt.", "Leave it out, or the receipt that is named."
        )
    found = every_receipt(values["root"])
    if values["json"]:
        put_json(found)
    elif not found:
        say(NONE_YET, HOW)
    else:
        put_table(
            ["Receipt", "Time", "Strategy", ">Before", ">After", "Of"],
            [
                [short, local(one["created_at"]), one["strategy"],
                 f"{one['tokens_in']:,}", f"{one['tokens_out']:,}", one["source"] or "-"]
                for short, one in zip(shown([one["receipt"] for one in found]), found, strict=True)
            ],
        )  # fmt: skip
    return OK


def _receipt(named: str | None, root: str | None) -> dict[str, Any]:
    if named is None or (named != "-" and not os.path.isfile(named)):
        return receipt_of(named, root)
    import json

    from director_ctx.doors.cli.shared.history_input import read_history
    from director_ctx.history.compress.restore import is_receipt

    data = read_history(named, "lost")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    made = dict(found) if is_receipt(found) else receipt_for(data, root)
    if made is None:
        raise DctxError(
            f"{named} is no receipt, and no history that was shortened here.",
            "`dctx lost --all` lists every receipt.",
        )
    return made


def _row(row: tuple[str, str, int, int, int]) -> dict[str, object]:
    return dict(zip(("kind", "tool", "blocks", "before", "after"), row, strict=True))


def _show(
    receipt: dict[str, Any],
    rows: list[tuple[str, str, int, int, int]],
    largest: list[dict[str, Any]],
    begins: dict[str, str],
) -> None:
    short = shown([str(receipt["id"])])[0]
    if not rows:
        put_lines([(f"Receipt {short}: nothing was cut.", "bold")])
        return
    blocks, before, after = (sum(column) for column in list(zip(*rows, strict=True))[2:])
    new = _put_in(receipt, before, after)
    put_table(
        ["Kind", "Tool", ">Blocks", ">Before", ">After"],
        [
            [kind, tool, f"{blocks:,}", f"{before:,}", f"{after:,}"]
            for kind, tool, blocks, before, after in rows
        ]
        + ([["put in", "", "", "0", f"{new:,}"]] if new else []),
        ["Total", "", f"{blocks:,}", f"{before:,}", f"{after + new:,}"],
        f"Receipt {short}: {receipt['tokens_in']:,} to {counted(receipt['tokens_out'], 'token')}",
    )
    put_lines([("", ""), ("The largest", "bold")])
    put_table(
        ["Locator", ">Message", ">Before", ">After", "Begins"],
        [
            [
                cut["locator"],
                _number(cut),
                f"{cut['before']:,}",
                f"{cut['after']:,}",
                _begin(cut, begins),
            ]
            for cut in largest
        ],
    )


def _put_in(receipt: dict[str, Any], before: int, after: int) -> int:
    """Tokens of what stands for others, such as a digest; it is no cut."""
    return max(0, int(receipt["tokens_out"]) - int(receipt["tokens_in"]) + before - after)


def _number(cut: dict[str, Any]) -> str:
    """As people count messages, and `history show` does: from one."""
    return str(int(cut["message"]) + 1)


def _begin(cut: dict[str, Any], begins: dict[str, str]) -> str:
    line = begins.get(cut["locator"])
    if line is None:
        return "(not in this archive)"
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
