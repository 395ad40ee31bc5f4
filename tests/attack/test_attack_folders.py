"""Hostile `.director/` folders through every command that reads one, and through a hook."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import Result, write
from exit_codes import ALLOWED
from folders import CANARY, FILES, FOLDERS, every_folder, good
from guarded import Hung, guarded
from hook_answers import inside
from hook_events import spawn

Run = Callable[..., Result]
EVERYTHING = "--codebase all --research all --with project_state,gameplan,reference".split()
COMMANDS = (
    ("assemble", "builder", *EVERYTHING),
    ("assemble", "planner", "--inject"),
    ("status", "--json"),
    ("next",),
    ("doctor",),
    ("budget", "builder"),
)
SETTINGS_READERS = (COMMANDS[0], ("doctor",))
EVENT = json.dumps(spawn()).encode()


def outside_of(tmp_path: Path) -> Path:
    """A project of somebody else, with a canary in everything."""
    root = write(tmp_path / "outside", dict.fromkeys(FILES, f"# {CANARY}\n\n{CANARY}: {CANARY}\n"))
    for name in FOLDERS:
        (root / ".director" / name).mkdir(parents=True, exist_ok=True)
    return root / ".director"


def status_of(files: list[Path]) -> list[tuple[Path, int, int]]:
    """What would change if they were written."""
    return [(path, path.lstat().st_size, path.lstat().st_mtime_ns) for path in sorted(files)]


def problems(root: Path, dctx: Run, commands: Sequence[Sequence[str]]) -> list[str]:
    """What went wrong with any command in this project, which is left as the working folder."""
    found = []

    def beside() -> list[tuple[Path, int, int]]:
        return status_of([path for path in root.iterdir() if path.name != ".director"])

    before = beside()
    for words in commands:
        result = dctx(*words, cwd=root)
        said = result.out + result.err
        if result.code not in ALLOWED or "Traceback" in said or "bug in dctx" in said:
            found.append(f"{' '.join(words)} crashed: {result.err[-500:]}")
        if CANARY in said:
            found.append(f"{' '.join(words)} leaked")

    code, answer = inside(EVENT)
    is_proper = not answer or "hookSpecificOutput" in json.loads(answer)
    if code != 0 or CANARY.encode() in answer or not is_proper:
        found.append(f"hook: {answer[-500:]!r}")
    if beside() != before:
        found.append("something was written outside of .director/")
    return found


@pytest.mark.skipif(os.name == "nt", reason="half of these folders cannot be made on Windows")
def test_no_hostile_folder_leaks_crashes_or_hangs(
    tmp_path: Path, dctx: Run, figure: Callable[[str, str], None]
) -> None:
    outside = outside_of(tmp_path)
    untouched = status_of(list(outside.rglob("*")))
    tried, bad = 0, {}

    for number, (title, damage) in enumerate(every_folder()):
        root = write(tmp_path / f"p{number}", {**good(), "/beside.md": f"{CANARY}\n"})
        try:
            damage(root / ".director", outside)
        except (OSError, ValueError):
            continue  # this file system has no such thing, so nobody meets it here

        tried += 1
        # What is in dctx.yaml is read once, and alike by all.
        commands = SETTINGS_READERS if title.startswith("dctx.yaml: ") else COMMANDS
        try:
            with guarded():
                found = problems(root, dctx, commands)
        except Hung:
            found = ["hung"]
        if found:
            bad[title] = found
        if status_of(list(outside.rglob("*"))) != untouched:
            bad[title] = ["something outside was changed"]
            break

    figure("Hostile folders", f"{len(bad)} of {tried} leaked, crashed or hung")
    assert bad == {} and tried > 350
