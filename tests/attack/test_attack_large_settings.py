"""A settings file that somebody made huge: hooks get in and out again in little time, every other
byte as it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from conftest import process, write

KEYS = 100_000
SECONDS = 4.0
"""Of the processor, for a command; before each text was read once and mostly by one expression, it
was 12.
"""


def children_seconds() -> float:
    """What the processes that have ended so far have used of the processor."""
    times = os.times()
    return times.children_user + times.children_system


def test_hooks_get_into_settings_of_a_hundred_thousand_keys_and_out_again(
    tmp_path: Path, figure: Callable[[str, str], None]
) -> None:
    root = write(tmp_path / "boat", {"VISION.md": "# Vision\n"})
    settings = root / ".claude" / "settings.local.json"
    settings.parent.mkdir()
    before = json.dumps({f"k{number}": number for number in range(KEYS)}, indent=2) + "\n"
    settings.write_text(before)

    begun = children_seconds()
    installed = process(
        "setup", "--what", "hooks", "--client", "claude", "--no-verify", "--yes", cwd=root
    )
    seconds = children_seconds() - begun

    assert installed.code == 0, installed
    after = settings.read_text()
    assert after.startswith(before.rstrip("}\n")) and '"SessionStart"' in after[len(before) - 5 :]

    removed = process("setup", "--undo", "--what", "hooks", "--yes", cwd=root)
    assert removed.code == 0, removed
    assert settings.read_text() == before

    figure(f"setup --what hooks, settings of {KEYS:,} keys", f"{seconds:.1f} s of the processor")
    assert seconds < SECONDS
