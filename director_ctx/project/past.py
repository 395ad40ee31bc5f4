"""A project as it was: made again from a revision, it lies elsewhere than its repository."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Past(Record):
    """Where the history of such a project is, and what is not in its files."""

    repository: str
    revision: str
    """The commit it was made of; none where the commits are not known."""
    since: str = ""
    """The commit that `--changes` meant then."""
    stale: Mapping[str, str] = {}
    """What was said of notes that were out of date."""
    agents: Mapping[str, str] = {}
    """The sub-agents that there were, by their roles."""
    own_instructions: bool = True
    """Whether the project's own instructions were used then: the user had agreed to them."""
