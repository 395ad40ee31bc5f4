"""What a person should know after hooks were installed, and of what the project gives to whom."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.hooks.agents import hooks_of, profile_here
from director_ctx.project.project import load_project
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.table import Client

LINES = "    hooks:\n      agents: {{{kind}: builder}}\n"
BY_NAME = "director:director-* and dctx:* (by their names)"


class Types(Record):
    """Which types of agents have which profile."""

    agents: Mapping[str, str]
    """Those that the project names; an empty profile is nothing."""
    default: str
    problem: str = ""
    """Why the settings cannot be read: no hook gives anything then."""
    hint: str = ""

    @property
    def said(self) -> str:
        named = [f"{kind} ({profile or 'nothing'})" for kind, profile in self.agents.items()]
        return f"{', '.join([BY_NAME, *named])}; any other type: {self.default or 'nothing'}"


def another_type(client: Client, root: str | None) -> str:
    """A type that the project does not map yet."""
    return client.usual_type if client.usual_type not in types_of(root).agents else "another-type"


def types_of(root: str | None) -> Types:
    if root is None:
        return Types({}, "")
    project = load_project(root=root)
    try:
        hooks = hooks_of(project)
        named = {kind: profile_here(project, kind) for kind in hooks.agents}
    except DctxError as error:
        return Types({}, "", error.message, error.hint)
    return Types(named, profile_here(project, "any other type"))


def next_steps(written: Sequence[Client], root: str | None) -> Iterator[tuple[str, str]]:
    """Sentences, each with a hint. The lines for `dctx.yaml` follow the one that ends in a colon."""
    mapping = types_of(root)
    if mapping.problem:
        yield f"Hooks give nothing as long as this is so: {mapping.problem}", mapping.hint
    else:
        yield f"Types of agents that are given a context by themselves: {mapping.said}.", ""
        yield f"Another type is given one by two lines in {FOLDER}/dctx.yaml (each key once), such as these:", ""
    if root and is_template_vision(load_project(root=root).text(f"{FOLDER}/VISION.md")):
        yield f"{FOLDER}/VISION.md is still a template: agents that need a vision are given nothing yet.", ""
    names = " and ".join(client.title for client in written)
    yield f"Start {names} anew: settings are read at the start. `dctx hooks verify` proves that contexts arrive.", ""
