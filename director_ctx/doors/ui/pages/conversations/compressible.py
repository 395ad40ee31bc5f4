"""Whether there is something to compress, and what a form says about how."""

from __future__ import annotations

import re

from director_ctx.history.compress.options import wish_for
from director_ctx.history.messages.message import size
from director_ctx.history.sessions.copies import copies
from director_ctx.history.sessions.files import STORE
from director_ctx.history.summaries.selection import fresh_messages
from director_ctx.memory.store.open import open_conversation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.doors.ui.pages.conversations.read_sessions import ReadSession
    from director_ctx.history.compress.options import Wish
    from director_ctx.history.compress.project_here import ProjectHere
    from director_ctx.project.project import Project

SHARES = ("70", "50", "30", "20", "10")
USUAL_SHARE = "50"
FEWEST_MESSAGES, FEWEST_TOKENS = 4, 2_000
"""A session with less has nothing that could be left out."""


def may_compress(project: Project, read: ReadSession) -> bool:
    """The store, as soon as something came since. A session that has a copy is compressed, and so is the
    copy, until somebody has gone on in it: each of them is a conversation like any other then.
    """
    if read.session.client == STORE:
        with open_conversation(project) as store:
            return bool(fresh_messages(store))
    for copy in copies(project.root):
        is_of_it = copy.session == read.session.id
        is_it = copy.path == read.session.path
        if (is_of_it or is_it) and copy.waits:
            return False
    messages = read.transcript.now.messages
    return len(messages) >= FEWEST_MESSAGES and size(messages) >= FEWEST_TOKENS


def share_of(said: str) -> str:
    if said in SHARES:
        return said
    return USUAL_SHARE


def wish(share: str, words: str, here: ProjectHere) -> Wish:
    """The strategy that loses least, to this share of the tokens; what has these words stays."""
    options: dict[str, object] = {"ratio": int(share) / 100}
    if words:
        options["keep"] = [f"(?i){re.escape(words)}"]
    return wish_for(options, here)
