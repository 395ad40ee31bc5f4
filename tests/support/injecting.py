"""Commands with `--inject`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conftest import Result

from director_ctx.base.text import characters
from director_ctx.doors.cli.shared.inject import MOST

Run = Callable[..., Result]


CLIENTS_CUT = 30_000


def injected(dctx: Run, *words: str, cwd: Path) -> str:
    """What a client is given; the rules that hold for every command."""
    result = dctx(*words, "--inject", cwd=cwd)
    assert (result.code, result.err) == (0, "")
    assert result.out.strip() and characters(result.out) <= MOST < CLIENTS_CUT
    assert "Traceback" not in result.out
    return result.out
