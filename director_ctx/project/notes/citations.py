"""The paths of a repository that a note's text cites: code spans outside fences, and the targets of
links.

What comes out are candidates. Whether there ever was such a file is for the repository to say, so
this may be generous with names; it is strict only with what cannot be a path in it: addresses,
globs, options, commands, other places.
"""

from __future__ import annotations

from director_ctx.project.reading.markdown import outside_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 2000
LONGEST = 300
_NEVER = frozenset("*?<>|\"'$~={}!;,^%`")
"""In globs, placeholders, variables and commands. Brackets are not among them:
`app/[id]/(shop)/page.tsx` is a path.
"""


def citations(text: str, folder: str = "") -> tuple[str, ...]:
    """Cited paths with forward slashes, each once; a folder keeps its slash at the end if it was
    written with one.

    `../` leads upwards from the note's own folder, everything else starts at the root.
    """
    paths: dict[str, None] = {}
    for candidate in _candidates(text):
        path = _path(candidate, folder)
        if path:
            paths[path] = None
        if len(paths) >= MOST:
            break
    return tuple(paths)


def _candidates(text: str) -> Iterator[str]:
    for _, _, line in outside_code(text):
        spans: list[str] = []
        rest = line
        if "`" in line:
            spans, rest = _code_spans(line)
        for span in spans:
            # Words with blanks between them are a command.
            if " " not in span:
                yield span
        if "](" in rest or "]:" in rest:
            for target in _link_targets(rest):
                yield _decoded(target)


def _code_spans(line: str) -> tuple[list[str], str]:
    """The code spans of a line, and the line without them."""
    spans: list[str] = []
    rest = ""
    place = 0
    start = line.find("`")
    while start >= 0:
        rest += line[place:start]
        length = _backticks(line, start)
        opened = start + length
        end = _closing(line, opened, length)
        is_escaped = line[start - 1 : start] == "\\"
        if end < 0 or is_escaped:
            rest += line[start:opened]
            place = opened
        else:
            spans.append(line[opened:end].strip())
            place = end + length
        start = line.find("`", place)
    return spans, rest + line[place:]


def _closing(line: str, place: int, length: int) -> int:
    """Where as many backticks stand as opened the span, no fewer and no more."""
    start = line.find("`", place)
    while start >= 0:
        number = _backticks(line, start)
        if number == length:
            return start
        start = line.find("`", start + number)
    return -1


def _backticks(line: str, start: int) -> int:
    """How many stand there in a row."""
    after = line[start:].lstrip("`")
    return len(line) - start - len(after)


def _link_targets(line: str) -> Iterator[str]:
    """`](target "title")`, and `[name]: target` at the start of a line."""
    for rest in line.split("](")[1:]:
        yield _target(rest)
    name, mark, rest = line.strip().partition("]:")
    if mark and name.startswith("[") and not name.startswith("[^"):
        yield _target(rest.strip() + ")")


def _target(rest: str) -> str:
    """Up to a blank or the bracket that closes the link; or whatever stands in `<…>`."""
    rest = rest.lstrip()
    if rest.startswith("<"):
        return rest[1:].partition(">")[0]
    depth = 0
    for place, char in enumerate(rest):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        if depth < 0 or char.isspace():
            return rest[:place]
    return ""


def _decoded(target: str) -> str:
    if "%" not in target:
        return target
    # Few addresses have such a sign, and the module takes long to load.
    from urllib.parse import unquote

    return unquote(target)


def _path(raw: str, folder: str) -> str:
    """A candidate as a path below the root, or an empty string."""
    bare = raw.strip()
    if not bare or len(bare) > LONGEST or not bare.isprintable():
        return ""
    if bare[0] in "-/\\@#&":
        return ""
    # Without a place in a page, a line of the file, the end of a sentence, and brackets of a call.
    bare = bare.partition("#")[0].partition(":")[0].replace("\\", "/")
    bare = bare.rstrip(".,;!").removesuffix("()")
    if _NEVER & set(bare):
        return ""

    is_folder = bare.endswith("/")
    start = folder if bare.startswith("../") else ""
    names = _joined(start, bare)
    if not names:
        return ""
    if len(names) == 1 and not is_folder and not _is_file_name(names[0]):
        return ""
    path = "/".join(names)
    if is_folder:
        path = f"{path}/"
    return path


def _joined(folder: str, path: str) -> list[str]:
    """The names on the way, without `.` and `..`; none where the way leaves the root."""
    names: list[str] = []
    for name in (*folder.split("/"), *path.split("/")):
        if name == "..":
            if not names:
                return []
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return names


def _is_file_name(word: str) -> bool:
    """Whether a word alone looks like a file: `links.py`, `.gitignore`, `Makefile`; not `Project`,
    not `3.11`.
    """
    stem, dot, ending = word.rpartition(".")
    if not dot:
        return word[:1].isupper() and word.endswith("file")
    if not ending.isalnum() or ending.isdigit():
        return False
    return bool(stem) or len(ending) > 1
