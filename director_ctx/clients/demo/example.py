"""The bundled example as a project of its own: its files, its git history, and what its store
remembers.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from director_ctx.base.errors import DctxError
from director_ctx.base.resources import shipped
from director_ctx.clients.demo.commits import ExampleCommit, as_stream, commits, files_after
from director_ctx.memory.store.file import file_place
from director_ctx.memory.store.open import open_file
from director_ctx.memory.transfer.transfer import read_in
from director_ctx.upkeep.repair import repair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "reading-list"
NO_GIT = "git is not installed, so the example has no history, and its context no recent changes."
SECONDS = 30.0
MENDED = "2025-03-20T21:15:00"
"""When the records of the example were brought in line: five minutes after its last commit."""
SUBJECT = "session: bring the records in line"
_SETTINGS = (
    "core.autocrlf=false",
    "core.fileMode=false",
    f"core.hooksPath={os.devnull}",
    f"core.excludesFile={os.devnull}",
    f"core.attributesFile={os.devnull}",
)


def make_example(root: str, in_line: bool = False) -> str:
    """Makes it in a folder that is missing or empty. What is lacking, in a sentence, or nothing.

    Some of its records lag behind the files, as they do in a project that grows; for whoever plays
    with it, they are brought in line. The commits are the same on every machine, down to their ids.
    """
    _expect_room(root)
    story = commits()
    try:
        _write(root, files_after(story))
        if in_line:
            story = (*story, _bring_in_line(root))
    except OSError as error:
        raise DctxError(
            f"Could not write {root}: {error.strerror or error}.", "Name another folder."
        ) from error

    lacking = _commit_all(root, as_stream(story))
    _remember(root)
    return lacking


def _expect_room(root: str) -> None:
    if not os.path.lexists(root):
        return
    if not os.path.isdir(root):
        raise DctxError(f"{root} is a file.", "Name a folder that is not there yet.")
    if os.listdir(root):
        raise DctxError(
            f"{root} is not empty, and nothing in it is overwritten.",
            "Name a folder that is not there yet.",
        )


def _write(root: str, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        parts = name.split("/")
        path = os.path.join(root, *parts)
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def _bring_in_line(root: str) -> ExampleCommit:
    """What `dctx doctor --fix` does, as the last commit of the story."""
    moment = MENDED.replace("T", " ").removesuffix(":00")
    mended = repair(root, moment)
    written: dict[str, bytes] = {}
    for rewrite in mended.rewrites:
        location = os.path.join(root, *rewrite.path.split("/"))
        with open(location, "rb") as file:
            written[rewrite.path] = file.read()
    return ExampleCommit(date=MENDED, subject=SUBJECT, written=written, removed=())


def _commit_all(root: str, stream: bytes) -> str:
    """Gives the files their history; why not, where that cannot be done."""
    if shutil.which("git") is None:
        return NO_GIT
    try:
        _git(root, "init", "--quiet", "--template=", "--initial-branch=main")
        _git(root, "fast-import", "--quiet", "--force", given=stream)
        # The files are there already; git is told that they are those of the last commit.
        _git(root, "reset", "--quiet")
    except (OSError, subprocess.SubprocessError) as error:
        return f"git could not give the example its history: {_reason(error)}."
    return ""


def _git(root: str, *words: str, given: bytes = b"") -> None:
    """Runs git untouched by the settings of whoever calls this."""
    environment: dict[str, str] = {}
    for name, value in os.environ.items():
        if not name.startswith("GIT_"):
            environment[name] = value
    environment["GIT_CONFIG_GLOBAL"] = os.devnull
    environment["GIT_CONFIG_NOSYSTEM"] = "1"

    options: list[str] = []
    for setting in _SETTINGS:
        options += ["-c", setting]
    subprocess.run(
        ["git", *options, *words],
        cwd=root,
        env=environment,
        input=given,
        capture_output=True,
        timeout=SECONDS,
        check=True,
    )


def _reason(error: Exception) -> str:
    said = getattr(error, "stderr", None) or b""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    if lines:
        return lines[-1].rstrip(".")
    return str(error).rstrip(".")


def _remember(root: str) -> None:
    """Its plan and variables go into a file of its own, wherever the user keeps those of others."""
    place = file_place(root, write=True)
    with (
        open(shipped("examples", "remembered.jsonl"), "rb") as rows,
        open_file(place, "", NAME, write=True) as store,
    ):
        read_in(store, rows, lambda _: None)
