"""`dctx setup`: shows what it would do, asks, does it, proves it, and says what to say next."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.clients.hooks.install import remarks
from director_ctx.clients.hooks.undecided import undecided
from director_ctx.clients.program import clients_named
from director_ctx.clients.setup.as_json import new_files, setup_json
from director_ctx.clients.setup.carry_out import carry_out
from director_ctx.clients.setup.here import look
from director_ctx.clients.setup.plan import SetupRequest, plan_setup
from director_ctx.clients.setup.proof import next_step, proofs
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import FAILED as NOT_PROVEN
from director_ctx.context.settings.overrides import not_agreed, said_of
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.clients.hooks_verify import MARKS
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.general_purpose import wants_builder
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.start.patches import put_patches
from director_ctx.doors.cli.start.setup_undo import undo
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import absolute, locate
from director_ctx.project.reading.search import nearest

TYPE_CHECKING = False
BLANKS = " " * 11
"""Before a sentence, so that all of them stand below each other, behind `will` and `proven`."""

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.setup.here import Here
    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.setup.proof import NextStep
    from director_ctx.clients.verify.proof import Proof


def run(values: dict[str, Any]) -> int:
    if values["general_purpose"] and values["no_general_purpose"]:
        raise UsageProblem(
            "--general-purpose and --no-general-purpose exclude each other.", "Choose one of them."
        )
    root = chosen_root(values["root"])
    if values["undo"]:
        return undo(root, values)

    here = look(root)
    asks = is_terminal() and not (values["yes"] or values["dry_run"] or values["json"])
    if not values["json"]:
        put_lines([(f"Setting up dctx in {root}", "bold"), (f"Here: {here.says}.", "dim")])
    names = _clients(here, values, asks)
    steps = plan_setup(here, _request(here, names, values, asks))
    if not values["json"]:
        _show(steps, values["diff"])

    if not _may_go_on(steps, values, asks):
        if values["json"]:
            put_json(setup_json(here, steps, False, (), None))
        return OK
    done = tuple(carry_out(here, steps))
    return _report(here, done, names, values)


def chosen_root(named: str | None) -> str:
    """The project that is named, the one around this folder, or this folder, to become one."""
    if named:
        root = absolute(named)
        if not os.path.isdir(root):
            raise DctxError(f"There is no folder {named}.", "Make it first, or name another.")
        return root

    root = absolute(".")
    if os.environ.get("DCTX_ROOT") or nearest(root):
        return locate()
    if os.path.realpath(root) == os.path.realpath(os.path.expanduser("~")):
        raise DctxError(
            "This is your home folder, and no project.",
            "Change into the folder of a project, or name it with --root.",
        )
    return root


def _clients(here: Here, values: dict[str, Any], asks: bool) -> tuple[str, ...]:
    """Those that are named, else those that have hooks of dctx, else those that are here; Claude
    Code where none is.
    """
    named = _named_clients(here, values["client"])
    if named:
        return named
    if here.connected:
        # Somebody has chosen before, so nobody is asked again.
        for name in here.clients:
            if name not in here.connected:
                say(f"{CLIENTS[name].title} is here, too.", f"dctx setup --client {name}")
        return here.connected
    if not here.clients:
        say(
            "No coding agent was found here, so this is for Claude Code.", "--client names another."
        )
        return ("claude",)
    if not asks or len(here.clients) == 1:
        return here.clients

    wanted: list[str] = []
    for name in here.clients:
        if _says_yes(f"Put dctx into {CLIENTS[name].title}?"):
            wanted.append(name)
    if not wanted:
        raise DctxError("Nothing was done: no coding agent is left.", "--client names another.")
    return tuple(wanted)


def _named_clients(here: Here, named: Sequence[str]) -> tuple[str, ...]:
    names: list[str] = []
    for name in named:
        if name == "all":
            names += here.clients
            continue
        for client in clients_named(name):
            names.append(client.name)
    return tuple(dict.fromkeys(names))


def _request(
    here: Here, names: tuple[str, ...], values: dict[str, Any], asks: bool
) -> SetupRequest:
    if values["general_purpose"] or values["no_general_purpose"]:
        return SetupRequest(names, not values["no_general_purpose"], decided=True)
    give = True
    if asks and _is_open(here, names):
        give = wants_builder()
    return SetupRequest(names, give)


def _is_open(here: Here, names: tuple[str, ...]) -> bool:
    """Whether there is something to ask: a project may have answered already."""
    if not here.folder:
        return True
    clients = [CLIENTS[name] for name in names]
    try:
        return bool(undecided(load_project(root=here.root), clients))
    except DctxError:
        return False  # a mistake in dctx.yaml is said with its step


def _says_yes(question: str) -> bool:
    # What is asked about stands on standard output, before the question.
    if sys.stdout:
        sys.stdout.flush()
    return says_yes(question, usual=True)


def _show(steps: Sequence[SetupStep], with_patches: bool) -> None:
    lines: list[tuple[str, str]] = []
    for step in steps:
        if step.problem:
            lines.append((f"  cannot   {step.says}: {step.problem}", "red"))
            lines.append((f"           {step.hint}", ""))
        elif step.is_done:
            lines.append((f"  already  {step.says}", "dim"))
        else:
            lines.append((f"  will     {step.says}", ""))
    put_lines(lines)
    if with_patches:
        for step in steps:
            put_patches(step.settings, step.config)
            put_lines([(f"+++ {name}", "green") for name in new_files(step)])


def _may_go_on(steps: Sequence[SetupStep], values: dict[str, Any], asks: bool) -> bool:
    if values["dry_run"]:
        return False
    has_work = any(not step.is_done and not step.problem for step in steps)
    if values["yes"] or not has_work:
        return True
    if not asks:
        if values["json"]:
            return False
        raise DctxError(
            "Nothing was done, because nobody can be asked.", "Read it, then say --yes."
        )
    if _says_yes("Do this?"):
        return True
    say("Nothing was done.")
    return False


def _report(
    here: Here, steps: Sequence[SetupStep], names: tuple[str, ...], values: dict[str, Any]
) -> int:
    if not values["json"]:
        _say_what_was_done(here.root, steps)
    failed = [step for step in steps if step.problem]
    shown: list[Proof] = []
    following = None
    # Settings with a mistake, or no folder, have been said: nothing can arrive there.
    if not failed:
        _say_what_is_not_agreed(here.root)
        if not values["no_verify"]:
            shown = _prove(here.root, names, values["json"])
        following = next_step(here.root, names)

    if values["json"]:
        put_json(setup_json(here, steps, True, shown, following))
    elif following:
        put_lines(_next_lines(following, names))
    is_unproven = any(proof.outcome == NOT_PROVEN for proof in shown)
    if failed or is_unproven:
        return FAILED
    return OK


def _prove(root: str, names: tuple[str, ...], quiet: bool) -> list[Proof]:
    shown: list[Proof] = []
    for proof in proofs(root, names, is_off()):
        shown.append(proof)
        # Each is said as soon as it is known: a run of a client takes some seconds.
        if not quiet:
            put_lines(_proof_lines(proof))
    return shown


def _proof_lines(proof: Proof) -> list[tuple[str, str]]:
    mark, style = MARKS[proof.outcome]
    text = "\n".join((proof.verdict, *proof.details))
    lines: list[tuple[str, str]] = []
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


def _say_what_was_done(root: str, steps: Sequence[SetupStep]) -> None:
    for step in steps:
        if step.problem:
            say(f"Could not {step.says}: {step.problem}", step.hint)
        elif step.settings:
            for remark in remarks(CLIENTS[step.client], root, root):
                say(*remark)
    if any(not step.is_done and not step.problem for step in steps):
        say("Done.", "`dctx setup --undo` takes all of it back.")


def _say_what_is_not_agreed(root: str) -> None:
    """A repository may bring words of its own for agents; setting up is no consent to them."""
    unused = not_agreed(load_project(root=root))
    if unused:
        say(f"{said_of(unused)}.", "`dctx agents trust` shows it, and asks.")


def _next_lines(following: NextStep, names: tuple[str, ...]) -> list[tuple[str, str]]:
    client = CLIENTS[names[0]]
    lines: list[tuple[str, str]] = []
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
