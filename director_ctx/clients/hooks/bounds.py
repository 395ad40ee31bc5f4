"""What holds for every answer to a client, whoever makes it: whether one is wanted, about which project,
and in what time. Loaded before anything else: most events are about no project of ours.
"""

from __future__ import annotations

import os

SWITCH, OFF = "DCTX_HOOKS", ("off", "0", "no", "false")
PLACES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "COPILOT_PROJECT_DIR")
"""Where clients say the project is, if they start a hook elsewhere."""
DEADLINE, DEADLINE_AT_END = 2.0, 0.8
"""Seconds; the second when a session ends, because clients wait little then."""
SHARE_OF_OTHERS = 0.5
"""How much of that git may take, and whoever else is waited for: the rest is for what does not need
them.
"""


def is_off() -> bool:
    """Whether the user wants none."""
    return os.environ.get(SWITCH, "").casefold() in OFF


def find_root(start: str = "") -> str:
    """The nearest folder upwards with a `.director/` of this user's in it, or an empty string; from
    the folder that we run in, unless another one is said.

    No further than the top of the repository that one is in: what lies above it is not about this
    work.
    """
    # It means the same as for every other command, links and relative paths included.
    if os.environ.get("DCTX_ROOT"):
        from director_ctx.project.reading.locate import locate

        return locate()

    from director_ctx.project.reading.search import FOLDER, belongs_to_another, nearest

    # What a client says is asked only where the folder that it runs in has no project.
    starts = [start or _here()]
    for variable in PLACES:
        starts.append(os.environ.get(variable, ""))

    for folder in starts:
        root = nearest(folder, beyond_repository=False)
        if not root or not os.path.isdir(os.path.join(root, FOLDER)):
            continue
        if not belongs_to_another(root):
            return root
    return ""


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def why_none(error: BaseException) -> str:
    """Why there is no answer, for the log."""
    # Not asked for by its type: the module of the errors may be what could not be imported.
    hint = getattr(error, "hint", None)
    if hint is None:
        return f"{type(error).__name__}: {error}"
    return f"{str(error).rstrip('.')}. {hint}"
