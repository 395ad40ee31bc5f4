"""What the user agreed to of a project's own words to agents: asked of the user's record, by the
very text.
"""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.context.settings.consents import consents_in, is_trusted, keep
from director_ctx.context.settings.hooks import NONE
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.context.settings.hooks import Hooks
    from director_ctx.project.project import Project

INSTRUCTIONS = f"{FOLDER}/instructions"
DEFAULT = "hooks.default"
_NO = "no: "
"""Before the mark of what the user was asked about, and did not want."""


class Override(Record):
    """One of them, by the path of its file or by its key in `dctx.yaml`."""

    thing: str
    text: str

    @property
    def mark(self) -> str:
        return text_digest(self.text)


def is_shipped(name: str, text: str) -> bool:
    """Whether it is, unchanged, what dctx itself would say."""
    try:
        return text == read_shipped("templates", "instructions", name)
    except OSError:
        return False


def is_agreed(project: Project, override: Override) -> bool:
    # A context that is made again has what its lock had; whoever made the lock agreed then.
    if project.past:
        return project.past.own_instructions
    return is_trusted(project.agreed_in, override.thing, override.mark)


def agreed_hooks(project: Project, hooks: Hooks) -> Hooks:
    """The same, without a default that the user has not agreed to."""
    if hooks.default == NONE:
        return hooks
    if is_agreed(project, Override(DEFAULT, hooks.default)):
        return hooks
    return hooks.replace(default="")


def was_refused(project: Project, override: Override) -> bool:
    """Whether the user was asked about these very words, and did not want them."""
    mark = consents_in(project.root).get(override.thing)
    return mark == f"{_NO}{override.mark}"


def agree(project: Project, overrides: Iterable[Override]) -> None:
    marks = {override.thing: override.mark for override in overrides}
    keep(project.root, marks)


def refuse(project: Project, overrides: Iterable[Override]) -> None:
    """Remembered, so that nobody is asked twice."""
    marks = {override.thing: f"{_NO}{override.mark}" for override in overrides}
    keep(project.root, marks)


def take_back(project: Project) -> bool:
    """Whether there was anything to take back."""
    overrides: list[str] = []
    for thing in consents_in(project.root):
        if thing == DEFAULT or thing.startswith(f"{INSTRUCTIONS}/"):
            overrides.append(thing)
    # The same record holds consents of other kinds, which stay.
    return keep(project.root, dict.fromkeys(overrides, ""))
