"""What rendering a skill would carry out, and by whose leave. Nothing is run here."""

from __future__ import annotations

import os
from shlex import quote

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import judge, names
from director_ctx.clients.skills.arguments import Values, answers, fill, unknown_places
from director_ctx.clients.skills.command import Filled, NeedsShell, only_tells, parse, takes_data
from director_ctx.clients.skills.command import fill as fill_lines
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


class Planned(Record):
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


def plan(skill: Skill, values: Values, root: str) -> tuple[Planned, ...]:
    """Every command of a skill, in order."""
    injections = find(skill.body)
    if len(injections) > MOST:
        raise DctxError(
            f"{skill.path} has {len(injections):,} commands.", f"A skill may have {MOST}."
        )
    trusted: bool | None = None
    planned = list[Planned]()
    for one in injections:
        made = _by_words(one, values, root)
        if made.leave == REFUSED and _needs_consent(one, values, root):
            trusted = (
                is_trusted(root, in_record(skill), mark(skill, root, values))
                if trusted is None
                else trusted
            )
            made = _by_consent(made, values) if trusted else _wanting(made, skill, root)
        planned.append(made)
    return tuple(planned)


def _needs_consent(one: Injection, values: Values, root: str) -> bool:
    """Whether it does so by itself. What only an argument made forbidden was never shown to the
    user.
    """
    return _by_words(one, _without_arguments(values), root).leave == REFUSED


def _wanting(made: Planned, skill: Skill, root: str) -> Planned:
    why = CHANGED if was_trusted(root, in_record(skill)) else made.why
    return made.replace(why=why, ask=f"`dctx skill trust {quote(skill.called)}` allows it")


def in_record(skill: Skill) -> str:
    """The name of a skill among the consents."""
    return os.path.realpath(skill.path)


def _without_arguments(values: Values) -> Values:
    return values.replace(text="", words=())


def mark(skill: Skill, root: str, values: Values) -> str:
    """What consent is bound to: the skill, the files that its commands name, and those of a folder
    of its own.
    """
    named = set[str]()
    for one in find(skill.body):
        if not _only_tells(one, values):
            named |= names(one.command, values)
    folders = (root, skill.folder, values.places.get("CLAUDE_PLUGIN_ROOT", root))
    own = skill.path.endswith(FILE) and not inside(root, skill.folder)
    return fingerprint(skill.text, named, folders, skill.folder if own else "")


def _only_tells(one: Injection, values: Values) -> bool:
    try:
        return only_tells(parse(one.command, values.names))
    except NeedsShell:
        return False


def _by_words(one: Injection, values: Values, root: str) -> Planned:
    """Without anybody's consent: what is on the list of `allowed`."""
    command = fill(one.command, values.replace(places={}))
    try:
        lines = fill_lines(parse(one.command, values.names), values)
    except NeedsShell as needs:
        return Planned(one, command, (), (), REFUSED, str(needs))
    verdicts = [judge(line.words, root) for line in lines]
    if refused := [verdict.why for verdict in verdicts if not verdict.kind]:
        return Planned(one, command, lines, (), REFUSED, refused[0])
    return Planned(
        one, command, lines, tuple(verdict.kind for verdict in verdicts), ALLOWED, verdicts[0].why
    )


def _by_consent(made: Planned, values: Values) -> Planned:
    """An argument goes into plain words only: there it is one word, and nobody reads it as a
    command.
    """
    text = made.injection.command
    if unknown := unknown_places(text, values):
        return made.replace(why=f"{unknown[0]} is not known here")
    if answers(text, values):
        if not made.lines:
            return made.replace(why=f"arguments go only into plain words: {made.why}")
        if not takes_data(parse(text, values.names), values):
            return made.replace(
                why="arguments go only into scripts, and programs for which a word is never code"
            )
        return made.replace(leave=TRUSTED, why="you allowed this skill; run without a shell")
    return made.replace(lines=(), leave=TRUSTED, why="you allowed this skill; run by sh")
