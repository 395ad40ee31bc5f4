"""`--inject`: makes any command fit for a skill that shows its output.

A client gives up the whole skill where a command fails, and cuts what is longer than 30,000
characters. So the output is captured whole, an error becomes a sentence, and what is too long says
how to see the rest.
"""

from __future__ import annotations

import io
import sys

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.escape import escape_boundaries, escape_tags
from director_ctx.base.system.own_name import own_name
from director_ctx.base.text import characters
from director_ctx.context.divide import JOIN, Division, Parts
from director_ctx.context.settings.request import chosen_tags, is_tag
from director_ctx.doors.cli.shared.menu import find
from director_ctx.doors.cli.shared.options import FLAG
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.speak import abandon_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from director_ctx.context.assembly import Assembly
    from director_ctx.context.layouts import PrintedBlock

INJECT = "--inject"
MOST = 29_000
"""Characters, as the clients count them."""
NOTHING = "There is nothing to show."
NO_MORE = "Nothing more: all of it stands above."
NO_SECTIONS = (
    "None of the documents that belong here has been written yet; `dctx status` says what there is."
)
LONGEST_LINE = 1_000
_SECTIONS = ("assemble",)
"""Commands that print sections with tags of their own, whose contents they have escaped."""
_DOCUMENTS = ("skill show", "task show")
"""Commands that print a document."""
_NOT_REPEATED = ("inject", "part", "only", "output", "copy", "explain", "no_record")


def inject(arguments: Sequence[str], answer: Callable[[list[str]], int]) -> int:
    """Prints what a command answers, or why it does not. The exit code is 0, whatever happens."""
    words = without_flag(arguments)
    if words is None:
        return answer(list(arguments))

    code, shown, said = capture(lambda: answer(words))
    command = find(words)
    name = command.name if command else ""
    if name not in _SECTIONS and not (name == "skill show" and "--rendered" in words):
        escape = escape_boundaries if name in _DOCUMENTS else escape_tags
        shown, _ = escape(shown)
    shown = shown.rstrip("\n")
    if code != OK or not shown.strip():
        # A client that sees a failure gives up the skill, so what went wrong is part of the text.
        parts = filter(None, (shown, sentences(said)))
        shown = "\n".join(parts) or NOTHING
        shown = shown.rstrip("\n")

    line = command_line(word for word in words if word != INJECT)
    try:
        put(cut(f"{shown}\n", line))
    except OSError:
        abandon_output()
    return OK


def without_flag(arguments: Sequence[str]) -> list[str] | None:
    """The command line with `--inject` only where the command itself may read it; None if it is
    data, behind `--`.
    """
    words = list(arguments)
    end = len(words)
    if "--" in words:
        end = words.index("--")
    options = words[:end]
    data = words[end:]
    if INJECT not in options:
        return None

    plain_options = [word for word in options if word != INJECT]
    words = [*plain_options, *data]
    command = find(words)
    if command:
        # A context is also judged by its characters, so `assemble` has to know of the flag itself.
        behind_name = len(command.name.split())
        words.insert(behind_name, INJECT)
    return words


def capture(call: Callable[[], int]) -> tuple[int, str, str]:
    """The exit code, and everything that was written meanwhile: the result and what was said beside
    it.
    """
    out, out_data = _stream()
    err, err_data = _stream()
    # Printed at once it could not be taken back, and the skill would show half of an answer.
    real_streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        code = call()
    finally:
        sys.stdout, sys.stderr = real_streams

    shown = out_data.getvalue().decode("utf-8", "replace")
    said = err_data.getvalue().decode("utf-8", "replace")
    return code, shown, said


def _stream() -> tuple[io.TextIOWrapper, io.BytesIO]:
    """A stream, and what is written to it."""
    data = io.BytesIO()
    return io.TextIOWrapper(data, "utf-8", "replace", "\n", write_through=True), data


def sentences(said: str) -> str:
    """What was meant for a terminal, as plain text."""
    lines = []
    for line in said.splitlines():
        text, _ = escape_tags(line)
        text = text.strip().removeprefix("dctx: ").removeprefix("hint: ")
        if text:
            lines.append(text)
    return "\n".join(lines)


def cut(text: str, command: str) -> str:
    """The text, or as many of its lines as there is room for."""
    if characters(text) <= MOST:
        return text

    way = "without --inject it is all there"
    if characters(command) < LONGEST_LINE:
        way = f"`{command}` prints all of it"
    end = f"\n(Cut here, of {characters(text):,} characters: {way}.)\n"

    # Clients written in JavaScript count UTF-16 units, two bytes each; half a pair is left out.
    room = MOST - characters(end)
    units = text.encode("utf-16-le", "replace")[: room * 2]
    beginning = units.decode("utf-16-le", "ignore")
    last_line_end = beginning.rfind("\n") + 1
    if last_line_end:
        beginning = beginning[:last_line_end]
    # Otherwise it is a single line that is too long, and cut in its midst.
    return beginning + end


class Injection:
    """How a context goes into a skill: as one text, or as one of several parts."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._number, most = _part(values["part"])
        # A line end stands behind each part.
        self._parts = Parts(MOST - 1, most, self._command)
        names = ",".join(values["only"]).split(",")
        self._only = chosen_tags(tuple(filter(is_tag, names)), "--only")
        self._line = ""

    @property
    def is_first(self) -> bool:
        return self._number == 1

    def left_out(
        self, blocks: Sequence[PrintedBlock], dropped: Sequence[PrintedBlock]
    ) -> frozenset[str]:
        """The tags of what finds no space beside the names of what was dropped."""
        return Division(self._of_only(blocks), self._parts, self._of_only(dropped)).left_out

    def _of_only(self, blocks: Sequence[PrintedBlock]) -> Sequence[PrintedBlock]:
        if not self._only:
            return blocks
        return [block for block in blocks if block.tag in self._only]

    def _command(self, tag: str) -> str:
        return f"{self._same_line()} --only {tag}"

    def _same_line(self) -> str:
        """The command that makes the same context without a limit to its text."""
        if not self._line:
            self._line = assemble_line(self._values)
        if characters(self._line) < LONGEST_LINE:
            return self._line
        return f"{own_name()} assemble ..."

    def printed(self, assembly: Assembly) -> tuple[Assembly, Assembly]:
        """This part of a context whose sections all fit, or name the command that prints them; and
        what all its parts say.
        """
        division = Division(assembly.sections, self._parts, assembly.too_large)
        texts = list(division.texts())
        if not texts:
            texts = [NO_SECTIONS]
        elif assembly.reductions:
            note = f"\n\nSome of this was shortened to fit here; `{self._same_line()}` prints it as it is without that."
            if characters(texts[-1] + note) < MOST:
                texts[-1] += note

        # The run record is to say what the agent was told, not what there would have been.
        sections = [one for one in assembly.sections if one.tag not in division.left_out]
        told = assembly.replace(text=JOIN.join(texts) + "\n", sections=tuple(sections))
        text = NO_MORE
        if self._number <= len(texts):
            text = texts[self._number - 1]
        return told.replace(text=f"{text}\n"), told


def _part(word: str | None) -> tuple[int, int]:
    """Which part, and of how many."""
    if word is None:
        return 1, 1
    number, _, most = word.partition("/")
    is_plain = number.isdecimal() and most.isdecimal() and len(word) < 8
    if not is_plain or not 0 < int(number) <= int(most):
        raise UsageProblem(f"--part: {word[:40]!r} is no part.", "Write which of how many: 2/3.")
    return int(number), int(most)


def assemble_line(values: dict[str, Any]) -> str:
    """The command that makes the same context, without what `--inject` does to it."""
    command = find(("assemble",))
    assert command

    words = ["assemble"]
    if values["agent"]:
        words.append(values["agent"])
    for option in command.every_option:
        value = values[option.name]
        if option.name in _NOT_REPEATED or not value:
            continue
        flag = option.flags[0]
        if option.kind == FLAG:
            words.append(flag)
        elif isinstance(value, tuple):
            for part in value:
                words += [flag, part]
        else:
            words += [flag, value]
    return command_line(words)


def command_line(words: Iterable[str]) -> str:
    # It imports `re`, for a line that is only shown where something was cut.
    from shlex import join

    return f"{own_name()} {join(words)}"
