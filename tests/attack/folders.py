"""Hostile `.director/` folders, each a name and what makes it out of a good one."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from conftest import plan, step, task

from director_ctx.context.settings.config import KEYS

CANARY = "CANARY-7f3a"
"""Stands in every file outside of `.director/`, and must not stand in any output."""

Damage = Callable[[Path, Path], None]
"""Takes the folder `.director/` of a project, and a folder outside of the project that is full of
canaries.
"""

STEP = "goals/01-first/01-step"
TASK = f"{STEP}/tasks/01-one.md"
FILES = (
    "VISION.md", "GAMEPLAN.md", "STATE.md", "IDEAS.md", "config.json", "dctx.yaml", "goals/01-first/GOAL.md",
    f"{STEP}/STEP.md", TASK, "codebase/STACK.md", "research/SUMMARY.md", "reference/terms.md",
    "instructions/builder.md",
)  # fmt: skip
FOLDERS = (
    "goals",
    "goals/01-first",
    STEP,
    f"{STEP}/tasks",
    "codebase",
    "research",
    "reference",
    "instructions",
    ".dctx",
)


def good() -> dict[str, str]:
    """A project in which each of these files is read by some command."""
    files = {
        name: f"# {Path(name).stem}\n\nSome words.\n" for name in FILES if name.endswith(".md")
    }
    files |= plan({"01-one.md": task("One", "Nothing"), "02-two.md": task("Two", "Task 1")})
    return {**files, "config.json": "{}", "dctx.yaml": "budget: 30%\n", ".dctx/.gitignore": "*\n"}


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)


# Links


def link(name: str, target: str, director: Path, outside: Path) -> None:
    """`target` may name the outside, absolutely or not or over another link, or a file of the project
    beside `.director/`.
    """
    path = director / name
    remove(path)
    way = director / "way"
    if target == "{way}":
        way.symlink_to(outside)
    beside, away, over = (
        os.path.relpath(place, path.parent)
        for place in (director.parent / "beside.md", outside / name, way / name)
    )
    path.symlink_to(target.format(outside=outside / name, away=away, beside=beside, way=over))


def hard_way_up(director: Path, outside: Path) -> None:
    """Folders that lead up again, from where `..` is the outside."""
    remove(director / "codebase")
    (director / "codebase").symlink_to("../.director/../..")


# What is no file


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    """A socket's name must be short, so it is made from inside of its folder."""
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)


def instead(name: str, make: Callable[[Path], None], director: Path, outside: Path) -> None:
    remove(director / name)
    make(director / name)


# Bytes


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"# Words\n\nSome of them.\n")
        file.truncate(100_000_000)


WORDS = "# Überschrift\n\n## What To Do\nSome wörds.\n\n## Needs First\nNothing.\n"
BYTES = {
    "NUL bytes": b"# A\0B\n" + b"\0" * 5_000,
    "no UTF-8": b"# A\n\xff\xfe\xfa\xed\xa0\x80 words\n" * 200,
    "UTF-16 with a mark": WORDS.encode("utf-16"),
    "UTF-16 without one": WORDS.encode("utf-16-le"),
    "UTF-16 cut in half": WORDS.encode("utf-16")[:-3] + b"\x00\xd8",
    "CRLF": WORDS.replace("\n", "\r\n").encode(),
    "CR": WORDS.replace("\n", "\r").encode(),
    "escapes for a terminal": b"# \x1b]0;title\x07\x1b[2J \xc2\x9b31m red\n",
    "one long line": b"word " * 100_000,
}


def filled(names: Sequence[str], data: bytes, director: Path, outside: Path) -> None:
    for name in names:
        remove(director / name)
        (director / name).write_bytes(data)


# Markdown that makes a careless pattern go back again and again

MANY = 5_000


def markdown(many: int) -> dict[str, str]:
    """Texts whose length grows with `many`; the time that is spent on them must not grow faster."""
    return {
        "stars": "*" * many,
        "brackets": "[" * many + "](" * many,
        "quotes in quotes": "> " * many + "x",
        "lists in lists": "".join(" " * (2 * n) + "- x\n" for n in range(many // 40)),
        "backticks": "`" * many + "x" + "`" * (many - 1),
        "hashes": "#" * many + "\n" + "# " * many,
        "open comments": "<!--" * many,
        "open fences": "```\n~~~\n" * many,
        "pipes": "|" * many + "\n" + "|-" * many,
        "almost a field": "**" + "Status " * many + ":",
        "fields": "**Status:** **Status:** " * many,
        "boxes": "- [ ] - [x] - [~] Task 1: " * (many // 4),
        "needs": "## Needs First\n"
        + "Needs Goal 1 Step 2 Task 3, and Steps 1-999999999, " * (many // 20),
        "numbers": "## Needs First\nTask " + "9" * many + "\nStep 1-" + "9" * many,
        "placeholders": "{{" * many + "task_title" + "}}" * many,
        "our tags": "<vision>\n</vision>\n<task>\n</task" * (many // 10),
        "spaces": "## What To Do" + " " * many + "\n" + "\t" * many + "x",
        "paths": "`" + "../" * many + "etc/passwd` [x](" + "../" * 50 + "outside/VISION.md)",
        "decisions": "## Decisions\n" + "### Locked\n- **D" * many,
        "heads": "\n".join(f"{'#' * (1 + n % 6)} Head {n}" for n in range(many // 4)),
    }


# YAML

CONFIG = (
    "",
    "null",
    "5",
    "-1",
    "1e999",
    "x",
    "[]",
    "{}",
    "[[1]]",
    "{a: {b: [1]}}",
    "true",
    "2026-01-01",
    "'\\0'",
)
LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
YAML = {
    "a billion laughs": LAUGHS + "profiles: *a39\n",
    "an alias to itself": "profiles: &p {builder: *p}\n",
    "deep flow": "profiles: " + "[" * 50_000,
    "deep blocks": "".join(" " * n + "a:\n" for n in range(3_000)),
    "merged": "a: &a {b: 1}\nprofiles:\n  <<: [*a, *a]\n",
    "runs a program": "profiles: !!python/object/apply:os.system ['touch ran']\n",
    "makes an object": "profiles: !!python/object/new:os._wrap_close {}\n",
    "a name of Python": "model: !!python/name:os.system\n",
    "a tag of its own": "budget: !mine 5\n",
    "keys that are lists": "? [a, b]\n: c\n? {a: b}\n: d\n",
    "a huge number": "window: " + "9" * 5_000 + "\nbudget: 0x" + "f" * 5_000 + "\n",
    "sixty and sixty": "window: " + ":59" * 1_000 + "\n",
    "no text": "\0\x01\x02",
    "many documents": "---\n" * 10_000,
    "many keys": "".join(f"k{n}: {n}\n" for n in range(5_000)),
    "a path for the store": "store: ../../outside/store.db\n",
    "a name that is a path": "profiles:\n  ../../outside/x: {extends: builder, reference: [../../outside/VISION.md]}\n",
    "files that are paths": "profiles:\n  builder: {codebase: [../outside/STACK], reference: ['../beside.md']}\n",
    "a pattern": "task_types:\n  X: {keywords: ['(a+)+$', '[', '*'], files: ['**', '../*']}\n",
}  # fmt: skip


# Names and numbers of files

NAMES = (
    "01-two\nlines", "01-\x1b[2J", "01-..", "01-...md", "01-a\\..\\..\\b", "01-%2e%2e%2f", "01-\u202egpj",
    "01-" + "x" * 240,
    "01-$(touch ran)", "01-`touch ran`", "01-;touch ran", "01-<vision>", "01- ", "01-\u00e9", "01-e\u0301", "01-A",
    "01-a",
    "-rf", "99999999999999999999-x", "00-x", "\u0661-arabic", "01-one.done.done", "01-.done", ".md", "con", "01-nul",
)  # fmt: skip


def named(name: str, director: Path, outside: Path) -> None:
    """A task, a step, a goal and notes by this name."""
    for parent in (f"{STEP}/tasks", "codebase", "research", "reference"):
        (director / parent / f"{name}.md").write_text(task("Odd", "Nothing"))
    (director / "goals" / name / name / "tasks").mkdir(parents=True, exist_ok=True)
    (director / "goals" / name / name / "tasks" / "01-x.md").write_text(task("Odd", "Nothing"))


def thousands_of_files(director: Path, outside: Path) -> None:
    for number in range(2_000):
        (director / STEP / "tasks" / f"{number:05}-t.md").write_text("# Task: T\n")
        (director / "codebase" / f"N{number}.md").write_text("# Note\n\n`src/a.py`\n")


def deeper_than_a_path(director: Path, outside: Path) -> None:
    """By short steps, because the whole of it is longer than the system takes at once."""
    for top in ("goals", "codebase", "reference"):
        with contextlib.chdir(director / top):
            for _ in range(40):
                os.mkdir("01-" + "d" * 200)
                os.chdir("01-" + "d" * 200)


def circle_of_needs(director: Path, outside: Path) -> None:
    tasks = {f"{n:02}-t.md": task(f"T{n}", f"Task {n % 50 + 1}") for n in range(1, 51)}
    for name, text in plan(tasks, tasks).items():
        path = director / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (director / STEP / "STEP.md").write_text(step(1, "A", needs="Needs Step 2"))


def every_folder() -> Iterator[tuple[str, Damage]]:
    """Each by a name that says what is wrong with it."""
    yield from linked()
    yield from with_bytes()
    yield from configured()
    for name in NAMES:
        yield f"named {name!r}", partial(named, name)
    for damage in (hard_way_up, thousands_of_files, deeper_than_a_path, circle_of_needs):
        yield damage.__name__.replace("_", " "), damage


def linked() -> Iterator[tuple[str, Damage]]:
    for name in (*FILES, *FOLDERS):
        for target in ("{outside}", "{away}", "{beside}", "{way}"):
            yield f"{name} links to {target}", partial(link, name, target)
        for make in (os.mkfifo, Path.mkdir, device, listening):
            yield f"{name} is made by {make.__name__}", partial(instead, name, make)


def with_bytes() -> Iterator[tuple[str, Damage]]:
    """What no file of settings may have stands in several documents at once."""
    for name in FILES:
        yield f"{name} has 100 MB", partial(instead, name, sparse)
    for title, data in BYTES.items():
        yield f"documents: {title}", partial(filled, ("VISION.md", TASK), data)
        yield f"dctx.yaml: {title}", partial(filled, ("dctx.yaml",), data)
    documents = ("STATE.md", f"{STEP}/STEP.md", TASK, "instructions/builder.md")
    for title, text in markdown(MANY).items():
        yield f"documents: {title}", partial(filled, documents, text.encode())


def configured() -> Iterator[tuple[str, Damage]]:
    texts = [*YAML.values(), *(f"{key.name}: {value}\n" for key in KEYS for value in CONFIG)]
    for text in texts:
        yield f"dctx.yaml: {text[:40]}", partial(filled, ("dctx.yaml",), text.encode())
