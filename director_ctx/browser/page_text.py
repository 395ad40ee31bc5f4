"""What was seen on a page as text within a limit: nothing secret in it, one thing a line. Pure."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.secrets import hides_name, redact
from director_ctx.base.text import plain
from director_ctx.browser.display import short, tab_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.browser.display import Open

ALIKE = tuple(
    line.split()
    for line in (
        "login log signin sign password passwort username email anmelden account",
        "logout log signout sign abmelden",
        "register signup sign create join",
        "search find query filter suche",
        "submit send save continue next ok confirm apply",
        "cancel close dismiss back abort",
        "delete remove clear trash",
        "cart basket checkout buy order pay",
        "2fa code otp verification verify authenticator",
        "menu navigation nav sidebar",
        "upload file attach browse",
        "settings preferences options profile",
    )
)
"""Words that mean the same on a page, as far as whoever asks is concerned. The first is what people
ask for.
"""
KINDS = {"link": "a", "button": "button", "field": "input", "input": "input", "box": "input", "select": "select",
         "dropdown": "select", "checkbox": "checkbox"}  # fmt: skip
LONGEST_NAME = 500
LONGEST_HEAD = 200
_STATES = ("disabled", "checked", "expanded", "focused", "required", "selected", "invalid")
_SILENT = frozenset(("none", "generic", "InlineTextBox", "LineBreak", "ScrollBar"))
"""Roles that say nothing of what is on a page."""
_COMMON = frozenset(
    "a an the is are am be in on of for to we i you it this that there what which where how do does can any all and or"
    " with at by from visible show me element elements page see here now please find".split()
)


class Element(Record):
    """Something that can be used; the first of `selectors` finds it and nothing else."""

    kind: str
    label: str = ""
    type: str = ""
    state: tuple[str, ...] = ()
    value: str = ""
    url: str = ""
    names: tuple[str, ...] = ()
    secret: bool = False
    selectors: tuple[str, ...] = ()
    path: str = ""
    """One that must be tried out before it can be believed."""

    @property
    def selector(self) -> str:
        return self.selectors[0] if self.selectors else ""


class Light(Record):
    """A page as whoever uses it sees it."""

    title: str
    url: str
    headings: tuple[tuple[int, str], ...]
    elements: tuple[Element, ...]
    matched: int
    """How many fit the instruction, shown or not."""
    total: int


def matching(elements: Sequence[Element], instruction: str) -> list[Element]:
    """Those that the instruction is about, by its words and what means the same; most words first."""
    asked = _asked(instruction)
    if not asked:
        return list(elements)

    scored = [(_score(element, asked), element) for element in elements]
    # Those that fit equally well stay in the order of the page.
    best_first = sorted(scored, key=lambda pair: -pair[0])
    return [element for score, element in best_first if score]


def _asked(instruction: str) -> list[frozenset[str]]:
    """Each word of the instruction with those that mean the same, by their stems."""
    words = _words(instruction)
    # "log in" asks for what `login` asks for.
    pairs = (first + second for first, second in zip(words, words[1:], strict=False))
    joined = [pair for pair in pairs if any(pair == group[0] for group in ALIKE)]
    return [_alike(_stem(word)) for word in dict.fromkeys([*words, *joined]) if word not in _COMMON]


def _alike(stem: str) -> frozenset[str]:
    alike = {stem}
    for group in ALIKE:
        if stem in map(_stem, (group[0], *group[2:3])):
            alike.update(map(_stem, group))
    return frozenset(alike)


def _score(element: Element, asked: Sequence[frozenset[str]]) -> int:
    """How many of the words are about this element."""
    fields = (element.label, element.kind, element.type, element.url, element.selector)
    stems = set(map(_stem, _words(" ".join(fields))))
    for word, kind in KINDS.items():
        if kind in (element.type, element.kind):
            stems.add(_stem(word))
    return sum(not alike.isdisjoint(stems) for alike in asked)


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.casefold()).split()


def _stem(word: str) -> str:
    for end in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(end) and len(word) - len(end) > 2:
            return word[: -len(end)]
    return word


def element_line(element: Element) -> str:
    """`- button "Next" [disabled]: #next`."""
    parts = [f"- {element.kind}"]
    if element.type and element.kind == "input":
        parts.append(element.type)
    if element.label:
        parts.append(f'"{element.label}"')
    if element.value:
        parts.append(f"= {element.value}")
    if element.state:
        parts.append(f"[{', '.join(element.state)}]")
    if element.url:
        parts.append(f"-> {element.url}")
    selector = plain(element.selector) or "(no selector finds only this)"
    return f"{' '.join(parts)}: {selector}"


def light_lines(tab: Open, light: Light) -> list[str]:
    """What the page is, then an element a line; a sentence where there is none."""
    lines = light_head(tab, light)
    if not light.elements:
        return [*lines, no_elements(light)]
    return [*lines, *map(element_line, light.elements)]


def light_head(tab: Open, light: Light) -> list[str]:
    """Title, address and headings."""
    title = short(light.title, LONGEST_HEAD) or "(no title)"
    headings = [f"{'#' * level} {text}" for level, text in light.headings]
    return [f"{tab.name}: {title}", short(light.url, LONGEST_HEAD), *headings]


def no_elements(light: Light) -> str:
    if light.total:
        return f"None of the {light.total} elements is about that."
    return "Nothing on this page can be clicked or filled in."


def dom_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The page as indented lines; values whose name says that they are secret are hidden."""
    for depth, tag, attributes, text in rows:
        indent = " " * min(int(depth), 40)
        if not tag:
            yield f"{indent}{_clean(text)}"
            continue
        # What an element is called says what its value is.
        called = [value for name, value in attributes if name in ("name", "id")]
        line = f"{indent}<{plain(tag)}"
        for name, value in attributes:
            names = [name, *called] if name in ("value", "content") else [name]
            is_hidden = value and any(hides_name(one, value) for one in names)
            line += f' {plain(name)}="{"[hidden]" if is_hidden else _clean(value)}"'
        yield f"{line}>"


def tree_lines(nodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The accessibility tree as indented lines, without what only holds others."""
    known = {node["nodeId"]: node for node in nodes}
    # Backwards, so that the first one is the next to be popped.
    waiting = [(node["nodeId"], 0) for node in reversed(nodes) if node.get("parentId") not in known]
    while waiting:
        identity, depth = waiting.pop()
        # The tree may name a child that is not there, or one twice.
        node = known.pop(identity, None)
        if node is None:
            continue
        line = "" if node.get("ignored") else _node(node)
        if line:
            yield f"{' ' * min(depth, 40)}{line}"
            depth += 1
        waiting += [(child, depth) for child in reversed(node.get("childIds", ()))]


def _node(node: Mapping[str, Any]) -> str:
    def text_of(key: str) -> str:
        value = node.get(key)
        return str(value.get("value", "") if isinstance(value, dict) else "")

    role, name, value = map(text_of, ("role", "name", "value"))
    if role in _SILENT or (role == "StaticText" and not name.strip()):
        return ""
    line = f"- {role}"
    if name:
        line += f" {_short(name)!r}"
    if value and hides_name(name, value):
        line += " = [hidden]"
    elif _short(value):
        line += f" = {_short(value)}"
    # Those states that matter to whoever uses it, and that hold.
    states = [
        str(state["name"])
        for state in node.get("properties", ())
        if state["name"] in _STATES and state.get("value", {}).get("value") in (True, "true")
    ]
    return plain(f"{line} [{','.join(states)}]" if states else line)


def _clean(text: str) -> str:
    return plain(" ".join(redact(text).split()))


def _short(text: str) -> str:
    clean = _clean(text)
    return clean if len(clean) <= LONGEST_NAME else f"{clean[:LONGEST_NAME]}..."


def within_tokens(lines: Iterable[str], tokens: int) -> tuple[list[str], bool]:
    """What fits, four characters a token, and whether that is all. The last line may be cut."""
    left = tokens * 4
    fitting: list[str] = []
    for line in lines:
        size = len(line) + 1
        if size > left:
            if left > 8:
                beginning = line[: left - 4]
                fitting.append(f"{beginning}...")
            return fitting, False
        left -= size
        fitting.append(line)
    return fitting, True


def light_json(tab: Open, light: Light, most: int) -> dict[str, Any]:
    """A page as every door gives it, with at most so many of its elements."""
    return {
        "tab": tab_json(tab),
        "title": short(light.title, LONGEST_HEAD),
        "url": short(light.url, LONGEST_HEAD),
        "headings": [{"level": level, "text": text} for level, text in light.headings],
        "elements": [
            {
                "kind": element.kind,
                "type": element.type,
                "label": element.label,
                "state": list(element.state),
                "value": element.value,
                "url": element.url,
                "selector": element.selector,
            }
            for element in light.elements[:most]
        ],
        "matched": light.matched,
        "total": light.total,
    }
