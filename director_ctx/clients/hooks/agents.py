"""The types of agents that have a profile in a project, and what an agent of a type is given there now."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.base.errors import AllDone, DctxError, NothingReady
from director_ctx.base.record import Record
from director_ctx.context.settings.hooks import NONE, Hooks, profile_of
from director_ctx.context.settings.options import load_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.table import Client
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project


class Given(Record):
    """What an agent of a type gets: a context, or nothing for a reason."""

    kind: str
    context: Assembly | None
    why: str = ""
    mapped: bool = True
    """Whether the type has a profile at all."""
    rightly: bool = False
    """Whether it gets nothing because there is nothing to do."""


def hooks_of(project: Project) -> Hooks:
    return load_settings(project).hooks or Hooks()


def profile_here(project: Project, kind: str) -> str:
    """What agents of a type are given in a project; an empty string for nothing."""
    return profile_of(kind, hooks_of(project), load_settings(project).profiles)


def types_here(project: Project, client: Client) -> tuple[str, ...]:
    """Types that have a profile and that the client can spawn, those of the project first."""
    start = "director:director-" if client.colons else "director-"
    named = [kind for kind in hooks_of(project).agents if client.colons or ":" not in kind]
    own = [start + name for name in load_settings(project).profiles]
    return tuple(kind for kind in dict.fromkeys((*named, *own)) if profile_here(project, kind))


def given_to(project: Project, kind: str) -> Given:
    profile = profile_here(project, kind)
    if not profile:
        return Given(kind, None, f"dctx.yaml maps it to no profile (hooks.agents, hooks.default), or to {NONE}", False)
    try:
        return Given(kind, assemble(project, profile))
    except DctxError as error:
        return Given(kind, None, error.message, rightly=isinstance(error, (AllDone, NothingReady)))
