"""How many modules one `dctx assemble` loads; most of a short process is loading them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_COUNT = """
import sys
before = set(sys.modules)
sys.argv = ["dctx", *sys.argv[1:]]
from director_ctx.doors.cli.main import main
main(sys.argv[1:])
print(len(sys.modules), *sorted(set(sys.modules) - before), file=sys.stderr)
"""


class Loaded(NamedTuple):
    total: int
    own: list[str]
    others: list[str]
    """Modules of others that a plain `python -c pass` does not load."""

    def __str__(self) -> str:
        others = ", ".join(self.others) or "none"
        return f"{self.total} modules in all: {len(self.own)} of dctx, and beyond those of every start: {others}"


def modules_loaded(
    python: Path, folder: Path, arguments: Sequence[str], environment: Mapping[str, str]
) -> Loaded:
    command = [str(python), "-c", _COUNT, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    total, *names = done.stderr.splitlines()[-1].split()
    own = [name for name in names if name.partition(".")[0] == "director_ctx"]
    return Loaded(int(total), own, [name for name in names if name not in own])
