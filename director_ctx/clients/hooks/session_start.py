"""What a session is told when it starts: where the project stands; after a compaction also its task
and decisions, and what was kept of the conversation.
"""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import AllDone, NothingReady
from director_ctx.base.record import Record
from director_ctx.base.system.own_name import own_name, section_command
from director_ctx.clients.hooks.position import position
from director_ctx.clients.hooks.seen import remember_begin, seen_before
from director_ctx.clients.protocol import with_context
from director_ctx.context.divide import divide
from director_ctx.context.settings.hooks import Hooks
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.overrides import not_agreed, said_of
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.context.settings.tags import DECISIONS, INSTRUCTIONS, TASK
from director_ctx.project.hook_log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.protocol import Event, HookAnswer
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.divide import Piece
    from director_ctx.project.project import Project

COMPACTED = "compact"
CONVERSATION = "conversation"
_WANTED_AGAIN = (TASK, DECISIONS)
OTHERS = tuple(
    tag for tag in PROFILES["builder"].sections if tag not in (*_WANTED_AGAIN, INSTRUCTIONS)
)
ROOM = 200
"""What is left free for the number of a part."""


class SessionPart(Record):
    """A piece of what is said."""

    tag: str
    text: str
    protected: bool = True


def answer_session(project: Project, event: Event, part: int) -> HookAnswer | None:
    """One part of what a session is told. Only the first writes down that it began."""
    hooks = load_settings(project).hooks or Hooks()
    if not hooks.session:
        return None

    client = event.client
    text = _where_it_stands(project, event)
    pieces: list[Piece] = [SessionPart("position", text)]
    context = None
    if event.source == COMPACTED:
        # A summary may have lost the wording of both.
        context = task_and_decisions(project)
        sections = _given_again(context)
        pieces += sections
        pieces += _conversation(project, event)

    # A position alone is short; only what a compaction took away may need more than one part.
    most_parts = client.parts if len(pieces) > 1 else 1

    def shown_by(tag: str) -> str:
        return _shown_by(context, tag)

    parts = divide(pieces, client.cap, most_parts, shown_by, client.size)
    if part == 1:
        remember_begin(project, event.session)
    if not 0 < part <= len(parts):
        return None
    return with_context(event, parts[part - 1])


def _where_it_stands(project: Project, event: Event) -> str:
    client = event.client
    before = seen_before(project, event.session)
    remarks = _not_agreed(project, event)
    room = client.cap - ROOM - client.size(remarks)

    def fits(text: str) -> bool:
        return client.size(text) <= room

    return position(project, before, own_name(), fits) + remarks


def _given_again(context: Assembly | None) -> list[Piece]:
    if context is None:
        return []
    return [section for section in context.sections if section.tag in _WANTED_AGAIN]


def _not_agreed(project: Project, event: Event) -> str:
    """A line about what is not used; in the hook log, too, because it may be the agent alone that
    reads the line.
    """
    unused = not_agreed(project)
    if not unused:
        return ""
    said = f"{said_of(unused)}. `{own_name()} setup --trust` shows it to the user, and asks."
    log(project.root, f"{event.client.name} {event.name}: {said}")
    return f"\n\n{said}"


def _conversation(project: Project, event: Event) -> list[SessionPart]:
    from director_ctx.history.summaries.before_compaction import told_after

    text = told_after(project, event.session)
    if not text:
        return []
    return [SessionPart(CONVERSATION, text, protected=False)]


def _shown_by(context: Assembly | None, tag: str) -> str:
    """The command that prints what had no room."""
    if tag == CONVERSATION:
        return f"{own_name()} history handover"
    if context is None or tag not in _WANTED_AGAIN:
        return f"{own_name()} status"
    task = ""
    if context.task:
        task = context.task["ref"]
    return section_command(context.agent, task, tag)


def task_and_decisions(project: Project) -> Assembly | None:
    """As a builder gets them, without what else a builder gets; none where there is no task to work
    on.

    Even where the vision is a template that refuses a builder: whoever works on a task already
    needs its text.
    """
    try:
        return assemble(project, "builder", without=OTHERS)
    except (AllDone, NothingReady):
        return None
