"""A long git history in a second: one stream for `git fast-import`."""

from __future__ import annotations

import os
import random
import subprocess
from typing import TYPE_CHECKING

from benchmarks.prose import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AUTHOR = "Robin Reader <robin@example.org>"
START = 1_700_000_000
MODULES = 60
STATE = ".director/STATE.md"
UPKEEP = ("session: update timestamps", "idea: {}", "Plan the next step: {}")


def write_history(root: Path, files: Mapping[str, str], commits: int) -> None:
    """Makes a repository at `root`: `files` first, then the rest of the commits, and checks the
    last one out.
    """
    stream = b"".join(
        _commit(number, *change) for number, change in enumerate(_changes(files, commits))
    )
    git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    git(root, "fast-import", "--quiet", stdin=stream)
    git(root, "reset", "--quiet", "--hard")


def git(root: Path, *arguments: str, stdin: bytes = b"") -> None:
    """Runs git untouched by the settings of whoever calls this."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=root, env=environment, input=stdin, check=True)


def _changes(files: Mapping[str, str], commits: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Message and changed files: two thirds change the code, every third only the folder's own
    upkeep.
    """
    chance = random.Random("history")
    yield "Save the plan and the notes", files
    for number in range(1, commits):
        state = {STATE: f"{files[STATE]}\n- Activity {number}: {sentence(chance)}\n"}
        if number % 3 == 2:
            yield UPKEEP[number // 3 % len(UPKEEP)].format(sentence(chance).lower()), state
        else:
            yield (
                sentence(chance).rstrip("."),
                _sources(chance, number) | (state if number % 2 else {}),
            )


def _sources(chance: random.Random, number: int) -> dict[str, str]:
    changed = chance.sample(range(MODULES), chance.randint(1, 4))
    return {
        f"src/module_{one:02}.py": f'"""{sentence(chance)}"""\n\nCHANGED = {number}\n'
        for one in changed
    }


def _commit(number: int, message: str, files: Mapping[str, str]) -> bytes:
    head = f"commit refs/heads/main\ncommitter {AUTHOR} {START + number * 3600} +0000\n".encode()
    changed = (f"M 100644 inline {path}\n".encode() + _data(text) for path, text in files.items())
    return head + _data(message) + b"".join(changed)


def _data(text: str) -> bytes:
    data = text.encode()
    return b"data %d\n%b\n" % (len(data), data)
