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

    Pair = tuple[Any, Any]

INDENT = 2


def value_at(text: str, path: str, keys: Sequence[str]) -> object:
    """The value under these keys; None where there is none."""
    value = parse_yaml(text, path)
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def with_value(text: str, path: str, keys: Sequence[str], value: object) -> str:
    """The text with a value under these keys: put in its place, or added where it is missing."""
    data = parse_yaml(text, path)
    wanted = _set_in(data, keys, value)
    root = _root(text)
    changed = _changed(text, root, keys, value)
    return _checked(changed, path, wanted)


def without_value(text: str, path: str, keys: Sequence[str]) -> str:
    """The text without these keys, and without a mapping that would be empty then."""
    data = parse_yaml(text, path)
    if value_at(text, path, keys) is None:
        return text
    shorter = _shortest(data, keys)
    wanted = _removed_from(data, shorter)
    changed = _cut_out(text, _root(text), shorter)
    return _checked(changed, path, wanted)


def _checked(changed: str, path: str, wanted: object) -> str:
    """What was made, if it means what was meant."""
    try:
        is_right = (parse_yaml(changed, path) or {}) == (wanted or {})
    except DctxError:
        is_right = False
    if not is_right:
        raise DctxError(
            f"{path} is written in a way that dctx does not change by itself.",
            "Change it in an editor; `dctx config show` looks at it then.",
        )
    return changed


def _set_in(data: object, keys: Sequence[str], value: object) -> dict[str, Any]:
    """The data as it has to be afterwards."""
    mapping = dict(data) if isinstance(data, dict) else {}
    first, *rest = keys
    if rest:
        mapping[first] = _set_in(mapping.get(first), rest, value)
    else:
        mapping[first] = value
    return mapping


def _removed_from(data: object, keys: Sequence[str]) -> dict[str, Any]:
    mapping = dict(data) if isinstance(data, dict) else {}
    first, *rest = keys
    if rest:
        mapping[first] = _removed_from(mapping.get(first), rest)
    else:
        mapping.pop(first, None)
    return mapping


def _shortest(data: object, keys: Sequence[str]) -> tuple[str, ...]:
    """The keys up to the first mapping in which nothing else stands: all of that goes."""
    for count in range(1, len(keys)):
        data = data[keys[count - 1]] if isinstance(data, dict) else None
        if _has_only(data, keys[count:]):
            return tuple(keys[:count])
    return tuple(keys)


def _has_only(data: object, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(data, dict) or list(data) != [key]:
            return False
        data = data[key]
    return True


def _root(text: str) -> Any:
    """The nodes of the text, with their places. The slow loader knows each of them exactly."""
    import yaml

    return yaml.compose(text, Loader=yaml.SafeLoader)


def _changed(text: str, node: Any, keys: Sequence[str], value: object) -> str:
    if node is None:
        return _appended(text, 0, keys, value)

    depth = 0
    while _is_mapping(node):
        pair = _pair(node, keys[depth])
        if pair is None:
            return _added(text, node, keys[depth:], value)
        key_node, node = pair
        depth += 1
        if depth == len(keys):
            return _replaced(text, key_node, node, value)

    # A key with nothing behind it: what is below it begins in the next line.
    column = key_node.start_mark.column if depth else 0
    is_empty = depth and node.start_mark.index == node.end_mark.index
    if not is_empty:
        return text
    lines = _lines(keys[depth:], value, column + INDENT, _line_end(text))
    return _with_lines(text, key_node.end_mark.index, lines)


def _replaced(text: str, key_node: Any, node: Any, value: object) -> str:
    new = written(value)
    start = node.start_mark.index
    end = _last_character(text, node)
    if start == node.end_mark.index:
        # A null that nobody wrote: it belongs right behind the colon.
        colon = text.index(":", key_node.end_mark.index)
        behind = colon + 1
        return f"{text[:behind]} {new}{text[behind:]}"
    return text[:start] + new + text[end:]


def _added(text: str, mapping: Any, keys: Sequence[str], value: object) -> str:
    """The value as the last one of a mapping that is there."""
    if not mapping.flow_style:
        column = mapping.start_mark.column
        lines = _lines(keys, value, column, _line_end(text))
        return _with_lines(text, _last_character(text, mapping), lines)

    entry = written(value)
    for key in reversed(keys[1:]):
        entry = f"{{{written(key)}: {entry}}}"
    entry = f"{written(keys[0])}: {entry}"
    if not mapping.value:
        place = mapping.start_mark.index + 1
        return text[:place] + entry + text[place:]
    _, last = mapping.value[-1]
    place = last.end_mark.index
    return f"{text[:place]}, {entry}{text[place:]}"


def _appended(text: str, column: int, keys: Sequence[str], value: object) -> str:
    lines = _lines(keys, value, column, _line_end(text))
    if text and not text.endswith("\n"):
        text += _line_end(text)
    return text + lines


def _with_lines(text: str, behind: int, lines: str) -> str:
    """Whole lines, below the one that a place is in."""
    is_line_start = behind > 0 and text[behind - 1] == "\n"
    if is_line_start:
        return text[:behind] + lines + text[behind:]
    end = text.find("\n", behind)
    if end < 0:
        return text + _line_end(text) + lines
    return text[: end + 1] + lines + text[end + 1 :]


def _lines(keys: Sequence[str], value: object, column: int, line_end: str) -> str:
    """A value in block style, a key on each line."""
    lines: list[str] = []
    for key in keys:
        blanks = " " * (column + INDENT * len(lines))
        lines.append(f"{blanks}{written(key)}:")
    lines[-1] += f" {written(value)}"
    return line_end.join(lines) + line_end


def _cut_out(text: str, node: Any, keys: Sequence[str]) -> str:
    *above, last = keys
    for key in above:
        pair = _pair(node, key)
        if pair is None:
            return text
        _, node = pair
    if node.flow_style:
        return _cut_out_of_braces(text, node, last)

    pair = _pair(node, last)
    if pair is None:
        return text
    key_node, value = pair
    start = text.rfind("\n", 0, key_node.start_mark.index) + 1
    end = _last_character(text, value)
    end_of_line = text.find("\n", max(end - 1, start))
    if end_of_line < 0:
        return text[:start]
    return text[:start] + text[end_of_line + 1 :]


def _cut_out_of_braces(text: str, mapping: Any, key: str) -> str:
    """With the comma before it; the first one with the comma behind it."""
    pairs = mapping.value
    names = [key_node.value for key_node, _ in pairs]
    number = names.index(key)
    key_node, value = pairs[number]
    start = key_node.start_mark.index
    end = value.end_mark.index
    if number > 0:
        _, before = pairs[number - 1]
        start = before.end_mark.index
    elif len(pairs) > 1:
        after, _ = pairs[1]
        end = after.start_mark.index
    return text[:start] + text[end:]


def _last_character(text: str, node: Any) -> int:
    """Where a value ends. PyYAML has a block end only where the next thing begins, beyond comments."""
    import yaml

    while not isinstance(node, yaml.ScalarNode) and not node.flow_style and node.value:
        last = node.value[-1]
        if isinstance(last, tuple):
            key_node, value_node = last
            is_written = value_node.end_mark.index > value_node.start_mark.index
            last = value_node if is_written else key_node
        node = last
    end = int(node.end_mark.index)
    # A text below its key ends with its line, and what is put in its place does not.
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        end = len(text[:end].rstrip("\r\n"))
    return end


def _is_mapping(node: Any) -> bool:
    import yaml

    return isinstance(node, yaml.MappingNode)


def _pair(mapping: Any, key: str) -> Pair | None:
    for key_node, value_node in mapping.value:
        if key_node.value == key:
            return key_node, value_node
    return None


def _line_end(text: str) -> str:
    if "\r\n" in text:
        return "\r\n"
    return "\n"


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
    is_one_line = "\n" not in value and not value.startswith("#")
    try:
        as_item = parse_yaml(f"[{value}]", "a value")
        as_value = parse_yaml(f"key: {value}", "a value")
        as_key = parse_yaml(f"{value}: value", "a value")
    except DctxError:
        return False
    is_same = as_item == [value] and as_value == {"key": value} and as_key == {value: "value"}
    return is_one_line and is_same
