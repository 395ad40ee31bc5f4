"""Concrete items in what an agent does: paths, identifiers, ids, keyed numbers, errors, selectors,
quoted strings.

The judge's own extractor. It shares nothing with the compressor's, or that one would keep what is
scored.
"""

from __future__ import annotations

import builtins
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH, NAME, ID, NUMBER, ERROR, SELECTOR, QUOTED = (
    "path",
    "identifier",
    "id",
    "number",
    "error",
    "selector",
    "quoted",
)
KINDS = (PATH, NAME, ID, NUMBER, ERROR, SELECTOR, QUOTED)

_ENDS = "py|pyi|pyx|js|ts|tsx|json|toml|cfg|ini|yml|yaml|md|rst|txt|html|css|sql|sh|csv|dcm|db|log|xml|ipynb|lock|patch"
_PATH = re.compile(
    rf"https?://[^\s\"'<>)\]]+|(?<![\w/.~@$-])(?:[~.]{{0,2}}/)?(?:[\w.+@-]+/)+[\w.+@-]+(?![\w/])"
    rf"|(?<![\w/.~-])[\w-]+\.(?:{_ENDS})\b(?!\()"
)
_LIKELY = re.compile(r"\.[A-Za-z]\w*$|^[/~].*[A-Za-z]|^https?:|/[\w.-]+/")
"""A path says so: by an ending, by where it begins, or by its depth. `a/b` may be a division."""
_WORDS = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_ID = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"
    r"|\b(?=\w*[A-Z])(?=\w*\d)[A-Z0-9]{6,12}\b|\b[A-Z]{2,5}-?\d{2,8}\b|\b[a-z]\w*_\d{4,}\b|\b\d{4}-\d\d-\d\d\b"
)
_KEYED = re.compile(r"\b([A-Za-z_]\w{2,})[\"']?\s?[=:]\s?(-?\d+(?:\.\d+)?(?:e-?\d+)?)\b")
_QUOTED = re.compile(r"\"([^\"\n\\]{6,120})\"|'([^'\n\\]{6,120})'")
_SNAKE_OR_CAMEL = re.compile(
    r"_*[A-Za-z0-9]+_\w+|_+[a-z]\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*"
)
_REF = re.compile(r"(?:s\d+)?[ef]\d+(?:e\d+)?")
_ALL_KNOW = frozenset(dir(builtins)) | {"self", "cls", "not_null", "KeyboardInterrupt"}
_NO_NEWS = re.compile(
    r"__\w+__|/dev/null|/?(?:testbed|tmp|usr/bin|bin)/?|/?(?:usr/)?bin/\w+|self\.\w{1,3}|\W*"
)
_ARITHMETIC = frozenset({"offset", "limit", "timeout", "head_limit"})
"""Where a reading began or ended is worked out by an agent, not remembered."""
_POINTS = frozenset({"ref", "selector", "uid", "target"})


class Item(NamedTuple):
    kind: str
    text: str
    key: str = ""
    """Of a number: what it is the value of; both must stand together."""


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in the arguments of a call, with the nearest key above it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield key, value


def arguments(text: str) -> list[tuple[str, Any]]:
    """The leaves of arguments as they are written down; what is no JSON is one leaf."""
    try:
        return list(leaves(json.loads(text)))
    except ValueError:
        return [("", text)]


def in_action(text: str) -> set[Item]:
    """The items in the arguments of one call, given as JSON or as a bare command."""
    found: set[Item] = set()
    for key, value in arguments(text):
        if isinstance(value, str):
            found.update(_in_leaf(key, value))
        elif key not in _ARITHMETIC and abs(value) >= 100 and value % 100:
            found.add(Item(NUMBER, str(value)))
    named = {item.text for item in found if item.kind != QUOTED}
    return {
        item for item in found if _is_news(item) and (item.kind != QUOTED or item.text not in named)
    }


def _in_leaf(key: str, text: str) -> Iterator[Item]:
    if key in _POINTS and len(text) <= 120:
        yield Item(SELECTOR, text.strip())
        return
    if _REF.fullmatch(text):
        yield Item(SELECTOR, text)
        return
    yield from _paths(text)
    yield from _names(_PATH.sub(" ", text))
    yield from (Item(ID, one) for one in _ID.findall(text))
    yield from (
        Item(NUMBER, number, name)
        for name, number in _KEYED.findall(text)
        if len(number.strip("-")) > 1
    )
    for pair in _QUOTED.findall(text):
        said = (pair[0] or pair[1]).strip()
        if " " in said and sum(map(str.isalpha, said)) > len(said) / 2:
            yield Item(QUOTED, said)
    whole = text.strip()
    if (
        3 <= len(whole) <= 80
        and "\n" not in whole
        and key not in ("command", "content", "description", "pattern")
    ):
        yield Item(QUOTED, whole)


def _paths(text: str) -> Iterator[Item]:
    for one in _PATH.findall(text):
        path = one.rstrip(".:,-")
        while path.startswith("./"):
            path = path[2:]
        if len(path) >= 5 and not path.startswith(("s/", "a/", "b/")) and _LIKELY.search(path):
            yield Item(PATH, path)


def _names(text: str) -> Iterator[Item]:
    for word in _WORDS.findall(text):
        if len(word) < 5:
            continue
        last = word.rpartition(".")[2]
        if last.endswith(("Error", "Exception", "Warning")) and last not in _ALL_KNOW:
            yield Item(ERROR, last)
        elif "." in word:
            yield Item(NAME, word)
            yield from (Item(NAME, part) for part in word.split(".") if _telling(part))
        elif _telling(word):
            yield Item(NAME, word)


def _telling(word: str) -> bool:
    return len(word) >= 5 and word not in _ALL_KNOW and bool(_SNAKE_OR_CAMEL.fullmatch(word))


def _is_news(item: Item) -> bool:
    return item.text not in _ALL_KNOW and not _NO_NEWS.fullmatch(item.text)
