"""Our section of a file that agents read at the start: put in, brought up to date, taken out to the
byte. Pure.
"""

from __future__ import annotations

from director_ctx.base.record import Record

BEGIN, END = b"<!-- dctx:begin -->", b"<!-- dctx:end -->"
FILES = {
    "codex": "AGENTS.md",
    "claude": "CLAUDE.md",
    "gemini": "GEMINI.md",
    "cursor": ".cursor/rules/dctx.mdc",
    "copilot": "AGENTS.md",
    "vscode": "AGENTS.md",
}
HEADS = {
    "cursor": "---\ndescription: Where the plan is, and the commands that read it\nalwaysApply: true\n---\n\n"
}
"""What a new file begins with, where its client wants that."""
LONGEST_NAME = 80
_BOM = b"\xef\xbb\xbf"
_TEXT = """<!-- dctx:begin -->
## The plan: .director/

{name} is directed from the folder `.director/`: what it is (VISION.md), the gameplan, and goals, steps and tasks as
files. A task is done when its file is called `….done.md`. Ask `dctx` instead of reading the folder file by file:

- `dctx next`: the task to do now, and why; `dctx status`: where everything stands
- `dctx assemble builder --task TASK --inject`: what an agent that builds a task has to know (`verifier`, `planner` and
  others: `dctx profiles`). Let each agent that you spawn run it before it begins, and follow it, unless it was given
  <instructions> for that already (dctx's hooks do so)
- `dctx task done TASK`: after it was built and verified; renames its file and brings every record in line
- `dctx add task 'NAME'`, `dctx add idea 'TEXT'`: new work, and ideas for later
- `dctx doctor`: what disagrees or is odd; `dctx doctor --fix` mends what can be mended safely

Change the vision, the gameplan or a decision only when the user has agreed. Locked decisions of a step bind you,
Deferred ones are not built. `dctx setup --what rules` keeps this section; what is written between its marks is
replaced.
<!-- dctx:end -->"""


class Odd(ValueError):
    """Why there is no telling where our section is."""


class MarkedSection(Record):
    """Where it is, with its marks and the end of its last line."""

    start: int
    end: int


def section_text(name: str) -> str:
    """The section, which calls `dctx` by its name: a project shares these files, and a path of this
    machine would be wrong everywhere else.
    """
    return _TEXT.format(name=name[:LONGEST_NAME])


def find_section(data: bytes) -> MarkedSection | None:
    """Our section, by marks that have a line each."""
    begins = _lines_of(data, BEGIN)
    ends = _lines_of(data, END)
    if not begins and not ends:
        return None
    if not ends:
        raise Odd(f"it has {BEGIN.decode()} without {END.decode()}")
    if not begins:
        raise Odd(f"it has {END.decode()} without {BEGIN.decode()}")
    is_there_twice = len(begins) > 1 or len(ends) > 1
    if is_there_twice or ends[0] < begins[0]:
        raise Odd("its marks are there more than once, or in the wrong order")

    start = begins[0]
    newline = data.find(b"\n", ends[0])
    if newline < 0:
        return MarkedSection(start, len(data))
    return MarkedSection(start, newline + 1)


def _lines_of(data: bytes, mark: bytes) -> list[int]:
    """Where a line begins that is nothing but the mark."""
    starts: list[int] = []
    at = data.find(mark)
    while at >= 0:
        end = at + len(mark)
        if _begins_a_line(data, at) and _ends_a_line_at(data, end):
            starts.append(at)
        at = data.find(mark, at + 1)
    return starts


def _begins_a_line(data: bytes, at: int) -> bool:
    if at == 0 or data[at - 1 : at] == b"\n":
        return True
    # A mark of the byte order is no part of the first line.
    return data[:at] == _BOM


def _ends_a_line_at(data: bytes, at: int) -> bool:
    following = data[at : at + 2]
    return following[:1] in (b"", b"\n") or following == b"\r\n"


def with_section(data: bytes | None, text: str, head: str = "") -> bytes:
    """The file with our section as it should be. It is put at the end, behind an empty line."""
    if data is None:
        return f"{head}{text}\n".encode()
    section = find_section(data)
    start = section.start if section else 0
    line_end = _line_end(data, start)
    body = text.replace("\n", line_end.decode()).encode()

    if section:
        before = data[: section.start]
        after = data[section.end :]
        if _has_last_end(data, section):
            body += line_end
        return before + body + after
    # Where the last line has no end ours has none either, so that taking it out again knows what
    # was there.
    if _ends_a_line(data):
        return data + line_end + body + line_end
    return data + line_end + line_end + body


def without_section(data: bytes, head: str = "") -> bytes | None:
    """The file as it was before; None where there is nothing but what we made."""
    section = find_section(data)
    if section is None:
        return data
    before = data[: section.start]
    after = data[section.end :]
    if before == head.encode() and not after:
        return None

    line_end = _line_end(data, section.start)
    before = before.removesuffix(line_end)
    if _has_last_end(data, section):
        return before + after
    # The section was put behind a line without an end, so the line end before it is ours as well.
    return before.removesuffix(line_end)


def _has_last_end(data: bytes, section: MarkedSection) -> bool:
    return data[: section.end].endswith(b"\n")


def _ends_a_line(data: bytes) -> bool:
    return data.endswith(b"\n") or data in (b"", _BOM)


def _line_end(data: bytes, start: int) -> bytes:
    """As the first line from there has it."""
    newline = data.find(b"\n", start)
    before = data[start:newline]
    if newline > start and before.endswith(b"\r"):
        return b"\r\n"
    return b"\n"
