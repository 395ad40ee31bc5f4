"""What a skill may do without anybody's consent: this list, and nothing that is not in it."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.clients.skills.arguments import fill, is_argument, pattern
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from director_ctx.clients.skills.arguments import Values


_WRITTEN = re.compile(r"(?<!<)>>?[ \t]*[^\s;|&<>()]+")
_WORDS = (
    re.compile(r"[^\s;|&<>()'\"`$]+"),
    re.compile(r"[^\s;|&<>()'\"`$=:,]+"),  # --file=tools/run.sh, PATH=tools:more
    re.compile(r"'([^']+)'"),
    re.compile(r'"([^"]+)"'),
)
_PLACE = re.compile(r"\$?\{(CLAUDE_\w+)\}")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_UNSEEN = re.compile(
    r"[*?\[\\~$`{]|\b(?:cd|pushd|eval|source)(?=\s)|(?:(?<=[;|&('\"\n])|^)[ \t]*\.(?=\s)"
)


def names(command: str, values: Values) -> set[str]:
    """Every word, however it is quoted; what is only written to does not matter.

    Places are filled in afterwards: there may be a blank in them.
    """
    read = _WRITTEN.sub("", fill(command, values.replace(text="", words=(), places={})))
    words = {word for shape in _WORDS for word in shape.findall(read)}
    filled = {_with_places(word, values.places) for word in words}
    filled |= {word.replace("\\", "") for word in filled}
    return filled.union(*map(_as_module, filled))


def _as_module(word: str) -> tuple[str, ...]:
    """Where Python finds what `-m` names: `tools` is tools.py or a folder, and so is the start of
    `tools.look`.
    """
    if not _MODULE.fullmatch(word):
        return ()
    package = word.partition(".")[0]
    return (package, f"{package}.py")


def _with_places(word: str, places: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: places.get(found[1], found[0]), word)


def unseen(command: str, values: Values) -> str:
    """What in a command makes a shell find files that do not stand in it; nothing where it has
    nothing of the kind.
    """
    known = pattern(values.names).sub(
        lambda found: "" if is_argument(found) or found["place"] else found[0], command
    )
    found = _UNSEEN.search(known)
    return found[0].strip() if found else ""


FILES, HISTORY, OWN = "files", "git", "dctx"

_WHICH = ("--task", "-t", "--step", "-s", "--goal", "-g")
_SHAPE = (
    *_WHICH, "--type", "--codebase", "--research", "--with", "--without", "--note", "--quick", "--focus", "--domain",
    "--mode", "--question", "--attempt", "--changes", "--compat", "--all-commits", "--model", "-m", "--window",
    "--budget", "-b", "--counter", "--layout", "--order", "--skill",
)  # fmt: skip
COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("--goal", "-g", "--json"),
    "next": ("--json",),
    "assemble": (*_SHAPE, "--format", "-f", "--only", "--no-record", "--strict"),
    "budget": (*_SHAPE, "--all", "--history", "--what-if", "--json"),
    "profiles": ("--types", "--ladder", "--models", "--json"),
    "diff": ("--agent", "--summary", "--json"),
    "tokens": ("--counter", "--model", "-m", "--tree", "--json"),
    "task show": ("--json",),
    "idea list": ("--json",),
    "doctor": ("--stale", "--json"),
}
"""The program's own commands that only read, and the options that leave it so. `--inject` goes with
all.
"""

_COUNTS = r"-\d+|-n\d+|--max-count=\d+"
_DATES = r"--(?:since|until|after|before|author|grep)=.*"
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
}  # fmt: skip
"""Options of git that print and do nothing else, as whole words."""
WITH_VALUE = (
    "-n",
    "--max-count",
    "--since",
    "--until",
    "--after",
    "--before",
    "--author",
    "--grep",
)
"""Options of `git log` whose value may be the next word."""


class Verdict(Record):
    """What a command is, where it needs no consent; why not, where it does."""

    kind: str
    why: str


def judge(words: Sequence[str], root: str) -> Verdict:
    """Whether a command is on the list."""
    first = words[0] if words else ""
    if first == "cat":
        return _files(words[1:], root)
    if first == "git":
        return _git(words[1:])
    if own := own_words(words):
        return _own(own, root)
    return Verdict("", f"{first[:60]!r} is not among the commands that need no consent")


def own_words(words: Sequence[str]) -> tuple[str, ...]:
    """What follows `dctx`, wherever it is installed; nothing if that is another program."""
    rest = tuple(words[2:] if tuple(words[1:2]) == ("-P",) else words[1:])
    if rest[:2] == ("-m", "director_ctx"):
        return rest[2:] or ("",)
    name = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe") if words else ""
    return tuple(words[1:]) or ("",) if name == "dctx" else ()


def place_in_folder(path: str, root: str) -> str:
    """The path below the root if it is in `.director/`, without steps upwards; nothing otherwise."""
    inside = path.removeprefix(root.rstrip("/") + "/") if path.startswith("/") else path
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    fine = (
        not inside.startswith("/")
        and parts[:1] == [FOLDER]
        and len(parts) > 1
        and ".." not in parts
    )
    return "/".join(parts) if fine else ""


def _files(paths: Sequence[str], root: str) -> Verdict:
    if not paths:
        return Verdict("", "cat without a file waits for input")
    for path in paths:
        place = place_in_folder(path, root)
        if not place:
            return Verdict("", f"{path[:80]} is not a file in {FOLDER}/")
        if is_secret(place):
            return Verdict("", f"{path[:80]} may hold a secret")
    return Verdict(FILES, f"prints files of {FOLDER}/")


def _git(words: Sequence[str]) -> Verdict:
    name = words[0] if words else ""
    if name not in GIT:
        return Verdict("", "of git, only `git log` and `git diff --stat` need no consent")
    shape = "|".join(GIT[name])
    options = list(_options(words[1:], WITH_VALUE if name == "log" else ()))
    for word in options:
        if not (re.fullmatch(shape, word, re.S) if word.startswith("-") else _is_revision(word)):
            return Verdict("", f"{word[:60]} is not a known harmless option of git {name}")
    if name == "diff" and not any(re.fullmatch(_LISTS, word) for word in options):
        return Verdict("", "git diff without --stat prints what is in files")
    return Verdict(HISTORY, "asks git, which only reads")


def _options(words: Sequence[str], with_value: Sequence[str]) -> Iterator[str]:
    """The words without those options whose value follows, and without the values."""
    rest = iter(words)
    for word in rest:
        if word not in with_value:
            yield word
        elif (following := next(rest, "-")).startswith("-"):
            yield following


def _is_revision(word: str) -> bool:
    """A revision, a range, or a path of this repository."""
    return bool(re.fullmatch(r"[\w.@^{][\w.@^~{}/-]*", word)) and ".." not in word.split("/")


def _own(words: Sequence[str], root: str) -> Verdict:
    name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    if name not in COMMANDS:
        return Verdict(
            "", f"`dctx {name[:40]}` does more than read" if name else "which command of dctx?"
        )
    rest, places = list(words[len(name.split()) :]), list[str]()
    while rest:
        word = rest.pop(0)
        flag, equals, _ = word.partition("=")
        if not word.startswith("-"):
            places.append(word)
        elif flag not in (*COMMANDS[name], "--inject"):
            return Verdict(
                "", f"`dctx {name} {flag[:40]}` does more than print what is in {FOLDER}/"
            )
        elif flag in ("--counter", "--model", "-m") and not equals:
            del rest[: bool(rest and rest[0][:1] != "-")]
    if name == "tokens" and any(not place_in_folder(place, root) for place in places):
        return Verdict("", f"it counts files that are not in {FOLDER}/")
    return Verdict(OWN, "the program's own, and only reads")
