"""Our section of a file that agents read at the start: put in, brought up to date, taken out to the
byte. Pure.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.skills.by_client import calling

BEGIN, END = b"<!-- dctx:begin -->", b"<!-- dctx:end -->"
FILES = {
    "codex": "AGENTS.md", "claude": "CLAUDE.md", "gemini": "GEMINI.md", "cursor": ".cursor/rules/dctx.mdc",
    "copilot": "AGENTS.md", "vscode": "AGENTS.md",
}  # fmt: skip
HEADS = {
    "cursor": "---\ndescription: Where the plan is, and the commands that read it\nalwaysApply: true\n---\n\n"
}
"""What a new file begins with, where its client wants that."""
LONGEST_NAME = 80
_TEXT = """<!-- dctx:begin -->
## The plan: .director/

{name} is directed from the folder `.director/`: what it is (VISION.md), the gameplan, and goals, steps and tasks as
files. A task is done when its file is called `….done.md`. Ask `dctx` instead of reading the folder file by file:

- `dctx next`: the task to do now, and why; `dctx status`: where everything stands
- `dctx assemble builder --task TASK --inject`: what an agent that builds a task has to know (`verifier`, `planner` and
  others: `dctx profiles`). Let each agent that you spawn run it before it begins, and follow it, unless it was given
  <instructions> for that already (dctx's hooks do so)
- `dctx task done TASK`: after it was built and verified; renames its file and brings every record in line
- `dctx add task 'NAME'`, `dctx idea add 'TEXT'`: new work, and ideas for later
- `dctx doctor`: what disagrees or is odd; `dctx state sync` mends the records

Change the vision, the gameplan or a decision only when the user has agreed. Locked decisions of a step bind you,
Deferred ones are not built. This section is kept by `dctx agents-md`; what is written between its marks is replaced.
<!-- dctx:end -->"""


class Odd(ValueError):
    """Why there is no telling where our section is."""


class Section(Record):
    """Where it is, with its marks and the end of its last line."""

    start: int
    end: int


def section_text(name: str, program: tuple[str, ...] = (PROGRAM,)) -> str:
    return calling(_TEXT.format(name=name[:LONGEST_NAME]), program)


def find_section(data: bytes) -> Section | None:
    """Our section, by marks that have a line each."""
    begins, ends = _lines_of(data, BEGIN), _lines_of(data, END)
    if not begins and not ends:
        return None
    if not begins or not ends:
        raise Odd(
            f"it has {(BEGIN if begins else END).decode()} without {(END if begins else BEGIN).decode()}"
        )
    if len(begins) > 1 or len(ends) > 1 or ends[0] < begins[0]:
        raise Odd("its marks are there more than once, or in the wrong order")
    after = data.find(b"\n", ends[0])
    return Section(begins[0], len(data) if after < 0 else after + 1)


def _lines_of(data: bytes, mark: bytes) -> list[int]:
    """Where a line begins that is nothing but the mark."""
    found, at = [], data.find(mark)
    while at >= 0:
        after = data[at + len(mark) : at + len(mark) + 2]
        begins = data[at - 1 : at] == b"\n" or (at <= 3 and data[:at] in (b"", b"\xef\xbb\xbf"))
        if begins and (after[:1] in (b"", b"\n") or after == b"\r\n"):
            found.append(at)
        at = data.find(mark, at + 1)
    return found


def with_section(data: bytes | None, text: str, head: str = "") -> bytes:
    """The file with our section as it should be. It is put at the end, behind an empty line."""
    if data is None:
        return f"{head}{text}\n".encode()
    found = find_section(data)
    eol = _line_end(data, found.start if found else 0)
    body = text.replace("\n", eol.decode()).encode()
    if found:
        last = eol if data[: found.end].endswith(b"\n") else b""
        return data[: found.start] + body + last + data[found.end :]
    # Where the last line has no end ours has none either, so that taking it out again knows what
    # was there.
    return data + eol + body + eol if _ends_a_line(data) else data + eol + eol + body


def without_section(data: bytes, head: str = "") -> bytes | None:
    """The file as it was before; None where there is nothing but what we made."""
    found = find_section(data)
    if found is None:
        return data
    before, after, eol = data[: found.start], data[found.end :], _line_end(data, found.start)
    if before == head.encode() and not after:
        return None
    before = before.removesuffix(eol)
    return before + after if data[: found.end].endswith(b"\n") else before.removesuffix(eol)


def _ends_a_line(data: bytes) -> bool:
    return data.endswith(b"\n") or data in (b"", b"\xef\xbb\xbf")


def _line_end(data: bytes, start: int) -> bytes:
    """As the first line from there has it."""
    first = data.find(b"\n", start)
    return b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
