"""`git log`, `git status` and `git diff --stat` for a skill, carried out so that they only read.

Unlike `changes`, this looks at the working tree as well, where git would run the filters that a
repository's configuration names, and look into submodules. Both are switched off. A bare repository
inside another one is only a folder of the project, and its configuration is somebody's text.
"""

from __future__ import annotations

import subprocess

from director_ctx.base.record import Record
from director_ctx.project.git.child import SAFE, environment
from director_ctx.project.git.log import in_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 10.0
"""For a program that a skill starts."""
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
    "log": (*_PLAIN, "--no-show-signature", "--pretty=medium"),
    "diff": (*_PLAIN, "--ignore-submodules=all", "--no-merges"),
    "status": ("--ignore-submodules=all",),
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


class CommandOutcome(Record):
    output: str
    code: int
    complaint: str = ""
    """What it printed on standard error."""


def run_git(root: str, words: Sequence[str]) -> CommandOutcome:
    """Raises nothing: what git complains of is kept apart, as a shell would."""
    if not in_repository(root):
        complaint = "fatal: not a git repository (or any of the parent directories): .git\n"
        return CommandOutcome("", 128, complaint)

    git = ("git", *_SHUT, "-C", root)
    filters = run_words([*git, *_FILTERS], root, environment())
    if filters.code not in (0, _NONE) or _ODD in filters.output:
        said = filters.complaint.strip() or "its filters could not be listed"
        complaint = f"git was not asked about this repository: {said}"
        return CommandOutcome("", filters.code or 1, complaint)

    # An empty filter is not run.
    keys = dict.fromkeys(filter(None, filters.output.split("\0")))
    env = {**environment(), "GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    name, *rest = words
    return run_words([*git, name, *_ALSO[name], *rest], root, env)


def run_words(words: Sequence[str], folder: str, env: Mapping[str, str]) -> CommandOutcome:
    """One program with nothing on its standard input, and no shell."""
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return CommandOutcome("", 124, f"it was stopped after {SECONDS:.0f} seconds")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        return CommandOutcome("", 127, f"{words[0]} cannot be run: {said}")
    output, complaint = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return CommandOutcome(output, done.returncode, complaint)
