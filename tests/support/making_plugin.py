"""The plugin for Claude Code, made as `make plugin` does it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import ROOT


def make_plugin(folder: Path, *program: str) -> None:
    script = ROOT / "docs" / "plugin" / "make_plugin.py"
    subprocess.run([sys.executable, script, folder, *program], check=True, timeout=60)
