"""Writes down what an agent was told, after it was told. Never required, never fatal.

A run is one line, appended with one write, so that many at once do not mix. The texts of its
sections lie beside it under their hashes, each once. `forget` keeps both small.
"""

from __future__ import annotations

import os
import stat
import time

from director_ctx.base.hashing import digest
from director_ctx.base.light_json import dump
from director_ctx.base.record import as_dict
from director_ctx.memory.runs.run import Run, RunOccasion, RunSection, run_line
from director_ctx.memory.runs.storage import (
    BINARY,
    LARGEST_RECORD,
    LARGEST_TEXT,
    RECORD,
    SAFE,
    text_path,
    texts_folder,
)
from director_ctx.project.dctx_folder import make_kept_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


SWITCH = "DCTX_RECORD"
UNKNOWN = RunOccasion()
MOST_TOLD = 500
"""Cuts, and documents that were not chosen: a project may have thousands of them."""
STRIDE = 64_000
"""The texts are looked through each time the record has grown by so much."""
MUCH_TEXT = 128_000
"""Or at once after so much new text."""


def record(project: Project, assembly: Assembly, occasion: RunOccasion = UNKNOWN) -> None:
    """One line and the texts of the sections, unless the user or the project wants none. Never
    fails.
    """
    switch = os.environ.get(SWITCH, "").casefold()
    if switch in ("off", "0", "no", "false") or not assembly.recorded:
        return

    datas = [section.text.encode("utf-8", "replace") for section in assembly.sections]
    # What was cut and what was not chosen, as `account` reads it.
    account = {
        "cuts": list(map(as_dict, assembly.reductions[:MOST_TOLD])),
        "not_chosen": list(map(as_dict, assembly.omissions[:MOST_TOLD])),
        "stable": assembly.stable_prefix_tokens,
    }
    datas.append(dump(account).encode("ascii"))
    *hashes, sha256 = map(digest, datas)
    run = make_run(assembly, hashes).replace(**as_dict(occasion), account=sha256)
    add_run(project.root, run, dict(zip([*hashes, sha256], datas, strict=True)))


def make_run(assembly: Assembly, hashes: list[str]) -> Run:
    """The run of this assembly; the hashes are those of its sections."""
    budget = assembly.budget
    text = assembly.text
    stable = text[: assembly.stable_prefix_chars]
    return Run(
        id=f"r{os.urandom(3).hex()}",
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        agent=assembly.agent,
        task=str((assembly.task or {}).get("ref", "")),
        window=budget.window,
        limit=budget.limit,
        used=budget.used,
        status=budget.status,
        counter=assembly.counter.name,
        sections=tuple(
            RunSection(section.tag, section.tokens, sha256)
            for section, sha256 in zip(assembly.sections, hashes, strict=True)
        ),
        # Each rung of the ladder once, in the order in which they were taken.
        reductions=tuple(dict.fromkeys(reduction.rung for reduction in assembly.reductions)),
        prefix=digest(stable.encode("utf-8", "replace")),
        sha256=digest(text.encode("utf-8", "replace")),
    )


def add_run(root: str, run: Run, texts: Mapping[str, bytes]) -> bool:
    """Writes a run down, then its texts by hash; False where the line could not be written."""
    line = run_line(run).encode("ascii")
    try:
        before, after = _append(make_kept_path(root, RECORD), line)
    except OSError:
        return False
    try:
        top = texts_folder(root)
        os.makedirs(top, 0o700, exist_ok=True)
        new_bytes = sum(_keep_text(top, name, data) for name, data in texts.items())
        is_due = before // STRIDE != after // STRIDE
        if is_due or after > LARGEST_RECORD or new_bytes > MUCH_TEXT:
            from director_ctx.memory.runs.forget import forget

            forget(root)
    except OSError:
        pass  # a line without its texts is still a line
    return True


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
            # A last line that a full disk cut short is left to itself.
            os.lseek(descriptor, max(0, size - 1), os.SEEK_SET)
            start = b"" if os.read(descriptor, 1) in (b"", b"\n") else b"\n"
            # In one write, so that the lines of many processes do not mix.
            os.write(descriptor, start + line)
            if os.path.samestat(os.lstat(path), status):
                return size, size + len(line)
        finally:
            os.close(descriptor)
    raise OSError(f"{path} does not stay in place")


def _keep_text(top: str, name: str, data: bytes) -> int:
    """Keeps one text if it is not there already; how many bytes that took."""
    path = text_path(top, name)
    try:
        # One of another size is not this text, and is written anew.
        if os.lstat(path).st_size == len(data):
            return 0
    except FileNotFoundError:
        pass
    if len(data) > LARGEST_TEXT:
        return 0

    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    # Beside it first, so that nobody ever reads a part of it.
    beside = f"{path}.{os.urandom(4).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE | BINARY
    with open(os.open(beside, flags, 0o600), "wb", 0) as file:
        file.write(data)
    os.replace(beside, path)
    return len(data)
