"""A plan out of a file or standard input, with every mistake in it at once."""

from __future__ import annotations

import json
import sys

from director_ctx.base.errors import DctxError
from director_ctx.memory.plans.plan import BadPlan
from director_ctx.memory.plans.rules import mistakes
from director_ctx.memory.plans.values import LARGEST, read_plan
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_plan_file(path: str) -> dict[str, Any]:
    # So many bytes are too much in any encoding, whose characters take four at most.
    data = _bytes(path, LARGEST * 4 + 4)
    try:
        text = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise DctxError(f"{path} is not text in UTF-8.", "Save the file as UTF-8.") from error

    # Editors on Windows put a mark before the first brace.
    plan, troubles = read_plan(text.removeprefix("\ufeff"))
    if plan is not None or not troubles:
        troubles += mistakes(plan)
    if troubles:
        raise BadPlan(troubles)
    return dict(plan)


def _bytes(path: str, most: int) -> bytes:
    try:
        if path == "-":
            if sys.stdin is None:
                return b""
            return sys.stdin.buffer.read(most)
        with open(absolute(path), "rb") as file:
            return file.read(most)
    except OSError as error:
        raise DctxError(
            f"{path}: {error.strerror or error}.", "Name a file, or - for standard input."
        ) from error
