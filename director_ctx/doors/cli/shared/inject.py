"""`--inject`: makes any command fit for a skill that shows its output.

A client gives up the whole skill where a command fails, and cuts what is longer than 30,000
characters. So the output is captured whole, an error becomes a sentence, and what is too long says
how to see the rest.
"""

from __future__ import annotations

import io
import sys

from director_ctx.base.errors import OK
from director_ctx.base.escape import escape_tags
from director_ctx.base.text import characters
from director_ctx.context.divide import divide
from director_ctx.context.layouts import SEPARATOR
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
NO_SECTIONS = "None of the documents that belong here has been written yet; `dctx status` says what there is.\n"
LONGEST_LINE = 1_000
_NOT_REPEATED = ("inject", "only", "output", "copy", "explain", "no_record")


def inject(arguments: Sequence[str], answer: Callable[[list[str]], int]) -> int:
    """Prints what a command answers, or why it does not. The exit code is 0, whatever happens."""
    words = without_flag(arguments)
    if words is None:
        return answer(list(arguments))

    code, shown, said = captured(lambda: answer(words))
    if _tells(words):
        shown, _ = escape_tags(shown)
    shown = shown.rstrip("\n")
    if code != OK or not shown.strip():
        parts = filter(None, (shown, sentences(said)))
        shown = "\n".join(parts) or NOTHING
        shown = shown.rstrip("\n")

    line = command_line(word for word in words if word != INJECT)
    try:
        put(cut(f"{shown}\n", line))
    except OSError:
        abandon_output()
    return OK


def _tells(words: Sequence[str]) -> bool:
    """Whether a command only tells of a project; what stands in the real sections of the others was
    escaped before.
    """
    command = find(words)
    return command is None or command.name not in ("assemble", "skill render")


def without_flag(arguments: Sequence[str]) -> list[str] | None:
    """The command line without `--inject`, but for a command that knows it; None if it is only
    data, behind `--`.
    """
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    options, data = words[:end], words[end:]
    if INJECT not in options:
        return None

    words = [word for word in options if word != INJECT] + data
    command = find(words)
    if command and "inject" in (option.name for option in command.options):
        behind_name = len(command.name.split())
        words.insert(behind_name, INJECT)
    return words


def captured(call: Callable[[], int]) -> tuple[int, str, str]:
    """The exit code, and everything that was written meanwhile: the result and what was said beside
    it.
    """
    out, out_data = _stream()
    err, err_data = _stream()
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        code = call()
    finally:
        sys.stdout, sys.stderr = streams

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

    room = MOST - characters(end)
    kept = text.encode("utf-16-le", "replace")[: room * 2].decode("utf-16-le", "ignore")
    # A single line that is too long is cut in its midst.
    last_line_end = kept.rfind("\n") + 1
    return kept[: last_line_end or len(kept)] + end


def all_fits(blocks: Sequence[PrintedBlock]) -> bool:
    """Whether a context fits as it is."""
    return characters(SEPARATOR.join(block.text for block in blocks)) < MOST


def rest_fits(blocks: Sequence[PrintedBlock]) -> bool:
    """Whether it fits without what is protected and too large by itself, which is named instead."""
    kept = []
    for block in blocks:
        if not block.section.protected or characters(block.text) < MOST:
            kept.append(block.text)
    return characters(SEPARATOR.join(kept)) < MOST - LONGEST_LINE


SIZES = (all_fits, rest_fits)
"""Nothing is only named where all of it can be shown in some form."""


def shortened(assembly: Assembly, values: dict[str, Any]) -> Assembly:
    """A context whose sections all fit, or name the command that prints them."""
    if not assembly.sections:
        return assembly.replace(text=NO_SECTIONS)

    line = assemble_line(values)
    text = assembly.text
    if characters(text) > MOST:
        (text,) = divide(assembly.sections, MOST - 1, 1, lambda tag: f"{line} --only {tag}")
        text += "\n"

    note = f"\nSome of this was shortened to fit here; `{line}` prints it as it is without that.\n"
    if assembly.reductions and characters(text + note) <= MOST:
        text += note

    whole = tuple(section for section in assembly.sections if section.text in text)
    return assembly.replace(text=text, sections=whole)


def assemble_line(values: dict[str, Any]) -> str:
    """The command that makes the same context, without what `--inject` does to it."""
    command = find(("assemble",))
    assert command

    words = ["assemble"]
    if values["agent"]:
        words.append(values["agent"])
    for option in command.options:
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
    from shlex import join

    from director_ctx.base.system.own_name import own_name

    return f"{own_name()} {join(words)}"
