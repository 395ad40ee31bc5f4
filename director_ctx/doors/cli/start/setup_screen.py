"""What `dctx setup` shows: the steps, what was proven, and what comes next."""

from __future__ import annotations

from director_ctx.clients.hooks.remarks import remarks
from director_ctx.clients.servers.places import PLACES
from director_ctx.clients.servers.remarks import remarks as server_remarks
from director_ctx.clients.setup.as_json import new_files
from director_ctx.clients.setup.plan import HOOKS_STEP, SERVER_STEP
from director_ctx.clients.table import CLIENTS
from director_ctx.context.settings.overrides import not_agreed, said_of
from director_ctx.doors.cli.clients.agents_verify import MARKS
from director_ctx.doors.cli.shared.patches import put_patch
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, sentence_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.settings_change import SettingsChange
    from director_ctx.clients.setup.plan import SetupStep
    from director_ctx.clients.setup.proof import NextStep
    from director_ctx.clients.verify.proof import Proof

    Lines = list[tuple[str, str]]

COLUMN = 11
"""Where sentences begin, so that all of them stand below each other, behind `will` and `proven`."""


def show_steps(steps: Sequence[SetupStep], with_patches: bool) -> None:
    lines: Lines = []
    for step in steps:
        if step.problem:
            lines += marked("cannot", f"{step.says}: {step.problem}", "red")
            lines += marked("", step.hint, "")
        elif step.is_done:
            lines += marked("already", step.says, "dim")
        else:
            lines += marked("will", step.says, "")
    put_lines(lines)
    if with_patches:
        for step in steps:
            put_patches(step.settings)
            put_lines([(f"+++ {name}", "green") for name in new_files(step)])


def put_patches(settings: Sequence[SettingsChange]) -> None:
    """What a step changes in files that may be there."""
    for change in settings:
        put_patch(change.name, change.before, change.after)


def proof_lines(proof: Proof) -> Lines:
    mark, style = MARKS[proof.outcome]
    lines = marked(mark, proof.verdict, style)
    for detail in proof.details:
        lines += marked("", detail, "")
    return lines


def marked(mark: str, text: str, style: str) -> Lines:
    """A word, and a sentence behind it that keeps to its column."""
    first = f"  {mark}"
    lines: Lines = []
    for line in sentence_lines(text, COLUMN):
        lines.append((f"{first:<{COLUMN}}{line}", style))
        first = ""
    return lines


def say_what_was_done(root: str, planned: Sequence[SetupStep], steps: Sequence[SetupStep]) -> None:
    remarked: dict[tuple[str, str], None] = {}
    for step in steps:
        # What could not even be planned stands above.
        if step.problem and step not in planned:
            say(f"Could not {step.says}: {step.problem}", step.hint)
        elif step.settings and not step.problem:
            remarked.update(dict.fromkeys(_remarks(root, step)))
    # Hooks and server in one file have the same said of them.
    for remark in remarked:
        say(*remark)
    if any(step.is_to_do for step in steps):
        say("That is written.", "`dctx setup --undo` takes all of it back.")


def _remarks(root: str, step: SetupStep) -> list[tuple[str, str]]:
    if step.name == HOOKS_STEP:
        return remarks(CLIENTS[step.client], root, root)
    if step.name == SERVER_STEP:
        place = PLACES[step.client]
        return list(server_remarks(place, root, step.settings))
    return []


def say_what_is_not_agreed(root: str) -> None:
    """A repository may bring words of its own for agents; setting up is no consent to them."""
    unused = not_agreed(load_project(root=root))
    if unused:
        say(f"{said_of(unused)}.", "`dctx agents trust` shows it, and asks.")


def next_lines(following: NextStep, names: tuple[str, ...]) -> Lines:
    client = CLIENTS[names[0]]
    lines: Lines = []
    if following.lacking:
        lines += _plain(f"No agent is given a context yet: {following.lacking}.", "yellow")
    if following.say:
        start = f"Next: start {client.title} in this folder (anew, if it runs), and say:"
        lines += _plain(start, "bold")
        for line in sentence_lines(following.say, 2):
            lines.append((f"  {line}", "green"))
    if following.then:
        lines += _plain(following.then, "")
    return lines


def _plain(text: str, style: str) -> Lines:
    return [(line, style) for line in sentence_lines(text)]
