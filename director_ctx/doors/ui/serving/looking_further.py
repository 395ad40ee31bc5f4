"""Whether anything is different that is no file of the project: in a database that a team shares,
in the conversations that clients keep, or in the browser.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import text_digest
from director_ctx.browser.state import find_browser, is_browser_known
from director_ctx.browser.tabs import SECONDS, read_tabs
from director_ctx.context.settings.options import load_settings
from director_ctx.history.sessions.files import files
from director_ctx.memory.conversations.messages import state
from director_ctx.memory.plans.versions import current
from director_ctx.memory.store.open import open_store, store_url
from director_ctx.memory.variables.entries import version_now
from director_ctx.project.project import Project

LENGTH = 16
MOST_SESSIONS = 50


def look_at_database(root: str) -> str:
    """By the numbers of its newest rows; empty where the store is a file of the project."""
    project = Project(root)
    try:
        if not store_url(root, load_settings(project).store):
            return ""
        with open_store(project) as store:
            plan = current(store)
            number = plan.number if plan else 0
            return f"{number} {version_now(store)} {state(store)}"
    except DctxError as error:
        # A page says so, too; when it can be read again, it is another mark.
        return error.message


def look_at_talk(root: str) -> str:
    """By the sizes and times of the newest sessions."""
    marks = []
    for file in files(os.path.realpath(root))[-MOST_SESSIONS:]:
        marks.append(f"{file.path} {file.changed} {file.size}")
    return text_digest("\n".join(marks))[:LENGTH]


def look_at_tabs(root: str) -> str:
    """By what is open; empty where no browser is known."""
    project = Project(root)
    if not is_browser_known(project):
        return ""
    try:
        tabs = read_tabs(find_browser(project, seconds=SECONDS).endpoint, SECONDS)
    except DctxError as error:
        return error.message
    marks = [f"{tab.id} {tab.title} {tab.url}" for tab in tabs]
    return text_digest("\n".join(marks))[:LENGTH]
