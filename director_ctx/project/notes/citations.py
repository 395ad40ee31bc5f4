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
    found: dict[str, None] = {}
    for raw in _cited(text):
        if path := _path(raw, folder):
            found[path] = None
        if len(found) >= MOST:
            break
    return tuple(found)


def _cited(text: str) -> Iterator[str]:
    for _, _, line in outside_code(text):
        spans, rest = _code_spans(line) if "`" in line else ([], line)
        yield from (span for span in spans if " " not in span)
        if "](" in rest or "]:" in rest:
            yield from map(_decoded, _link_targets(rest))


def _code_spans(line: str) -> tuple[list[str], str]:
    """The code spans of a line, and the line without them."""
    spans, rest, place = [], "", 0
    while (start := line.find("`", place)) >= 0:
        length = len(line) - start - len(line[start:].lstrip("`"))
        end = _closing(line, start + length, length)
        if end < 0 or line[start - 1 : start] == "\\":
            rest, place = rest + line[place : start + length], start + length
            continue
        spans.append(line[start + length : end].strip())
        rest, place = rest + line[place:start], end + length
    return spans, rest + line[place:]


def _closing(line: str, place: int, length: int) -> int:
    """Where as many backticks stand as opened the span, no fewer and no more."""
    while (start := line.find("`", place)) >= 0:
        found = len(line) - start - len(line[start:].lstrip("`"))
        if found == length:
            return start
        place = start + found
    return -1


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
        depth += (char == "(") - (char == ")")
        if depth < 0 or char.isspace():
            return rest[:place]
    return ""


def _decoded(target: str) -> str:
    if "%" not in target:
        return target
    from urllib.parse import unquote

    return unquote(target)


def _path(raw: str, folder: str) -> str:
    """A candidate as a path below the root, or an empty string."""
    bare = raw.strip()
    if not bare or len(bare) > LONGEST or bare[0] in "-/\\@#&" or not bare.isprintable():
        return ""
    bare = (
        bare.partition("#")[0]
        .partition(":")[0]
        .replace("\\", "/")
        .rstrip(".,;!")
        .removesuffix("()")
    )
    if _NEVER & set(bare):
        return ""
    parts = _joined(folder, bare) if bare.startswith("../") else _joined("", bare)
    if not parts or not (len(parts) > 1 or bare.endswith("/") or _is_name(parts[0])):
        return ""
    return "/".join(parts) + ("/" if bare.endswith("/") else "")


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


def _is_name(word: str) -> bool:
    """Whether a word alone looks like a file: `links.py`, `.gitignore`, `Makefile`; not `Project`,
    not `3.11`.
    """
    stem, dot, ending = word.rpartition(".")
    if not dot:
        return word[:1].isupper() and word.endswith("file")
    return ending.isalnum() and not ending.isdigit() and (bool(stem) or len(ending) > 1)
