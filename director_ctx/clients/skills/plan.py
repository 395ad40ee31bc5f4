"""What rendering a skill would carry out, and by whose leave. Nothing is run here."""

from __future__ import annotations

import os
from shlex import quote

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import judge, names
from director_ctx.clients.skills.arguments import Values, answers, fill, unknown_places
from director_ctx.clients.skills.command import Filled, NeedsShell, parse
from director_ctx.clients.skills.command import fill as fill_lines
from director_ctx.clients.skills.data_words import only_tells, takes_data
from director_ctx.clients.skills.files import FILE
from director_ctx.clients.skills.fingerprint import fingerprint
from director_ctx.clients.skills.injections import MOST, Injection, find
from director_ctx.context.settings.consents import is_trusted, was_trusted
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.skills.skill import Skill

ALLOWED, TRUSTED, REFUSED = "allowed", "trusted", "refused"
CHANGED = "it, or a file that it names, was changed since you allowed it"


class PlannedCommand(Record):
    """One command and what is to become of it."""

    injection: Injection
    command: str
    """With the arguments filled in, to be read by people and kept on record; never run in this
    form.
    """
    lines: tuple[Filled, ...]
    """Its words, where it needs no shell."""
    kinds: tuple[str, ...]
    """What each line is, where it needs no consent."""
    leave: str
    why: str
    ask: str = ""
    """What would allow it, where your word is all that it lacks."""


def plan(
    skill: Skill,
    values: Values,
    root: str,
) -> tuple[PlannedCommand, ...]:
    """Every command of a skill, in order."""
    injections = find(skill.body)
    if len(injections) > MOST:
        raise DctxError(
            f"{skill.path} has {len(injections):,} commands.", f"A skill may have {MOST}."
        )
    trusted: bool | None = None
    every: list[PlannedCommand] = []
    for injection in injections:
        planned = _by_words(injection, values, root)
        if planned.leave == REFUSED and _needs_consent(injection, values, root):
            # Asked once, and only if it matters: it reads every file that is named.
            if trusted is None:
                trusted = _is_trusted(skill, values, root)
            if trusted:
                planned = _by_consent(planned, values)
            else:
                planned = _wanting(planned, skill, root)
        every.append(planned)
    return tuple(every)


def _is_trusted(skill: Skill, values: Values, root: str) -> bool:
    as_shown = mark(skill, root, values)
    return is_trusted(root, in_record(skill), as_shown)


def _needs_consent(injection: Injection, values: Values, root: str) -> bool:
    """Whether it does so by itself. What only an argument made forbidden was never shown to the
    user.
    """
    planned = _by_words(injection, _without_arguments(values), root)
    return planned.leave == REFUSED


def _wanting(
    planned: PlannedCommand,
    skill: Skill,
    root: str,
) -> PlannedCommand:
    why = planned.why
    if was_trusted(root, in_record(skill)):
        why = CHANGED
    ask = f"`dctx skill trust {quote(skill.called)}` allows it"
    return planned.replace(why=why, ask=ask)


def in_record(skill: Skill) -> str:
    """The name of a skill among the consents."""
    return os.path.realpath(skill.path)


def _without_arguments(values: Values) -> Values:
    return values.replace(text="", words=())


def mark(skill: Skill, root: str, values: Values) -> str:
    """What consent is bound to: the skill, the files that its commands name, and those of a folder
    of its own.
    """
    named: set[str] = set()
    for injection in find(skill.body):
        # What such programs name would let the consent lapse with every edit, and guard nothing.
        if not _only_tells(injection, values):
            named |= names(injection.command, values)

    own = ""
    # A folder that the project is in is no folder of the skill's own.
    has_own_folder = skill.path.endswith(FILE) and not inside(root, skill.folder)
    if has_own_folder:
        own = skill.folder
    plugin = values.places.get("CLAUDE_PLUGIN_ROOT", root)
    roots = (root, skill.folder, plugin)
    return fingerprint(skill.text, named, roots, own)


def _only_tells(injection: Injection, values: Values) -> bool:
    try:
        return only_tells(parse(injection.command, values.names))
    except NeedsShell:
        return False


def _by_words(
    injection: Injection,
    values: Values,
    root: str,
) -> PlannedCommand:
    """Without anybody's consent: what is on the list of `allowed`."""
    without_places = values.replace(places={})
    command = fill(injection.command, without_places)
    try:
        # Taken apart before anything is filled in: an argument stays what it is.
        parsed = parse(injection.command, values.names)
        lines = fill_lines(parsed, values)
    except NeedsShell as needs:
        return PlannedCommand(
            injection=injection,
            command=command,
            lines=(),
            kinds=(),
            leave=REFUSED,
            why=str(needs),
        )

    verdicts = [judge(line.words, root) for line in lines]
    for verdict in verdicts:
        if not verdict.kind:
            return PlannedCommand(
                injection=injection,
                command=command,
                lines=lines,
                kinds=(),
                leave=REFUSED,
                why=verdict.why,
            )
    kinds = tuple(verdict.kind for verdict in verdicts)
    why = verdicts[0].why
    return PlannedCommand(
        injection=injection,
        command=command,
        lines=lines,
        kinds=kinds,
        leave=ALLOWED,
        why=why,
    )


def _by_consent(planned: PlannedCommand, values: Values) -> PlannedCommand:
    """An argument goes into plain words only: there it is one word, and nobody reads it as a
    command.
    """
    text = planned.injection.command
    unknown = unknown_places(text, values)
    if unknown:
        return planned.replace(why=f"{unknown[0]} is not known here")
    if not answers(text, values):
        return planned.replace(lines=(), leave=TRUSTED, why="you allowed this skill; run by sh")

    if not planned.lines:
        return planned.replace(why=f"arguments go only into plain words: {planned.why}")
    if not takes_data(parse(text, values.names), values):
        return planned.replace(
            why="arguments go only into scripts, and programs for which a word is never code"
        )
    return planned.replace(leave=TRUSTED, why="you allowed this skill; run without a shell")
