"""What the user agreed to of a project's own words to agents: asked of the user's record, by the
very text.
"""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.context.settings.consents import consents_in, is_trusted, keep
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from director_ctx.project.project import Project

INSTRUCTIONS = f"{FOLDER}/instructions"
_NO = "no: "
"""Before the mark of what the user was asked about, and did not want."""


class Override(Record):
    """One of them, by the path of its file."""

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
    return is_trusted(project.agreed_in, override.thing, override.mark)


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
    # The same record holds consents of other kinds, which stay.
    own = f"{INSTRUCTIONS}/"
    overrides = [thing for thing in consents_in(project.root) if thing.startswith(own)]
    return keep(project.root, dict.fromkeys(overrides, ""))
