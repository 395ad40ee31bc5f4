"""`git log` and `git diff --stat` for a skill: words that were judged harmless, carried out so that
they are.

Unlike `changes`, this looks at the working tree as well, where git would run the filters that a
repository's configuration names, and look into submodules. Both are switched off. A bare repository
inside another one is only a folder of the project, and its configuration is somebody's text.
"""

from __future__ import annotations

from director_ctx.clients.skills.shell import CommandOutcome, run_words
from director_ctx.project.git.child import SAFE, environment
from director_ctx.project.git.log import in_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHUT = (
    *SAFE,
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "diff.autoRefreshIndex=false",
    "-c",
    "core.pager=cat",
)
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv")
_ALSO = {
    "log": ("--no-show-signature", "--pretty=medium"),
    "diff": ("--ignore-submodules=all", "--no-merges"),
}
"""A format of its own, because a configured one could verify signatures with a program of the
repository's choice.

`git diff` of two files outside the repository would print what they are; there it knows no
`--no-merges`, and refuses.
"""
_FILTERS = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
_NONE = 1
"""How `git config` ends where nothing matches."""
_ODD = "\N{REPLACEMENT CHARACTER}"
"""Stands where a name is no UTF-8; such a filter would not be met by its name."""


def run_git(root: str, words: Sequence[str]) -> CommandOutcome:
    """Raises nothing: what git complains of is kept apart, as a shell would."""
    if not in_repository(root):
        complaint = "fatal: not a git repository (or any of the parent directories): .git\n"
        return CommandOutcome("", 128, "", complaint)

    git = ("git", *_SHUT, "-C", root)
    filters = run_words([*git, *_FILTERS], root, environment(), apart=True)
    is_listed = not filters.why and filters.code in (0, _NONE)
    if not is_listed or _ODD in filters.output:
        said = filters.why or "its filters could not be listed"
        why = f"git was not asked about this repository: {said}"
        return filters.replace(output="", code=filters.code or 1, why=why)

    without_filters = _emptied(filters.output.split("\0"))
    env = {**environment(), **without_filters}
    name, *rest = words
    command = [*git, name, *_PLAIN, *_ALSO[name], *rest]
    return run_words(command, root, env, apart=True)


def _emptied(filters: Sequence[str]) -> dict[str, str]:
    """Settings that empty each of these; an empty filter is not run."""
    keys = dict.fromkeys(key for key in filters if key)
    env = {"GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return env
