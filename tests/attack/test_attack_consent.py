"""Consent to a skill: nothing that changes what would run is carried out under the word that was
given before.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import Result, write

Run = Callable[..., Result]
Figure = Callable[[str, str], None]
HEAD = "---\nname: probe\ndescription: Looks.\n---\n"
SKILL = ".claude/skills/probe"
OLD, NEW = "echo old", "echo stolen"
PYTHON_OLD, PYTHON_NEW = "print('old')", "print('stolen')"

Change = tuple[str, Callable[[Path], None], Callable[[Path], None]]
"""A command, what the project has when the user agrees to it, and what changes afterwards."""


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    path.write_text(text)


def link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def below(folder: Path, *parts: str) -> Path:
    """A path in which folders have a newline at the end of their name, and whole paths below it."""
    return Path(os.path.join(folder, *(part.lstrip("/") for part in parts)))


def newlines_before(root: Path) -> None:
    """As lines `PATH HASH`, sorted: c, run.sh (old), s, run.sh (new); the last two are one file."""
    own = root / SKILL
    put(own / "c", "c")
    put(own / "run.sh", OLD)
    put(below(own, f"s  {hashed('s')}\n", f"{own}/run.sh"), NEW)


def newlines_after(root: Path) -> None:
    """The same lines, of which the first three are one file, and the last one is what runs."""
    own = root / SKILL
    (own / "c").unlink()
    shutil.rmtree(own / f"s  {hashed('s')}\n")
    put(below(own, f"c  {hashed('c')}\n", f"{own}/run.sh  {hashed(OLD)}\n", f"{own}/s"), "s")
    put(own / "run.sh", NEW)


CHANGES: dict[str, Change] = {
    "names with newlines": ("sh ${CLAUDE_SKILL_DIR}/run.sh", newlines_before, newlines_after),
    "a folder that is run": (
        "python3 tools",
        lambda root: put(root / "tools/__main__.py", PYTHON_OLD),
        lambda root: put(root / "tools/__main__.py", PYTHON_NEW),
    ),
    "a module that is run": (
        "python3 -m tools",
        lambda root: put(root / "tools/__main__.py", PYTHON_OLD),
        lambda root: put(root / "tools/__main__.py", PYTHON_NEW),
    ),
    "a module in a package": (
        "python3 -m tools.look",
        lambda root: (put(root / "tools/__init__.py", ""), put(root / "tools/look.py", PYTHON_OLD)),
        lambda root: put(root / "tools/look.py", PYTHON_NEW),
    ),
    "a module that is one file": (
        "python3 -m look",
        lambda root: put(root / "look.py", PYTHON_OLD),
        lambda root: put(root / "look.py", PYTHON_NEW),
    ),
    "a file deep in a folder": (
        "find tools -name '*.sh' -exec sh {} +",
        lambda root: put(root / "tools/deep/run.sh", OLD),
        lambda root: put(root / "tools/deep/run.sh", NEW),
    ),
    "a new file in a folder": (
        "find tools -name '*.sh' -exec sh {} +",
        lambda root: put(root / "tools/deep/a.txt", OLD),
        lambda root: put(root / "tools/deep/run.sh", NEW),
    ),
    "the project's own folder": (
        "python3 .",
        lambda root: put(root / "__main__.py", PYTHON_OLD),
        lambda root: put(root / "__main__.py", PYTHON_NEW),
    ),
    "a link to another folder": (
        "python3 tools",
        lambda root: (
            put(root / "good/__main__.py", PYTHON_OLD),
            put(root / "evil/__main__.py", PYTHON_NEW),
            link(root / "tools", "good"),
        ),
        lambda root: link(root / "tools", "evil"),
    ),
    "what a linked folder holds": (
        "python3 tools",
        lambda root: (put(root / "good/__main__.py", PYTHON_OLD), link(root / "tools", "good")),
        lambda root: put(root / "good/__main__.py", PYTHON_NEW),
    ),
    "what a linked file holds": (
        "sh run.sh; true",
        lambda root: (put(root / "good.sh", OLD), link(root / "run.sh", "good.sh")),
        lambda root: put(root / "good.sh", NEW),
    ),
    "what the skill's link leads to": (
        "find -L ${CLAUDE_SKILL_DIR}/more -name '*.sh' -exec sh {} +",
        lambda root: (put(root / "good/run.sh", OLD), link(root / SKILL / "more", "../../../good")),
        lambda root: put(root / "good/run.sh", NEW),
    ),
    "steps upwards behind a link": (
        "sh link/../run.sh; true",
        lambda root: (
            put(root / "run.sh", "true"),
            put(root / "deep/run.sh", OLD),
            put(root / "deep/in/a", ""),
            link(root / "link", "deep/in"),
        ),
        lambda root: put(root / "deep/run.sh", NEW),
    ),
    "a file behind an equals sign": (
        "env HELP=tools/run.sh sh -c '$HELP'",
        lambda root: (
            put(root / "tools/run.sh", f"#!/bin/sh\n{OLD}"),
            (root / "tools/run.sh").chmod(0o755),
        ),
        lambda root: (
            put(root / "tools/run.sh", f"#!/bin/sh\n{NEW}"),
            (root / "tools/run.sh").chmod(0o755),
        ),
    ),
    "a file that was missing": (
        "sh run.sh || true; echo old",
        lambda root: None,
        lambda root: put(root / "run.sh", NEW),
    ),
    "a link that led nowhere": (
        "sh run.sh || true; echo old",
        lambda root: link(root / "run.sh", "later.sh"),
        lambda root: put(root / "later.sh", NEW),
    ),
}


def attempt(root: Path, change: Change, dctx: Run) -> Result:
    """What is printed once the user agreed, and something changed."""
    command, before, after = change
    write(root, {f"/{SKILL}/SKILL.md": f"{HEAD}!`{command}`\n"})
    before(root)
    assert dctx("skill", "trust", "probe", "--yes", cwd=root).code == 0
    first = dctx("skill", "render", "probe", cwd=root)
    assert "(not available: " not in first.out or "missing" in command, first
    after(root)
    return dctx("skill", "render", "probe", cwd=root)


@pytest.mark.skipif(os.name == "nt", reason="names with newlines, and commands of a POSIX shell")
def test_nothing_that_changed_runs_under_the_consent_that_was_given_before(
    tmp_path: Path, dctx: Run, figure: Figure
) -> None:
    ran = []
    for number, (name, change) in enumerate(CHANGES.items()):
        done = attempt(tmp_path / str(number), change, dctx)
        if "stolen" in done.out or "(not available: " not in done.out:
            ran.append(name)
    figure("Changed skills run under old consent", f"{len(ran)} of {len(CHANGES)} run")
    assert ran == []


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_file_a_link_and_a_missing_file_have_prints_of_their_own(
    tmp_path: Path, dctx: Run, figure: Figure
) -> None:
    def as_link(root: Path) -> None:
        put(root / "other.sh", OLD)
        link(root / "run.sh", "other.sh")

    states: dict[str, Callable[[Path], None]] = {
        "missing": lambda root: (root / "run.sh").unlink(missing_ok=True),
        "empty": lambda root: put(root / "run.sh", ""),
        "file": lambda root: put(root / "run.sh", OLD),
        "link": as_link,
        "broken link": lambda root: link(root / "run.sh", "nowhere.sh"),
        "link out of the project": lambda root: link(root / "run.sh", os.devnull),
        "folder": lambda root: (
            (root / "run.sh").unlink(missing_ok=True),
            (root / "run.sh").mkdir(),
        ),
    }
    pairs = [(one, other) for one in states for other in states if other != one != "folder"]
    alike = []
    for one, other in pairs:
        done = attempt(
            tmp_path / f"{one} {other}", ("sh run.sh; echo done", states[one], states[other]), dctx
        )
        if "(not available: " not in done.out:
            alike.append((one, other))
    figure("Files, links and missing files mixed up", f"{len(alike)} of {len(pairs)} pairs")
    assert alike == []
