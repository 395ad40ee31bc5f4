"""Which modules a start loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

HEAVY = ("typer", "click", "rich", "git", "yaml", "markdown_it", "pydantic", "asyncio")


def loaded_by(script: str, cwd: Path) -> set[str]:
    """The modules that a fresh interpreter has after a script."""
    report = "\nimport sys\nsys.stderr.write('LOADED ' + ' '.join(sorted(sys.modules)) + '\\n')\n"
    done = subprocess.run(
        [sys.executable, "-c", script + report],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    said = done.stderr.decode()
    assert done.returncode == 0, said
    return set(said.rpartition("LOADED ")[2].split())
