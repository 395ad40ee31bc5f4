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

    Stems = frozenset[str]
    """Of words that mean the same."""

ALIKE = (
    (
        "login",
        "log",
        "signin",
        "sign",
        "password",
        "passwort",
        "username",
        "email",
        "anmelden",
        "account",
    ),
    ("logout", "log", "signout", "sign", "abmelden"),
    ("register", "signup", "sign", "create", "join"),
    ("search", "find", "query", "filter", "suche"),
    ("submit", "send", "save", "continue", "next", "ok", "confirm", "apply"),
    ("cancel", "close", "dismiss", "back", "abort"),
    ("delete", "remove", "clear", "trash"),
    ("cart", "basket", "checkout", "buy", "order", "pay"),
    ("2fa", "code", "otp", "verification", "verify", "authenticator"),
    ("menu", "navigation", "nav", "sidebar"),
    ("upload", "file", "attach", "browse"),
    ("settings", "preferences", "options", "profile"),
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

    by_score: dict[int, list[Element]] = {}
    for element in elements:
        score = _score(element, asked)
        by_score.setdefault(score, []).append(element)
    # Those that fit equally well stay in the order of the page.
    fitting: list[Element] = []
    for score in sorted(by_score, reverse=True):
        if score > 0:
            fitting += by_score[score]
    return fitting


def _asked(instruction: str) -> list[Stems]:
    """Each word of the instruction with those that mean the same."""
    words = _words(instruction)
    # "log in" asks for what `login` asks for.
    asked_for = {group[0] for group in ALIKE}
    joined: list[str] = []
    for first, second in zip(words, words[1:], strict=False):
        pair = first + second
        if pair in asked_for:
            joined.append(pair)

    asked: list[Stems] = []
    for word in dict.fromkeys([*words, *joined]):
        if word not in _COMMON:
            asked.append(_alike(_stem(word)))
    return asked


def _alike(stem: str) -> Stems:
    """This word and those that mean the same, by their stems."""
    alike = {stem}
    for group in ALIKE:
        heads = (group[0], *group[2:3])
        if stem in map(_stem, heads):
            alike.update(map(_stem, group))
    return frozenset(alike)


def _score(element: Element, asked: Sequence[Stems]) -> int:
    """How many of the words are about this element."""
    fields = (
        element.label,
        element.kind,
        element.type,
        element.url,
        element.selector,
    )
    words = _words(" ".join(fields))
    stems = set(map(_stem, words))
    for word, kind in KINDS.items():
        if kind in (element.type, element.kind):
            stems.add(_stem(word))

    score = 0
    for alike in asked:
        if not alike.isdisjoint(stems):
            score += 1
    return score


def _words(text: str) -> list[str]:
    letters: list[str] = []
    for char in text.casefold():
        letters.append(char if char.isalnum() else " ")
    return "".join(letters).split()


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
        names = [value for name, value in attributes if name in ("name", "id")]
        line = f"{indent}<{plain(tag)}"
        for name, value in attributes:
            shown = _attribute(name, value, names)
            line += f' {plain(name)}="{shown}"'
        yield f"{line}>"


def _attribute(name: str, value: str, element_names: Sequence[str]) -> str:
    """A value as it may be shown: what an element is called says what its value is."""
    names = [name]
    if name in ("value", "content"):
        names += element_names
    if value and any(hides_name(called, value) for called in names):
        return "[hidden]"
    return _clean(value)


def tree_lines(nodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The accessibility tree as indented lines, without what only holds others."""
    known = {node["nodeId"]: node for node in nodes}
    waiting: list[tuple[str, int]] = []
    # Backwards, so that the first one is the next to be popped.
    for node in reversed(nodes):
        is_root = node.get("parentId") not in known
        if is_root:
            waiting.append((node["nodeId"], 0))

    done: set[str] = set()
    while waiting:
        identity, depth = waiting.pop()
        # The tree may name a child that is not there, or one twice.
        if identity not in known or identity in done:
            continue
        node = known[identity]
        done.add(identity)

        line = "" if node.get("ignored") else _node(node)
        below = depth
        if line:
            yield f"{' ' * min(depth, 40)}{line}"
            below += 1
        for child in reversed(node.get("childIds", ())):
            waiting.append((child, below))


def _node(node: Mapping[str, Any]) -> str:
    role = str(_value(node, "role"))
    name = str(_value(node, "name"))
    if role in _SILENT or (role == "StaticText" and not name.strip()):
        return ""

    line = f"- {role}"
    if name:
        line += f" {_short(name)!r}"
    value = _value(node, "value")
    if value and hides_name(name, str(value)):
        line += " = [hidden]"
    elif _short(str(value)):
        line += f" = {_short(str(value))}"
    states = _states(node)
    if states:
        line += f" [{','.join(states)}]"
    return plain(line)


def _states(node: Mapping[str, Any]) -> list[str]:
    """Those of a node's states that matter to whoever uses it, and that hold."""
    states: list[str] = []
    for state in node.get("properties", ()):
        name = state["name"]
        value = state.get("value", {}).get("value")
        holds = value in (True, "true")
        if holds and name in _STATES:
            states.append(str(name))
    return states


def _value(node: Mapping[str, Any], name: str) -> object:
    value = node.get(name)
    if not isinstance(value, dict):
        return ""
    return value.get("value", "")


def _clean(text: str) -> str:
    words = redact(text).split()
    return plain(" ".join(words))


def _short(text: str) -> str:
    clean = _clean(text)
    if len(clean) <= LONGEST_NAME:
        return clean
    return f"{clean[:LONGEST_NAME]}..."


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
        "elements": [_element_json(element) for element in light.elements[:most]],
        "matched": light.matched,
        "total": light.total,
    }


def _element_json(element: Element) -> dict[str, Any]:
    return {
        "kind": element.kind,
        "type": element.type,
        "label": element.label,
        "state": list(element.state),
        "value": element.value,
        "url": element.url,
        "selector": element.selector,
    }
