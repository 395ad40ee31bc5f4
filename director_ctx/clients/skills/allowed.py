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
    without_arguments = values.replace(text="", words=(), places={})
    filled = fill(command, without_arguments)
    text = _WRITTEN.sub("", filled)
    words: set[str] = set()
    for shape in _WORDS:
        for written in shape.findall(text):
            word = _with_places(written, values.places)
            words.add(word)
            # A shell takes `a\b` for `ab`.
            words.add(word.replace("\\", ""))

    modules: set[str] = set()
    for word in words:
        modules.update(_as_module(word))
    return words | modules


def _as_module(word: str) -> tuple[str, ...]:
    """Where Python finds what `-m` names: `tools` is tools.py or a folder, and so is the start of
    `tools.look`.
    """
    if not _MODULE.fullmatch(word):
        return ()
    package = word.partition(".")[0]
    return (package, f"{package}.py")


def _with_places(word: str, places: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: places.get(match[1], match[0]), word)


def unseen(command: str, values: Values) -> str:
    """What in a command makes a shell find files that do not stand in it; nothing where it has
    nothing of the kind.
    """

    def without_known(match: re.Match[str]) -> str:
        is_known = is_argument(match) or match["place"]
        if is_known:
            return ""
        return match[0]

    rest = pattern(values.names).sub(without_known, command)
    sign = _UNSEEN.search(rest)
    if sign is None:
        return ""
    return sign[0].strip()


FILES = "files"
HISTORY = "git"
OWN = "dctx"

_WHICH = ("--task", "-t", "--step", "-s", "--goal", "-g")
_SHAPE = (
    *_WHICH, "--type", "--codebase", "--research", "--with", "--without", "--note", "--quick", "--focus", "--domain",
    "--mode", "--question", "--attempt", "--changes", "--compat", "--all-commits", "--model", "-m", "--window",
    "--budget", "-b", "--counter", "--layout", "--tools", "--order", "--skill",
)  # fmt: skip
COMMANDS: dict[str, tuple[str, ...]] = {
    "status": ("--goal", "-g", "--json"),
    "next": ("--json",),
    "assemble": (*_SHAPE, "--format", "-f", "--only", "--part", "--no-record", "--strict"),
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
    first = ""
    if words:
        first = words[0]
    if first == "cat":
        return _files(words[1:], root)
    if first == "git":
        return _git(words[1:])
    own = own_words(words)
    if own:
        return _own(own, root)
    return Verdict("", f"{first[:60]!r} is not among the commands that need no consent")


def own_words(words: Sequence[str]) -> tuple[str, ...]:
    """What follows `dctx`, wherever it is installed; nothing if that is another program."""
    if not words:
        return ()
    program, *rest = words
    options = rest
    if rest[:1] == ["-P"]:
        options = rest[1:]
    # An empty word stands where there is none, so that it is told from another program.
    if options[:2] == ["-m", "director_ctx"]:
        return tuple(options[2:]) or ("",)

    _, _, name = program.replace("\\", "/").rpartition("/")
    if name.removesuffix(".exe") != "dctx":
        return ()
    return tuple(rest) or ("",)


def path_in_folder(path: str, root: str) -> str:
    """The path below the root if it is in `.director/`, without steps upwards; nothing otherwise."""
    below = path
    if path.startswith("/"):
        below = path.removeprefix(root.rstrip("/") + "/")
    if below.startswith("/"):
        return ""

    parts = [part for part in below.split("/") if part not in ("", ".")]
    is_in_folder = len(parts) > 1 and parts[0] == FOLDER
    if not is_in_folder or ".." in parts:
        return ""
    return "/".join(parts)


def _files(paths: Sequence[str], root: str) -> Verdict:
    if not paths:
        return Verdict("", "cat without a file waits for input")
    for path in paths:
        below = path_in_folder(path, root)
        if not below:
            return Verdict("", f"{path[:80]} is not a file in {FOLDER}/")
        if is_secret(below):
            return Verdict("", f"{path[:80]} may hold a secret")
    return Verdict(FILES, f"prints files of {FOLDER}/")


def _git(words: Sequence[str]) -> Verdict:
    name = ""
    if words:
        name = words[0]
    if name not in GIT:
        return Verdict("", "of git, only `git log` and `git diff --stat` need no consent")

    shape = "|".join(GIT[name])
    with_value: Sequence[str] = ()
    if name == "log":
        with_value = WITH_VALUE
    options = list(_options(words[1:], with_value))
    for word in options:
        if not _is_harmless(word, shape):
            return Verdict("", f"{word[:60]} is not a known harmless option of git {name}")

    has_list = any(re.fullmatch(_LISTS, word) for word in options)
    if name == "diff" and not has_list:
        return Verdict("", "git diff without --stat prints what is in files")
    return Verdict(HISTORY, "asks git, which only reads")


def _is_harmless(word: str, shape: str) -> bool:
    if word.startswith("-"):
        return re.fullmatch(shape, word, re.S) is not None
    return _is_revision(word)


def _options(words: Sequence[str], with_value: Sequence[str]) -> Iterator[str]:
    """The words without those options whose value follows, and without the values."""
    rest = iter(words)
    for word in rest:
        if word not in with_value:
            yield word
            continue
        # An option that lacks its value is judged as `-`, which is none of the harmless ones.
        value = next(rest, "-")
        if value.startswith("-"):
            yield value


def _is_revision(word: str) -> bool:
    """A revision, a range, or a path of this repository."""
    if ".." in word.split("/"):
        return False
    return re.fullmatch(r"[\w.@^{][\w.@^~{}/-]*", word) is not None


def _own(words: Sequence[str], root: str) -> Verdict:
    two_words = " ".join(words[:2])
    name = two_words if two_words in COMMANDS else words[0]
    if not name:
        return Verdict("", "which command of dctx?")
    if name not in COMMANDS:
        return Verdict("", f"`dctx {name[:40]}` does more than read")

    paths: list[str] = []
    rest = list(words[len(name.split()) :])
    while rest:
        word = rest.pop(0)
        flag, equals, _ = word.partition("=")
        if not word.startswith("-"):
            paths.append(word)
            continue
        if flag not in (*COMMANDS[name], "--inject"):
            why = f"`dctx {name} {flag[:40]}` does more than print what is in {FOLDER}/"
            return Verdict("", why)
        value_follows = flag in ("--counter", "--model", "-m") and not equals
        if value_follows and rest and not rest[0].startswith("-"):
            rest.pop(0)

    if name == "tokens" and not all(path_in_folder(path, root) for path in paths):
        return Verdict("", f"it counts files that are not in {FOLDER}/")
    return Verdict(OWN, "the program's own, and only reads")
