"""What `dctx setup` shows: the steps, what was proven, and what comes next."""

from __future__ import annotations

import sys

from director_ctx.clients.hooks.install import remarks
from director_ctx.clients.setup.as_json import new_files
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.overrides import not_agreed, said_of
from director_ctx.doors.cli.clients.hooks_verify import MARKS
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.start.patches import put_patches
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.setup.proof import NextStep
    from director_ctx.clients.verify.proof import Proof

    Lines = list[tuple[str, str]]

BLANKS = " " * 11
"""Before a sentence, so that all of them stand below each other, behind `will` and `proven`."""


def show_steps(steps: Sequence[SetupStep], with_patches: bool) -> None:
    lines: Lines = []
    for step in steps:
        if step.problem:
            lines.append((f"  cannot   {step.says}: {step.problem}", "red"))
            lines.append((f"{BLANKS}{step.hint}", ""))
        elif step.is_done:
            lines.append((f"  already  {step.says}", "dim"))
        else:
            lines.append((f"  will     {step.says}", ""))
    put_lines(lines)
    if with_patches:
        for step in steps:
            put_patches(step.settings, step.config)
            put_lines([(f"+++ {name}", "green") for name in new_files(step)])


def proof_lines(proof: Proof) -> Lines:
    mark, style = MARKS[proof.outcome]
    text = "\n".join((proof.verdict, *proof.details))
    lines: Lines = []
    for line in _wrapped(text):
        lines.append((f"{BLANKS}{line}", style))
    first, _ = lines[0]
    lines[0] = (f"  {mark}{first[2 + len(mark) :]}", style)
    return lines


def _wrapped(text: str) -> list[str]:
    """Whole words on each line of a terminal; a pipe has lines of any length."""
    lines = text.split("\n")
    if not (sys.stdout and sys.stdout.isatty()):
        return lines
    from shutil import get_terminal_size
    from textwrap import wrap

    width = max(20, get_terminal_size().columns - len(BLANKS))
    narrow: list[str] = []
    for line in lines:
        narrow += wrap(line, width, break_long_words=False, break_on_hyphens=False)
    return narrow


def say_what_was_done(root: str, planned: Sequence[SetupStep], steps: Sequence[SetupStep]) -> None:
    for step in steps:
        # What could not even be planned stands above.
        if step.problem and step not in planned:
            say(f"Could not {step.says}: {step.problem}", step.hint)
        elif step.settings and not step.problem:
            for remark in remarks(CLIENTS[step.client], root, root):
                say(*remark)
    if any(step.is_to_do for step in steps):
        say("Done.", "`dctx setup --undo` takes all of it back.")


def say_what_is_not_agreed(root: str) -> None:
    """A repository may bring words of its own for agents; setting up is no consent to them."""
    unused = not_agreed(load_project(root=root))
    if unused:
        say(f"{said_of(unused)}.", "`dctx agents trust` shows it, and asks.")


def next_lines(following: NextStep, names: tuple[str, ...]) -> Lines:
    client = CLIENTS[names[0]]
    lines: Lines = []
    if following.lacking:
        lines.append((f"No agent is given a context yet: {following.lacking}.", "yellow"))
    if following.say:
        lines.append(
            (f"Next: start {client.title} in this folder (anew, if it runs), and say:", "bold")
        )
        lines.append((f"  {following.say}", "green"))
    if following.then:
        lines.append((following.then, ""))
    return lines
