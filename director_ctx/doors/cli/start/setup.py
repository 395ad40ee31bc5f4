"""`dctx setup`: shows what it would do, asks, does it, proves it, and says what to say next; or takes it out
again.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.clients.parts.hooks import TWICE, installations, runs_twice
from director_ctx.clients.parts.part import HOOKS, SERVER, Wish
from director_ctx.clients.parts.servers import QUESTION
from director_ctx.clients.parts.table import PARTS, USUAL
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.setup.here import chosen_root, look, named_clients
from director_ctx.clients.setup.plan import SetupRequest, carry_out, plan_setup, steps_json
from director_ctx.clients.setup.proof import next_step, proofs
from director_ctx.clients.setup.undo import UndoRequest, carry_out_undo, plan_undo
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import FAILED as NOT_PROVEN
from director_ctx.clients.verify.standing import switches
from director_ctx.context.settings.overrides import not_agreed, said_of
from director_ctx.doors.cli.clients.agents_verify import MARKS
from director_ctx.doors.cli.clients.hook import is_off
from director_ctx.doors.cli.clients.mcp import writable_areas
from director_ctx.doors.cli.shared.confirm import answers_yes, says_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.patches import put_patch
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.doors.cli.shared.table import put_lines, sentence_lines
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import NoProject, locate
from director_ctx.project.taken import TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.clients.setup.here import SetupPlace
    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.setup.proof import NextStep
    from director_ctx.clients.verify.proof import Proof

    Lines = list[tuple[str, str]]

ALL = "all"
COLUMN = 11
"""Where sentences begin, so that all of them stand below each other, behind `will` and `proven`."""


def run(values: dict[str, Any]) -> int:
    if values["trust"]:
        from director_ctx.doors.cli.start.setup_trust import trust

        return trust(values)
    parts = _parts(values)
    if values["undo"]:
        return _undo(values, parts)
    # Whoever names parts wants these, and neither a folder nor a plan.
    is_whole = not (values["what"] or values["user"])
    root = None
    if not values["user"]:
        root = chosen_root(values["root"]) if is_whole else locate(root=values["root"])
    named = named_clients(root, values["client"], everywhere=False)
    wish = _wish(values, parts or USUAL, named)

    here = look(root)
    asks = is_terminal() and not (values["yes"] or values["dry_run"] or values["json"])
    if not values["json"]:
        put_lines([(f"Setting up dctx in {root or 'your home'}", "bold")])
        put_lines([(line, "dim") for line in sentence_lines(f"Here: {here.says}.")])
    request = SetupRequest(
        clients=named or _clients(here, asks),
        parts=parts or USUAL,
        wish=wish,
        take_over=_wanted_plans(here, asks) if is_whole else (),
        makes_folder=is_whole,
        for_user=values["user"],
    )
    steps = plan_setup(here, request)
    if not values["json"]:
        _show(steps, values["diff"], "already")

    if not _may_go_on(steps, values, asks):
        if values["json"]:
            put_json(_as_json(here, steps, False, (), None))
        return _code(steps, ())
    return _report(here, steps, request, values)


def _parts(values: dict[str, Any]) -> tuple[str, ...]:
    """What `--what` names, in the order in which it is done."""
    named = {part.strip().casefold() for word in values["what"] for part in word.split(",")}
    unknown = named - {*PARTS, ALL}
    if unknown:
        raise UsageProblem(
            f"--what: there is no {min(unknown)!r}.",
            f"What can be named: {', '.join((*PARTS, ALL))}",
        )
    parts = tuple(name for name in PARTS if name in named or ALL in named)
    if values["user"]:
        if named and ALL not in named and not all(PARTS[name].for_user for name in parts):
            raise UsageProblem(
                "Rules are about one project, so --user has none.",
                "Leave --user out, in a project.",
            )
        parts = tuple(name for name in parts if PARTS[name].for_user)
    return parts


def _wish(values: dict[str, Any], parts: Sequence[str], clients: Sequence[str]) -> Wish:
    """An option that nothing would come of is a mistake."""
    areas = values["write"]
    if areas is not None and SERVER not in parts:
        raise UsageProblem("Only the server has --write.", "Say --what mcp as well.")
    if values["prompts"] and HOOKS not in parts:
        raise UsageProblem("Only hooks have --prompts.", "Say --what hooks as well.")
    for name in clients:
        if not any(name in PARTS[part].clients for part in parts):
            can = ", ".join(part.name for part in PARTS.values() if name in part.clients)
            raise UsageProblem(
                f"{PLACES[name].title} has none of what is named.", f"It can have: {can}."
            )
    return Wish(values["prompts"], areas and ",".join(writable_areas(areas)))


def _clients(here: SetupPlace, asks: bool) -> tuple[str, ...]:
    """Where none is named: those that have hooks of dctx, else those that are here; Claude Code where
    none is.
    """
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
    if values["yes"] or not any(step.is_to_do for step in steps):
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
    here: SetupPlace, planned: Sequence[SetupStep], request: SetupRequest, values: dict[str, Any]
) -> int:
    """Does it, and says what came of it."""
    quiet = values["json"]
    steps = tuple(carry_out(here, planned, request.for_user))
    if not quiet:
        _say_what_was_done(here.root, planned, steps, request)

    shown: list[Proof] = []
    following = None
    # Settings with a mistake, or no folder, have been said: nothing can arrive there.
    is_sound = not any(step.problem for step in steps)
    if is_sound and HOOKS in request.parts and not request.for_user:
        _say_what_is_not_agreed(here.root)
        if not values["no_verify"]:
            shown = _prove(here.root, request.clients, quiet)
        if request.makes_folder:
            following = next_step(here.root, request.clients)

    if quiet:
        put_json(_as_json(here, steps, True, shown, following))
    elif following:
        put_lines(_next_lines(following, request.clients))
    return _code(steps, shown)


def _as_json(
    here: SetupPlace,
    steps: Sequence[SetupStep],
    done: bool,
    shown: Sequence[Proof],
    following: NextStep | None,
) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "root": here.root,
        "here": as_dict(here),
        "steps": steps_json(steps, done, "already"),
        "proofs": [as_dict(proof) for proof in shown],
    }
    if following:
        answer["next"] = as_dict(following)
    return answer


def _code(steps: Sequence[SetupStep], shown: Sequence[Proof]) -> int:
    """Failed, if anything could not be done or proven."""
    if any(step.problem for step in steps):
        return FAILED
    return FAILED if NOT_PROVEN in [proof.outcome for proof in shown] else OK


def _prove(root: str, names: tuple[str, ...], quiet: bool) -> list[Proof]:
    shown: list[Proof] = []
    for proof in proofs(root, names, is_off()):
        shown.append(proof)
        # Each is said as soon as it is known: a run of a client takes some seconds.
        if not quiet:
            mark, style = MARKS[proof.outcome]
            lines = _marked(mark, proof.verdict, style)
            for detail in proof.details:
                lines += _marked("", detail, "")
            put_lines(lines)
    return shown


def _undo(values: dict[str, Any], parts: tuple[str, ...]) -> int:
    root = None if values["user"] else chosen_root(values["root"])
    clients = named_clients(root, values["client"], everywhere=True)
    wanted = UndoRequest(root, parts, clients)
    steps = plan_undo(wanted)
    if not values["json"]:
        put_lines([(f"Taking dctx out of {root or 'your home'}", "bold")])
        _show(steps, values["diff"], "stays")
        if not steps:
            put_lines([("  Nothing of it is here.", "")])
    has_work = any(step.is_to_do for step in steps) or wanted.is_whole
    goes = has_work and not values["dry_run"] and _agreed(values)
    if goes:
        carry_out_undo(wanted, steps)
    if values["json"]:
        put_json({"root": root, "steps": steps_json(steps, goes, "stays")})
    elif goes:
        say("Undone.")
    return _code(steps, ())


def _agreed(values: dict[str, Any]) -> bool:
    if values["yes"] or values["json"]:
        return bool(values["yes"])
    if says_yes("Undo this?", default=True):
        return True
    say("Nothing was undone.")
    return False


def _show(steps: Sequence[SetupStep], with_patches: bool, otherwise: str) -> None:
    """The steps; `otherwise` is the mark of one that has nothing to do."""
    lines: Lines = []
    for step in steps:
        if step.problem:
            lines += _marked("cannot", f"{step.says}: {step.problem}", "red")
            lines += _marked("", step.hint, "")
        elif step.is_to_do:
            lines += _marked("will", step.says, "")
        else:
            lines += _marked(otherwise, step.says, "dim" if otherwise == "already" else "yellow")
    put_lines(lines)
    if with_patches:
        # Several clients may read one file.
        changes = {change.path: change for step in steps for change in step.changes}
        for change in changes.values():
            put_patch(change.name, _printable(change.before), _printable(change.after))
        for step in steps:
            put_lines([(f"+++ {name}", "green") for name in step.new_files])


def _printable(text: str | None) -> str | None:
    """Bytes that are no text have a mark of their own in a change."""
    if text is None:
        return None
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _marked(mark: str, text: str, style: str) -> Lines:
    """A word, and a sentence behind it that keeps to its column."""
    first = f"  {mark}"
    lines: Lines = []
    for line in sentence_lines(text, COLUMN):
        lines.append((f"{first:<{COLUMN}}{line}", style))
        first = ""
    return lines


def _say_what_was_done(
    root: str, planned: Sequence[SetupStep], steps: Sequence[SetupStep], request: SetupRequest
) -> None:
    remarks: dict[tuple[str, str], None] = {}
    for step in steps:
        # What could not even be planned stands above.
        if step.problem and step not in planned:
            say(f"Could not {step.says}: {step.problem}", step.hint)
        elif step.changes and not step.problem:
            found = PARTS[step.name].remarks(step.client, root or None, step.changes)
            remarks.update(dict.fromkeys(found))
            if step.name == SERVER and not request.makes_folder:
                ask = f"Start {PLACES[step.client].title} in this project (anew, if it runs), and ask: {QUESTION}"
                remarks[ask, ""] = None
    # Hooks and server in one file have the same said of them.
    for remark in remarks:
        say(*remark)
    if any(step.is_to_do for step in steps):
        user = " --user" if request.for_user else ""
        say("That is written.", f"`dctx setup --undo{user}` takes all of it back.")
    if HOOKS in request.parts and not request.makes_folder:
        _say_what_keeps_hooks(request)


def _say_what_keeps_hooks(request: SetupRequest) -> None:
    """From working, or from working once: nothing else says it where a set-up is not a whole one."""
    try:
        root = locate()
    except NoProject:
        root = None
    named = [CLIENTS[name] for name in request.clients if name in CLIENTS]
    for said in switches(named, root, is_off()):
        say(said)
    for client in named:
        own = [place for place in installations(root) if client.name in place.clients]
        if runs_twice(own):
            hint = f"dctx setup --undo --what hooks --client {client.name}"
            say(f"{client.title}: {TWICE}", hint)
    if request.for_user:
        say("`dctx agents verify` proves in a project that contexts arrive.")


def _say_what_is_not_agreed(root: str) -> None:
    """A repository may bring words of its own for agents; setting up is no consent to them."""
    unused = not_agreed(load_project(root=root))
    if unused:
        say(f"{said_of(unused)}.", "`dctx setup --trust` shows it, and asks.")


def _next_lines(following: NextStep, names: tuple[str, ...]) -> Lines:
    lines: Lines = []
    if following.lacking:
        lines += _plain(f"No agent is given a context yet: {following.lacking}.", "yellow")
    if following.say:
        start = f"Next: start {PLACES[names[0]].title} in this folder (anew, if it runs), and say:"
        lines += _plain(start, "bold")
        for line in sentence_lines(following.say, 2):
            lines.append((f"  {line}", "green"))
    if following.then:
        lines += _plain(following.then, "")
    return lines


def _plain(text: str, style: str) -> Lines:
    return [(line, style) for line in sentence_lines(text)]
