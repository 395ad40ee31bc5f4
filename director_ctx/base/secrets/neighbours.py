"""What a neighbour names: `{"name": "API_KEY", "value": 1}`, `<input name="pin" value="...">`,
`set("pin", "...")`
"""

from __future__ import annotations

import re

from director_ctx.base.secrets.find_shapes import HIDDEN
from director_ctx.base.secrets.names import hides_name

NAMED_BY = (
    "name",
    "key",
    "field",
    "header",
    "id",
    "type",
    "label",
    "param",
    "parameter",
    "variable",
    "setting",
)
VALUES = frozenset("value val content data".split())
"""Keys that say nothing of their value, which one of the others names."""
_AROUND = 300
"""Characters on either side in which the neighbour stands."""
_NAMING = re.compile(
    rf"(?i:\b(?:{'|'.join(NAMED_BY)})\\?[\"']?\s{{0,9}}[:=]\s{{0,9}}\\?[\"']?(?P<name>[\w.$-]{{1,80}}))"
)
_EDGES = re.compile(r"[{}<>\[\]]|\n\s*\n|\n[ \t]*-[ \t]|^[ \t]*-[ \t]")
_CALLED = re.compile(
    r"\b(?:define|set|put|add|setProperty|putProperty|setenv|putenv|setItem|setHeader|addHeader|header)\(\s{0,9}"
    r"[\"'](?P<name>[\w.-]{1,80})[\"']\s{0,9},\s{0,9}[\"'](?P<value>[^\"'\r\n]{1,500})[\"']"
)
_CELL = re.compile(
    r"<(?:td|th|dt)>\s{0,9}(?P<name>[\w .-]{1,80}?):?\s{0,9}</(?:td|th|dt)>\s{0,40}<(?:td|dd)>\s{0,9}(?:<code>)?"
    r"(?P<value>(?=[^\s<]{0,60}\d)[^\s<]{4,500})"
)
_ELEMENT = re.compile(
    r"\b(?:name|key|id)=[\"'](?P<name>[\w.-]{1,80})[\"']\s{0,9}>(?P<value>[^<]{1,500})</"
)


def name_beside(text: str, start: int, end: int) -> str:
    """The secret name that stands beside a `value`, in the same object, element or item; an empty
    text if none does.
    """
    before = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]

    edges = list(_EDGES.finditer(before))
    if edges:
        before = before[edges[-1].end() :]
    next_edge = _EDGES.search(after)
    if next_edge:
        after = after[: next_edge.start()]

    for beside in (before, after):
        for naming in _NAMING.finditer(beside):
            if hides_name(naming["name"]):
                return naming["name"]
    return ""


def without_named(text: str) -> str:
    """The text without what is given to a secret name in a call, or stands in an element with such
    a name.
    """
    if "(" in text:
        text = _CALLED.sub(_hidden, text)
    if "</" in text:
        text = _CELL.sub(_hidden, _ELEMENT.sub(_hidden, text))
    return text


def _hidden(call: re.Match[str]) -> str:
    if not hides_name(call["name"]):
        return call[0]
    start = call.start("value") - call.start()
    end = call.end("value") - call.start()
    return f"{call[0][:start]}{HIDDEN}{call[0][end:]}"
