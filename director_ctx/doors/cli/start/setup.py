"""`dctx setup`: shows what it would do, asks, does it, proves it, and says what to say next."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.clients.setup.as_json import setup_json
from director_ctx.clients.setup.carry_out import carry_out
from director_ctx.clients.setup.here import chosen_root, look, named_clients
from director_ctx.clients.setup.plan import SetupRequest, plan_setup
from director_ctx.clients.setup.proof import next_step, proofs
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import FAILED as NOT_PROVEN
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.shared.confirm import answers_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.doors.cli.shared.table import put_lines, sentence_lines
from director_ctx.doors.cli.start.setup_screen import (
    next_lines,
    proof_lines,
    say_what_is_not_agreed,
    say_what_was_done,
    show_steps,
)
from director_ctx.doors.cli.start.setup_undo import undo
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.setup.here import SetupPlace
    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.verify.proof import Proof


def run(values: dict[str, Any]) -> int:
    root = chosen_root(values["root"])
    if values["undo"]:
        return undo(root, values)

    here = look(root)
    asks = is_terminal() and not (values["yes"] or values["dry_run"] or values["json"])
    if not values["json"]:
        put_lines([(f"Setting up dctx in {root}", "bold")])
        put_lines([(line, "dim") for line in sentence_lines(f"Here: {here.says}.")])
    names = _clients(here, values, asks)
    wanted = SetupRequest(names, not values["no_mcp"], _wanted_plans(here, asks))
    steps = plan_setup(here, wanted)
    if not values["json"]:
        show_steps(steps, values["diff"])

    if not _may_go_on(steps, values, asks):
        if values["json"]:
            put_json(setup_json(here, steps, False, (), None))
        return _code(steps, ())
    return _report(here, steps, names, values)


def _clients(here: SetupPlace, values: dict[str, Any], asks: bool) -> tuple[str, ...]:
    """Those that are named, else those that have hooks of dctx, else those that are here; Claude
    Code where none is.
    """
    named = named_clients(here, values["client"])
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
        title = CLIENTS[name].title
        what = (
            f"Hooks and tools go into the settings of {title} for this project;"
            " they hand each agent its context, and fetch more when it asks."
        )
        if answers_yes(f"Put dctx into {title}?", True, what):
            wanted.append(name)
    if not wanted:
        raise DctxError("Nothing was done: no coding agent is left.", "--client names another.")
    return tuple(wanted)


def _wanted_plans(here: SetupPlace, asks: bool) -> tuple[str, ...]:
    """Nothing is taken over unasked: who cannot be asked is told the command."""
    wanted: list[str] = []
    for name in here.plans:
        command = f"dctx init --from {name} --dry-run"
        if not asks:
            say(f"{TITLES[name]} has a plan here, which can be taken over.", command)
            continue
        what = (
            f"Its goals, steps and tasks are written into .director/, and its own files stay as they are;"
            f" `{command}` shows all of it."
        )
        if answers_yes(f"Take over the plan of {TITLES[name]}?", False, what):
            wanted.append(name)
    return tuple(wanted)


def _may_go_on(steps: Sequence[SetupStep], values: dict[str, Any], asks: bool) -> bool:
    if values["dry_run"]:
        return False
    has_work = any(step.is_to_do for step in steps)
    if values["yes"] or not has_work:
        return True
    if not asks:
        if values["json"]:
            return False
        raise DctxError(
            "Nothing was done, because nobody can be asked.",
            "Read what would change, then say --yes.",
        )
    explained = "What is listed as `will` is done; --diff shows each change of a file."
    if answers_yes("Do this?", True, explained):
        return True
    say("Nothing was done.")
    return False


def _report(
    here: SetupPlace, planned: Sequence[SetupStep], names: tuple[str, ...], values: dict[str, Any]
) -> int:
    """Does it, and says what came of it."""
    quiet = values["json"]
    steps = tuple(carry_out(here, planned))
    if not quiet:
        say_what_was_done(here.root, planned, steps)

    shown: list[Proof] = []
    following = None
    # Settings with a mistake, or no folder, have been said: nothing can arrive there.
    if not any(step.problem for step in steps):
        say_what_is_not_agreed(here.root)
        if not values["no_verify"]:
            shown = _prove(here.root, names, quiet)
        following = next_step(here.root, names)

    if quiet:
        put_json(setup_json(here, steps, True, shown, following))
    elif following:
        put_lines(next_lines(following, names))
    return _code(steps, shown)


def _code(steps: Sequence[SetupStep], shown: Sequence[Proof]) -> int:
    """Failed, if anything could not be done or proven."""
    for step in steps:
        if step.problem:
            return FAILED
    for proof in shown:
        if proof.outcome == NOT_PROVEN:
            return FAILED
    return OK


def _prove(root: str, names: tuple[str, ...], quiet: bool) -> list[Proof]:
    shown: list[Proof] = []
    for proof in proofs(root, names, is_off()):
        shown.append(proof)
        # Each is said as soon as it is known: a run of a client takes some seconds.
        if not quiet:
            put_lines(proof_lines(proof))
    return shown
