"""Snapshots of pages, as a browser's tools answer with them: by depth, with what can be acted on."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NODE = re.compile(
    r'^([ \t]*)(?:- |uid=\S+ )(/?[A-Za-z]+)\b[ ]?("(?:[^"\\]|\\.)*"|\'[^\']*\')?(.*)$'
)
_ACTED_ON = frozenset(
    "button link textbox checkbox combobox option menuitem menuitemcheckbox menuitemradio tab radio searchbox switch"
    " slider spinbutton listbox textarea select input treeitem".split()
)
_TELLING = frozenset("alert alertdialog dialog status heading".split())
_ROLES = _ACTED_ON | _TELLING | frozenset(
    "generic text paragraph list listitem img image table row rowgroup cell columnheader rowheader navigation main"
    " banner contentinfo region form group article complementary search separator document iframe figure grid gridcell"
    " menu menubar tablist tabpanel toolbar tree tooltip strong emphasis code term definition statictext rootwebarea"
    " blockquote time caption progressbar none presentation labeltext".split()
)  # fmt: skip
_WRAPPERS = frozenset(("generic", "none", "presentation", "group", "labeltext"))
_BESIDE = frozenset(("banner", "complementary", "contentinfo", "navigation"))
_IMAGES = frozenset(("img", "image"))
_PAGE = re.compile(r"^\W{0,6}(?:Page )?URL:\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_TITLE = re.compile(r"^\W{0,6}(?:Page )?Title:[ \t]*(\S.*)", re.MULTILINE | re.IGNORECASE)
_REF = re.compile(r" \[ref=\w+\]")
_VALUE = re.compile(r"\d|@")
_FEWEST = 5
"""Nodes that make a tree."""
_LOOKED_AT = 80
"""Lines that show whether it is one."""
_LOOKED_AT_CHARACTERS = 20_000
_LONGEST = 160
"""Characters of an address or a value below the depth that is asked for."""
_MOST_LINES = 3000
"""Lines that are worth comparing."""


def page(text: str) -> str:
    """The address of the page that a text shows; empty if it does not say."""
    match = _PAGE.search(text)
    if match is None:
        return ""
    # Some tools write it as Markdown.
    return match[1].strip("`<>")


def title(text: str) -> str:
    """The title of that page; empty if the text does not say."""
    match = _TITLE.search(text)
    if match is None:
        return ""
    return match[1].strip()


def is_snapshot(text: str) -> bool:
    """Whether a result is the tree of a page, or holds one."""
    if "- " not in text and "uid=" not in text:
        return False

    fence = "```yaml"
    start = text.find(fence)
    tree = text
    if start >= 0:
        tree = text[start + len(fence) :]

    lines = 0
    nodes = 0
    for line in tree[:_LOOKED_AT_CHARACTERS].split("\n"):
        if not line.strip():
            continue
        if lines == _LOOKED_AT:
            break
        lines += 1
        node = _node_of(line)
        if node is not None and node.role in _ROLES:
            nodes += 1
    return nodes >= _FEWEST and nodes * 5 > lines * 3


class _Node:
    """One line of a tree: what stands there, by the role that it has."""

    __slots__ = ("indent", "line", "name", "rest", "role")

    def __init__(self, match: re.Match[str]) -> None:
        self.line = match[0]
        self.indent = len(match[1])
        self.role = match[2].lower()
        """Of a property, such as `/url`, its name."""
        self.name = match[3] or ""
        self.rest = match[4]
        """States in brackets, and the text behind a colon."""

    @property
    def is_property(self) -> bool:
        return self.role.startswith("/")

    @property
    def is_known(self) -> bool:
        """Whether it is one at all; a list in a text looks like it."""
        return self.is_property or self.role in _ROLES

    @property
    def is_clickable(self) -> bool:
        return "cursor=pointer" in self.rest

    @property
    def is_acted_on(self) -> bool:
        """Whether an agent can do something with it, or should know of it."""
        if self.is_clickable:
            return True
        return self.role in _ACTED_ON or self.role in _TELLING

    @property
    def is_wrapper(self) -> bool:
        """Whether it says nothing itself: no name, no text, nothing that happens on a click."""
        if self.role not in _WRAPPERS or self.name or self.is_clickable:
            return False
        if self.rest.rstrip().endswith(":"):
            # What stands inside of it comes on the next lines.
            _, _, text = self.rest.rpartition(":")
            return not text.strip()
        return "]:" not in self.rest and ": " not in self.rest


def _node_of(line: str) -> _Node | None:
    match = _NODE.match(line)
    if match is None:
        return None
    return _Node(match)


def reduced(text: str, depth: int, values: bool = True, aside: bool = False) -> str:
    """The tree down to a depth, wrappers not counted; below it what can be acted on, and `values`.

    Of images and of what stands beside the page's own content only what can be acted on, unless
    `aside` is asked for.
    """
    left: list[str] = []
    above: list[tuple[int, int, bool]] = []
    """Of the nodes that the line is inside of: their indents, the levels in them, and whether they
    are beside the page's own content.
    """
    for line in text.split("\n"):
        node = _node_of(line)
        if node is None or not node.is_known:
            left.append(line)
            continue

        while above and above[-1][0] >= node.indent:
            above.pop()
        level = 0
        is_beside = False
        if above:
            _, level, is_beside = above[-1]
        if node.is_wrapper:
            # What stands in it is as deep as the wrapper itself.
            above.append((node.indent, level, is_beside))
            continue

        is_ornament = is_beside
        if node.role in _IMAGES and not aside:
            is_ornament = True
        if node.role in _BESIDE and not aside:
            is_beside = True
        above.append((node.indent, level + 1, is_beside))
        is_worth_it = not is_ornament and _stays(node, level, depth, values)
        if is_worth_it or node.is_acted_on:
            indent = " " * min(level, depth)
            left.append(indent + _without_needless_marks(node).lstrip())
    return "\n".join(left)


def _without_needless_marks(node: _Node) -> str:
    """Without marks that nobody needs: a reference to what cannot be acted on."""
    if "cursor=pointer" in node.line:
        return node.line.replace(" [cursor=pointer]", "")
    if node.role in _ACTED_ON:
        return node.line
    return _REF.sub("", node.line)


def _stays(node: _Node, level: int, depth: int, values: bool) -> bool:
    """Whether what cannot be acted on stays all the same."""
    is_short = len(node.line) < _LONGEST
    if node.is_property:
        return is_short and (values or level <= depth)
    if level < depth:
        return True
    if not values or not is_short:
        return False
    _, _, behind_states = node.rest.rpartition("]")
    return _VALUE.search(node.name + behind_states) is not None


def difference(old: str, new: str) -> str | None:
    """What is otherwise in the new text, by lines; None where that says less than the text itself."""
    before = old.split("\n")
    after = new.split("\n")
    if max(len(before), len(after)) > _MOST_LINES:
        return None

    # Of a text that is mostly new, the difference would be longer.
    lines = set(after)
    same_lines = lines.intersection(before)
    if len(same_lines) * 2 < len(lines):
        return None
    changes = "\n".join(_changes(before, after))
    if len(changes) * 10 >= len(new) * 7:
        return None
    return changes


def _changes(before: list[str], after: list[str]) -> list[str]:
    # Only runs with a browser need it, and few of their results.
    from difflib import SequenceMatcher

    # What is the same at both ends is taken off first: the comparison grows with the square.
    start = _count_same(before, after)
    old = before[start:]
    new = after[start:]
    old_backwards = old[::-1]
    new_backwards = new[::-1]
    end = _count_same(old_backwards, new_backwards)
    old = old[: len(old) - end]
    new = new[: len(new) - end]
    lines: list[str] = []
    for kind, old_start, old_end, new_start, new_end in SequenceMatcher(
        None, old, new
    ).get_opcodes():
        if kind == "equal":
            continue
        removed = old[old_start:old_end]
        added = new[new_start:new_end]
        where_old = f"-{start + old_start + 1},{len(removed)}"
        where_new = f"+{start + new_start + 1},{len(added)}"
        lines.append(f"@@ {where_old} {where_new} @@")
        for line in removed:
            lines.append(f"-{line}")
        for line in added:
            lines.append(f"+{line}")
    return lines


def _count_same(some: Sequence[str], others: Sequence[str]) -> int:
    """How many lines are the same from the start."""
    count = 0
    most = min(len(some), len(others))
    while count < most and some[count] == others[count]:
        count += 1
    return count
