"""Writes down what an agent was told, after it was told. Never required, never fatal.

A run is one line, appended with one write, so that many at once do not mix. The texts of its
sections lie beside it under their hashes, each once. `forget` keeps both small.
"""

from __future__ import annotations

import os
import stat
import time

from director_ctx.base.hashing import digest
from director_ctx.memory.runs.run import Run, RunSection, run_line
from director_ctx.memory.runs.storage import (
    BINARY,
    LARGEST_RECORD,
    LARGEST_TEXT,
    RECORD,
    SAFE,
    text_place,
    texts_folder,
)
from director_ctx.project.dctx_folder import make_kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


STRIDE = 64_000
"""The texts are looked through each time the record has grown by so much."""
MUCH_TEXT = 128_000
"""Or at once after so much new text."""


def add_run(root: str, run: Run, texts: Mapping[str, bytes]) -> bool:
    """Writes a run down, then its texts by hash; False where the line could not be written."""
    line = run_line(run).encode("ascii")
    try:
        before, after = _append(make_kept_path(root, RECORD), line)
    except OSError:
        return False
    try:
        new = _keep_all(root, texts)
        is_due = before // STRIDE != after // STRIDE
        if is_due or after > LARGEST_RECORD or new > MUCH_TEXT:
            from director_ctx.memory.runs.forget import forget

            forget(root)
    except OSError:
        pass  # a line without its texts is still a line
    return True


def _keep_all(root: str, texts: Mapping[str, bytes]) -> int:
    top = texts_folder(root)
    os.makedirs(top, 0o700, exist_ok=True)
    return sum(_keep(top, name, data) for name, data in texts.items())


def _append(path: str, line: bytes) -> tuple[int, int]:
    """Sizes before and after. If the file was replaced by a shorter one meanwhile, the line goes
    there too.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | SAFE | BINARY
    for _ in range(9):
        descriptor = os.open(path, flags, 0o600)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(f"{path} is not a regular file")
            size = status.st_size
            if _ends_well(descriptor, size):
                os.write(descriptor, line)
            else:
                os.write(descriptor, b"\n" + line)
            if _same(os.lstat(path), status):
                return size, size + len(line)
        finally:
            os.close(descriptor)
    raise OSError(f"{path} does not stay in place")


def _ends_well(descriptor: int, size: int) -> bool:
    """Whether the last line is whole; one that a full disk cut short is left to itself."""
    if not size:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_ino, one.st_dev) == (other.st_ino, other.st_dev)


def _keep(top: str, name: str, data: bytes) -> int:
    """Keeps one text if it is not there already; how many bytes that took."""
    path = text_place(top, name)
    try:
        if os.lstat(path).st_size == len(data):
            return 0
    except FileNotFoundError:
        pass
    if len(data) > LARGEST_TEXT:
        return 0
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    beside = f"{path}.{os.urandom(4).hex()}.tmp"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE | BINARY, 0o600)
    with open(descriptor, "wb", 0) as file:
        file.write(data)
    os.replace(beside, path)
    return len(data)


SWITCH = "DCTX_RECORD"


def record(project: Project, assembly: Assembly) -> None:
    """One line and the texts of the sections, unless the user or the project wants none. Never
    fails.
    """
    is_off = os.environ.get(SWITCH, "").casefold() in ("off", "0", "no", "false")
    if is_off or not assembly.recorded:
        return
    texts = [section.text.encode("utf-8", "replace") for section in assembly.sections]
    hashes = [digest(text) for text in texts]
    run = make_run(assembly, hashes)
    add_run(project.root, run, dict(zip(hashes, texts, strict=True)))


def make_run(assembly: Assembly, hashes: list[str]) -> Run:
    budget = assembly.budget
    text = assembly.text
    task = assembly.task or {}
    stable = text[: assembly.stable_prefix_chars]
    sections: list[RunSection] = []
    for section, sha256 in zip(assembly.sections, hashes, strict=True):
        sections.append(RunSection(section.tag, section.tokens, sha256))
    # Each rung of the ladder once, in the order in which they were taken.
    rungs = dict.fromkeys(reduction.rung for reduction in assembly.reductions)
    return Run(
        id=f"r{os.urandom(3).hex()}",
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        agent=assembly.agent,
        task=str(task.get("ref", "")),
        window=budget.window,
        limit=budget.limit,
        used=budget.used,
        status=budget.status,
        counter=assembly.counter.name,
        sections=tuple(sections),
        reductions=tuple(rungs),
        prefix=digest(stable.encode("utf-8", "replace")),
        sha256=digest(text.encode("utf-8", "replace")),
    )
