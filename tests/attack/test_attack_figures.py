"""The table of figures itself: what a test says comes out of a run, also out of one on several
workers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

TEST = """
def test_says(figure):
    figure("Doors tried", "0 of 3 open")
"""


def test_a_figure_of_a_worker_stands_in_the_table_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "test_says.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-n1", "-p", "no:cacheprovider", f"--rootdir={ROOT}", "-c",
               str(ROOT / "pyproject.toml"), "-p", "conftest", str(tmp_path)]  # fmt: skip
    # Its temporary folders are its own: whoever tidies those of an earlier run may meet another.
    own = {**os.environ, "PYTEST_DEBUG_TEMPROOT": str(tmp_path)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT / "tests", env=own, check=False
    )
    assert "Doors tried" in done.stdout and "0 of 3 open" in done.stdout, done.stdout + done.stderr
