"""Changes one value of a YAML text, and leaves every other character as somebody wrote it.

The places come from PyYAML, the text is cut and joined. What comes out is read again and compared
with what was meant: a file that is written in a way that is not understood here is refused, never
damaged.
"""

from __future__ import annotations

import json

from director_ctx.base.errors import DctxError
from director_ctx.base.system.yaml_file import parse_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

INDENT = 2


def value_at(text: str, path: str, keys: Sequence[str]) -> object:
    """The value under these keys; None where there is none."""
    return _value_in(parse_yaml(text, path), keys)


def with_value(text: str, path: str, keys: Sequence[str], value: object) -> str:
    """The text with a value under these keys: put in its place, or added where it is missing."""
    wanted = _with_in(parse_yaml(text, path), keys, value)
    return _checked(_changed(text, _root(text), keys, value), path, wanted)


def without_value(text: str, path: str, keys: Sequence[str]) -> str:
    """The text without these keys, and without a mapping that would be empty then."""
    data = parse_yaml(text, path)
    if _value_in(data, keys) is None:
        return text
    # Up from the value, while nothing else stands in the mapping that it is in.
    while len(keys) > 1 and _value_in(data, keys[:-1]) == {keys[-1]: _value_in(data, keys)}:
        keys = keys[:-1]
    return _checked(_cut_out(text, keys), path, _with_in(data, keys, None, remove=True))


def _value_in(data: object, keys: Sequence[str]) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _with_in(
    data: object, keys: Sequence[str], value: object, remove: bool = False
) -> dict[str, Any]:
    """The data as it has to be afterwards."""
    mapping = dict(data) if isinstance(data, dict) else {}
    first, *rest = keys
    if rest:
        mapping[first] = _with_in(mapping.get(first), rest, value, remove)
    elif remove:
        mapping.pop(first, None)
    else:
        mapping[first] = value
    return mapping


def _checked(changed: str, path: str, wanted: object) -> str:
    """What was made, if it means what was meant."""
    try:
        if (parse_yaml(changed, path) or {}) == (wanted or {}):
            return changed
    except DctxError:
        pass
    raise DctxError(
        f"{path} is written in a way that dctx does not change by itself.",
        "Change it in an editor; `dctx config show` looks at it then.",
    )


def _root(text: str) -> Any:
    """The nodes of the text, with their places. The slow loader knows each of them exactly."""
    import yaml

    return yaml.compose(text, Loader=yaml.SafeLoader)


def _changed(text: str, node: Any, keys: Sequence[str], value: object) -> str:
    if node is None:
        if text and not text.endswith("\n"):
            text += _line_end(text)
        return text + _lines(text, keys, value, 0)

    depth = 0
    key_node = None
    while _is_mapping(node):
        pair = _pair(node, keys[depth])
        if pair is None:
            return _added(text, node, keys[depth:], value)
        key_node, node = pair
        depth += 1
        if depth == len(keys):
            return _replaced(text, key_node, node, value)

    # A key with nothing behind it: what is below it begins in the next line.
    if key_node is None or node.start_mark.index != node.end_mark.index:
        return text
    lines = _lines(text, keys[depth:], value, key_node.start_mark.column + INDENT)
    return _with_lines(text, key_node.end_mark.index, lines)


def _replaced(text: str, key_node: Any, node: Any, value: object) -> str:
    start = node.start_mark.index
    if start == node.end_mark.index:
        # A null that nobody wrote: it belongs right behind the colon.
        behind = text.index(":", key_node.end_mark.index) + 1
        return f"{text[:behind]} {written(value)}{text[behind:]}"
    return text[:start] + written(value) + text[_last_character(text, node) :]


def _added(text: str, mapping: Any, keys: Sequence[str], value: object) -> str:
    """The value as the last one of a mapping that is there."""
    if not mapping.flow_style:
        lines = _lines(text, keys, value, mapping.start_mark.column)
        return _with_lines(text, _last_character(text, mapping), lines)

    entry = written(value)
    for key in reversed(keys[1:]):
        entry = f"{{{written(key)}: {entry}}}"
    entry = f"{written(keys[0])}: {entry}"
    place = mapping.start_mark.index + 1
    if mapping.value:
        place = mapping.value[-1][1].end_mark.index
        entry = f", {entry}"
    return text[:place] + entry + text[place:]


def _with_lines(text: str, behind: int, lines: str) -> str:
    """Whole lines, below the one that a place is in."""
    if behind > 0 and text[behind - 1] == "\n":
        return text[:behind] + lines + text[behind:]
    end = text.find("\n", behind)
    if end < 0:
        return text + _line_end(text) + lines
    return text[: end + 1] + lines + text[end + 1 :]


def _lines(text: str, keys: Sequence[str], value: object, column: int) -> str:
    """A value in block style, a key on each line."""
    lines: list[str] = []
    for key in keys:
        lines.append(" " * (column + INDENT * len(lines)) + f"{written(key)}:")
    lines[-1] += f" {written(value)}"
    line_end = _line_end(text)
    return line_end.join(lines) + line_end


def _cut_out(text: str, keys: Sequence[str]) -> str:
    *above, last = keys
    mapping = _root(text)
    for key in above:
        pair = _pair(mapping, key)
        if pair is None:
            return text
        _, mapping = pair
    pairs = mapping.value
    names = [key_node.value for key_node, _ in pairs]
    if last not in names:
        return text
    number = names.index(last)
    key_node, value = pairs[number]
    start, end = key_node.start_mark.index, value.end_mark.index
    if mapping.flow_style:
        # With the comma before it; the first one with the comma behind it.
        if number > 0:
            start = pairs[number - 1][1].end_mark.index
        elif len(pairs) > 1:
            end = pairs[1][0].start_mark.index
        return text[:start] + text[end:]

    start = text.rfind("\n", 0, start) + 1
    end = text.find("\n", max(_last_character(text, value) - 1, start))
    return text[:start] + (text[end + 1 :] if end >= 0 else "")


def _last_character(text: str, node: Any) -> int:
    """Where a value ends. PyYAML has a block end only where the next thing begins, beyond comments."""
    import yaml

    while not isinstance(node, yaml.ScalarNode) and not node.flow_style and node.value:
        node = node.value[-1]
        if isinstance(node, tuple):
            key_node, value_node = node
            is_written = value_node.end_mark.index > value_node.start_mark.index
            node = value_node if is_written else key_node
    end = int(node.end_mark.index)
    # A text below its key ends with its line, and what is put in its place does not.
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        end = len(text[:end].rstrip("\r\n"))
    return end


def _is_mapping(node: Any) -> bool:
    import yaml

    return isinstance(node, yaml.MappingNode)


def _pair(mapping: Any, key: str) -> tuple[Any, Any] | None:
    found = [pair for pair in mapping.value if pair[0].value == key] if _is_mapping(mapping) else []
    return found[0] if found else None


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def written(value: object) -> str:
    """A value as YAML on one line: plain where it reads the same, else in quotes."""
    if isinstance(value, list | tuple):
        items = [written(item) for item in value]
        return f"[{', '.join(items)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _reads_the_same(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _reads_the_same(value: str) -> bool:
    """Whether a text means itself wherever it may come to stand: as an item, a value and a key."""
    if "\n" in value or value.startswith("#"):
        return False
    read = {
        f"[{value}]": [value],
        f"key: {value}": {"key": value},
        f"{value}: value": {value: "value"},
    }
    try:
        return all(parse_yaml(text, "a value") == meant for text, meant in read.items())
    except DctxError:
        return False
