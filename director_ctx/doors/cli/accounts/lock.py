"""`dctx lock` and `dctx lock verify`: what an agent was told, a month later."""

from __future__ import annotations

import json

from director_ctx.assembling.locks.compare import difference_json
from director_ctx.assembling.locks.lock import LockedContext, make_lock
from director_ctx.assembling.locks.lockfile import Lock, lock_json, parse_lock
from director_ctx.assembling.locks.reproduce import Again, make_again
from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.doors.cli.contexts.assemble import library_options
from director_ctx.doors.cli.shared.output import json_text, put, put_file, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.doors.cli.shared.text_input import read_named
from director_ctx.project.git.revision import is_shallow
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.assembling.locks.compare import SectionDifference

OWN = ("agent", "root", "output")
MOST_SHOWN = 10


def run(values: dict[str, Any]) -> int:
    """Writes the lock, then says what of it cannot be made again."""
    project = load_project(root=values["root"])
    # A lock holds what was asked for; a flag that nobody set was not.
    options = {}
    for name, value in library_options(values, OWN).items():
        if value is not False:
            options[name] = value

    locked = make_lock(project, values["agent"], options)
    text = json_text(lock_json(locked.lock))
    if values["output"]:
        put_file(values["output"], text)
    else:
        put(text)

    _warn(locked)
    if locked.lock.git and is_shallow(project.root):
        say(
            "warning: this clone is shallow; a whole one may know of more recent changes, and make another context"
        )
    return OK


def _warn(locked: LockedContext) -> None:
    for warning in locked.assembly.warnings:
        say(f"warning: {warning}")
    lock = locked.lock
    if lock.git is None:
        say(f"warning: this context cannot be made again: {locked.why}")
        return
    if not lock.unreproducible:
        return

    count = len(lock.unreproducible)
    used = sum(file.used for file in lock.unreproducible)
    line = f"{_files(count)} not as in {lock.git.commit[:7]}; "
    line += f"{used or 'none'} of them went into this context"
    if used:
        line += ", and without them it cannot be made again"
    say(f"warning: {line}")

    used_first = sorted(lock.unreproducible, key=lambda file: not file.used)
    for file in used_first[:MOST_SHOWN]:
        line = f"  {file.path}: {file.how}"
        if file.used:
            line += ", used"
        say(line)
    if count > MOST_SHOWN:
        say(f"  and {count - MOST_SHOWN} more; the lock lists them all")


def _files(count: int) -> str:
    if count == 1:
        return "1 file is"
    return f"{count:,} files are"


def verify(values: dict[str, Any]) -> int:
    """Makes the context again; exit 1 if it is another."""
    lock = read_lock(values["file"])
    again = make_again(repository(values["root"]), lock)
    if values["json"]:
        put_json(_json(lock, again))
    elif values["text"]:
        put(again.assembly.text)
        say(_verdict(lock, again))
    else:
        _show(lock, again)
    return OK if again.identical else FAILED


def read_lock(name: str) -> Lock:
    try:
        return parse_lock(json.loads(read_named(name, "lock verify")))
    except (ValueError, RecursionError) as error:
        raise DctxError(
            "This is not a lock: it is not valid JSON.", "Give it what `dctx lock` wrote."
        ) from error


def repository(root: str | None) -> str:
    """The project, or the folder itself: a project may be gone from a repository that still knows
    it.
    """
    try:
        return load_project(root=root).root
    except DctxError:
        return absolute(root or ".")


def _verdict(lock: Lock, again: Again) -> str:
    context = f"the context for {lock.agent}"
    if lock.task:
        context += f", task {lock.task}"
    commit = ""
    if lock.git:
        commit = lock.git.commit[:7]
    if again.identical:
        tokens = again.assembly.budget.used
        return f"Identical: {context}, {tokens:,} tokens, made again from {commit}."
    return f"Not the same: {context}, made again from {commit}."


def _show(lock: Lock, again: Again) -> None:
    verdict = _verdict(lock, again)
    if again.identical:
        put_lines([(verdict, "bold green")])
        return

    put_lines([(verdict, "bold red")])
    rows = [_row(difference, again) for difference in again.comparison.sections]
    put_table(["Section", "What", ">Locked", ">Again", "Files"], rows)

    lines = [f"Why: {reason}." for reason in again.reasons[:MOST_SHOWN]]
    more = len(again.reasons) - MOST_SHOWN
    if more > 0:
        lines.append(f"And {more} reasons more; --json lists them all.")
    if not lines:
        lines = ["Why it differs is not known."]
    put_unstyled(lines)


def _row(difference: SectionDifference, again: Again) -> list[str]:
    old, new = difference.old, difference.new
    files = again.by_section.get(difference.tag, ())
    return [
        difference.tag,
        difference.what,
        f"{old.tokens:,}" if old else "-",
        f"{new.tokens:,}" if new else "-",
        ", ".join(files[:3]),
    ]


def _json(lock: Lock, again: Again) -> dict[str, Any]:
    sections = []
    for difference in again.comparison.sections:
        files = again.by_section.get(difference.tag, ())
        sections.append({**difference_json(difference), "files": list(files)})
    return {
        "identical": again.identical,
        "agent": lock.agent,
        "task": lock.task,
        "commit": lock.git and lock.git.commit,
        "first_difference": again.comparison.first or None,
        "same_tokens": again.comparison.same_tokens,
        "sections": sections,
        "reasons": list(again.reasons),
    }
