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
    from director_ctx.context.layouts import Block

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
    if code != OK or not shown.strip():
        shown = "\n".join(filter(None, (shown.rstrip("\n"), sentences(said)))) or NOTHING
    try:
        put(cut(shown.rstrip("\n") + "\n", command_line(word for word in words if word != INJECT)))
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
    if INJECT not in words[:end]:
        return None
    words = [word for word in words[:end] if word != INJECT] + words[end:]
    command = find(words)
    if command and any(option.name == "inject" for option in command.options):
        words.insert(len(command.name.split()), INJECT)
    return words


def captured(call: Callable[[], int]) -> tuple[int, str, str]:
    """The exit code, and everything that was written meanwhile: the result and what was said beside
    it.
    """
    streams = sys.stdout, sys.stderr
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", "\n", write_through=True)
        for _ in range(2)
    )
    sys.stdout, sys.stderr = out, err
    try:
        code = call()
    finally:
        sys.stdout, sys.stderr = streams
    shown, said = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
    return code, shown, said


def sentences(said: str) -> str:
    """What was meant for a terminal, as plain text."""
    lines = (
        escape_tags(line)[0].strip().removeprefix("dctx: ").removeprefix("hint: ")
        for line in said.splitlines()
    )
    return "\n".join(line for line in lines if line)


def cut(text: str, command: str) -> str:
    """The text, or as many of its lines as there is room for."""
    if characters(text) <= MOST:
        return text
    whole = (
        f"`{command}` prints all of it"
        if characters(command) < LONGEST_LINE
        else "without --inject it is all there"
    )
    end = f"\n(Cut here, of {characters(text):,} characters: {whole}.)\n"
    room = MOST - characters(end)
    kept = text.encode("utf-16-le", "replace")[: room * 2].decode("utf-16-le", "ignore")
    return kept[: kept.rfind("\n") + 1 or len(kept)] + end


def all_fits(blocks: Sequence[Block]) -> bool:
    """Whether a context fits as it is."""
    return characters(SEPARATOR.join(block.text for block in blocks)) < MOST


def rest_fits(blocks: Sequence[Block]) -> bool:
    """Whether it fits without what is protected and too large by itself, which is named instead."""
    kept = [
        block.text
        for block in blocks
        if not block.section.protected or characters(block.text) < MOST
    ]
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
    return assembly.replace(
        text=text, sections=tuple(one for one in assembly.sections if one.text in text)
    )


def assemble_line(values: dict[str, Any]) -> str:
    """The command that makes the same context, without what `--inject` does to it."""
    command = find(("assemble",))
    assert command
    words = ["assemble", *([values["agent"]] if values["agent"] else [])]
    for option in command.options:
        value = values[option.name]
        if option.name in _NOT_REPEATED or not value:
            continue
        given = value if isinstance(value, tuple) else (value,)
        words += (
            [option.flags[0]]
            if option.kind == FLAG
            else [w for one in given for w in (option.flags[0], one)]
        )
    return command_line(words)


def command_line(words: Iterable[str]) -> str:
    from shlex import join

    from director_ctx.base.system.own_name import own_name

    return f"{own_name()} {join(words)}"
