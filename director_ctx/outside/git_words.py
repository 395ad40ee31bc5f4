"""`git log` and `git diff --stat` for a skill: words that were judged harmless, carried out so that they are.

Unlike `changes`, this looks at the working tree as well, where git would run the filters that a repository's
configuration names, and look into submodules. Both are switched off.
"""

from __future__ import annotations

from director_ctx.outside.git import SAFE, environment, in_repository
from director_ctx.outside.shell import Ran, run_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_QUIET = ("-c", "diff.autoRefreshIndex=false", "-c", "core.pager=cat")
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv")
_ALSO = {"log": ("--no-show-signature", "--pretty=medium"), "diff": ("--ignore-submodules=all",)}
"""A format of its own, because a configured one could verify signatures with a program of the repository's choice."""


def run_git(root: str, words: Sequence[str]) -> Ran:
    """Raises nothing: what git complains of is kept apart, as a shell would."""
    if not in_repository(root):
        return Ran("", 128, "", "fatal: not a git repository (or any of the parent directories): .git\n")
    name, *rest = words
    command = ["git", *SAFE, *_QUIET, "-C", root, name, *_PLAIN, *_ALSO[name], *rest]
    return run_words(command, root, {**environment(), **_without_filters(root)}, apart=True)


def _without_filters(root: str) -> dict[str, str]:
    """Settings that empty every filter of the repository; an empty filter is not run."""
    asked = ["git", *SAFE, "-C", root, "config", "--null", "--name-only", "--get-regexp", r"^filter\."]
    found = run_words(asked, root, environment(), apart=True).output.split("\0")
    settings = {key: "false" if key.endswith(".required") else "" for key in found if key}
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, text) in enumerate(settings.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": text}
    return env
