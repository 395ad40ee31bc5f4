"""What `dctx skill render` carries out: this list, and nothing that is not in it."""

from __future__ import annotations

import re

from director_ctx.base.secrets.file_names import is_secret
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILES = "files"
HISTORY = "git"
OWN = "dctx"

_WHICH = ("--task", "-t", "--step", "-s", "--goal", "-g")
_SHAPE = (
    *_WHICH, "--codebase", "--research", "--with", "--without", "--note", "--quick", "--question", "--input",
    "--changes", "--model", "-m", "--window", "--budget", "-b", "--counter", "--layout", "--skill",
)  # fmt: skip
COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("--goal", "-g", "--json"),
    "next": ("--json",),
    "assemble": (*_SHAPE, "--format", "-f", "--only", "--part", "--no-record", "--strict"),
    "budget": (*_SHAPE, "--all", "--history", "--what-if", "--json"),
    "profiles": ("--types", "--ladder", "--models", "--json"),
    "diff": ("--agent", "--summary", "--json"),
    "task show": ("--json",),
    "doctor": ("--stale", "--json"),
}
"""The program's own commands that only read, and the options that leave it so. `--inject` goes with
all.
"""

# An option's value may also be the next word, which is judged by itself.
_COUNTS = r"-\d+|-n\d*|--max-count(?:=\d+)?"
_DATES = r"--(?:since|until|after|before|author|grep)(?:=.*)?"
_NAMED_FORMAT = r"--(?:format|pretty)=(?:oneline|short|medium|full|fuller|reference)"
# `%G` verifies signatures, with a program that the repository's configuration may name.
_OWN_FORMAT = r"--(?:format|pretty)=(?:t?format:)?(?!.*%[-+ ]?G).*%.*"
_LISTS = r"--(?:stat|shortstat|numstat|name-only|name-status|summary)"
GIT: dict[str, tuple[str, ...]] = {
    "log": (
        _COUNTS, _DATES, _NAMED_FORMAT, _OWN_FORMAT, _LISTS, r"--oneline|--graph|--all|--branches|--tags|--reverse",
        r"--(?:no-)?merges|--first-parent|--(?:no-)?decorate|--abbrev-commit|--date=[\w:-]+|--relative-date|--",
    ),
    "diff": (_LISTS, r"--cached|--staged|--"),
    "status": (r"--short|-s|--branch|-b|-sb|--porcelain|--",),
}  # fmt: skip
"""Options of git that print and do nothing else, as whole words."""


def judge(words: Sequence[str], root: str) -> str:
    """What kind of command this is; nothing where it is not on the list."""
    if words[0] == "cat":
        names = [path_in_folder(path, root) for path in words[1:]]
        is_harmless = bool(names) and all(name and not is_secret(name) for name in names)
        return FILES if is_harmless else ""
    if words[0] == "git":
        return HISTORY if _only_tells(words[1:]) else ""
    own = own_words(words)
    return OWN if own and _only_reads(own) else ""


def own_words(words: Sequence[str]) -> tuple[str, ...]:
    """What follows `dctx`, wherever it is installed; nothing if that is another program."""
    program, *rest = words
    options = rest[1:] if rest[:1] == ["-P"] else rest
    if options[:2] == ["-m", "director_ctx"]:
        return tuple(options[2:])
    _, _, name = program.replace("\\", "/").rpartition("/")
    return tuple(rest) if name.removesuffix(".exe") == "dctx" else ()


def path_in_folder(path: str, root: str) -> str:
    """The path below the root if it is in `.director/`, without steps upwards; nothing otherwise."""
    below = path
    if path.startswith("/"):
        below = path.removeprefix(root.rstrip("/") + "/")
    parts = [part for part in below.split("/") if part not in ("", ".")]
    is_in_folder = len(parts) > 1 and parts[0] == FOLDER
    if below.startswith("/") or not is_in_folder or ".." in parts:
        return ""
    return "/".join(parts)


def _only_tells(words: Sequence[str]) -> bool:
    """Whether git only prints, and no content of files."""
    if not words or words[0] not in GIT:
        return False
    name, *rest = words
    shape = "|".join(GIT[name])
    for word in rest:
        is_option = word.startswith("-")
        if is_option and not re.fullmatch(shape, word, re.S):
            return False
        # A revision, a range, or a path of this repository.
        is_above = ".." in word.split("/")
        if not is_option and (is_above or not re.fullmatch(r"[\w.@^{][\w.@^~{}/-]*", word)):
            return False
    return name != "diff" or any(re.fullmatch(_LISTS, word) for word in rest)


def _only_reads(words: Sequence[str]) -> bool:
    two_words = " ".join(words[:2])
    name = two_words if two_words in COMMANDS else words[0]
    allowed = (*COMMANDS.get(name, ()), "--inject")
    options = [word.partition("=")[0] for word in words if word.startswith("-")]
    return name in COMMANDS and all(option in allowed for option in options)
