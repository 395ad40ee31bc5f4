"""What skills are counted with, in a project or without one."""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import FILES, OWN, own_words
from director_ctx.clients.skills.render import carry_out, is_context
from director_ctx.context.settings.budget import Window
from director_ctx.context.settings.models import BY_DEFAULT, DEFAULT_WINDOW
from director_ctx.context.settings.options import load_settings, said_window
from director_ctx.context.settings.request import Settings
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.project.project import Project
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.command import Filled
    from director_ctx.clients.skills.plan import Planned
    from director_ctx.context.settings.budget import Counter


class Settled(Record):
    counted: tuple[Callable[[str], int], Counter]
    window: Window
    warnings: tuple[str, ...]


def settle(root: str, counter: str | None, model: str | None) -> Settled:
    """The project's own settings count wherever there is a project."""
    there = os.path.isdir(os.path.join(root, FOLDER))
    settings = load_settings(Project(root)) if there else Settings()
    name = model or settings.model
    window, warnings = said_window(None, model, settings)
    window = window or Window(DEFAULT_WINDOW, BY_DEFAULT)
    chosen = settings.counter if counter is None else counter
    return Settled(choose_counter(chosen, name, settings.models), window, warnings)


def known_output(planned: Planned, root: str, values: Values) -> str | None:
    """What a command will print, where dctx finds that out by itself, without leaving a trace."""
    if not planned.kinds or not set(planned.kinds) <= {FILES, OWN}:
        return None
    unrecorded = tuple(map(_unrecorded, planned.lines, planned.kinds))
    return carry_out(planned.replace(lines=unrecorded), Project(root), values).output


def _unrecorded(line: Filled, kind: str) -> Filled:
    """Nobody is told this context, so it is nothing to be kept on record."""
    if not is_context(line, kind):
        return line
    behind = len(line.words) - len(own_words(line.words)) + 1
    return line.replace(words=(*line.words[:behind], "--no-record", *line.words[behind:]))
