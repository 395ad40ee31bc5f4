"""What was seen on a page as text within a limit: nothing secret in it, one thing a line. Pure."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.secrets import hides_name, redact
from director_ctx.base.text import plain
from director_ctx.browser.display import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from director_ctx.browser.display import Open

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
    wanted = _wanted(instruction)
    if not wanted:
        return list(elements)
    scored = [(_score(element, wanted), place) for place, element in enumerate(elements)]
    return [
        elements[place]
        for score, place in sorted(scored, key=lambda one: (-one[0], one[1]))
        if score
    ]


def _wanted(instruction: str) -> list[frozenset[str]]:
    """Each word of the instruction with those that mean the same."""
    found = []
    words = _words(instruction)
    pairs = {f"{one}{two}" for one, two in zip(words, words[1:], strict=False)}
    for word in dict.fromkeys(
        [*words, *(pair for pair in pairs if any(pair == group[0] for group in ALIKE))]
    ):
        if word not in _COMMON:
            groups = [
                group
                for group in ALIKE
                if _stem(word) in {_stem(group[0]), *map(_stem, group[2:3])}
            ]
            found.append(
                frozenset({_stem(word), *(_stem(other) for group in groups for other in group)})
            )
    return found


def _score(element: Element, wanted: Sequence[frozenset[str]]) -> int:
    selector = element.selector
    own = {
        _stem(word)
        for word in _words(
            f"{element.label} {element.kind} {element.type} {element.url} {selector}"
        )
    }
    kinds = {_stem(word) for word, kind in KINDS.items() if kind in (element.type, element.kind)}
    return sum(bool(words & (own | kinds)) for words in wanted)


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.casefold()).split()


def _stem(word: str) -> str:
    for end in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(end) and len(word) - len(end) > 2:
            return word[: -len(end)]
    return word


def element_line(one: Element) -> str:
    """`- button "Next" [disabled]: #next`."""
    kind = f"{one.kind} {one.type}" if one.type and one.kind == "input" else one.kind
    parts = [f'- {kind} "{one.label}"' if one.label else f"- {kind}"]
    if one.value:
        parts.append(f"= {one.value}")
    if one.state:
        parts.append(f"[{', '.join(one.state)}]")
    if one.url:
        parts.append(f"-> {one.url}")
    return f"{' '.join(parts)}: {plain(one.selector) or '(no selector finds only this)'}"


def light_lines(tab: Open, light: Light) -> list[str]:
    """What the page is, then an element a line; a sentence where there is none."""
    elements = list(map(element_line, light.elements))
    return [*light_head(tab, light), *(elements or [no_elements(light)])]


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
        shown = [f' {plain(name)}="{_attribute(name, value, names)}"' for name, value in attributes]
        yield f"{indent}<{plain(tag)}{''.join(shown)}>"


def _attribute(name: str, value: str, names: Sequence[str]) -> str:
    about = names if name in ("value", "content") else ()
    return (
        "[hidden]"
        if value and any(hides_name(one, value) for one in (name, *about))
        else _clean(value)
    )


LONGEST_NAME, LONGEST_HEAD = 500, 200
_SILENT = frozenset(("none", "generic", "InlineTextBox", "LineBreak", "ScrollBar"))


def tree_lines(nodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The accessibility tree as indented lines, without what only holds others."""
    known = {node["nodeId"]: node for node in nodes}
    open_ = [(node["nodeId"], 0) for node in nodes if node.get("parentId") not in known][::-1]
    seen: set[str] = set()
    while open_:
        identity, depth = open_.pop()
        node = known.get(identity)
        if node is None or identity in seen:
            continue
        seen.add(identity)
        line = "" if node.get("ignored") else _node(node)
        if line:
            yield f"{' ' * min(depth, 40)}{line}"
        open_ += [(child, depth + bool(line)) for child in reversed(node.get("childIds", ()))]


def _node(node: Mapping[str, Any]) -> str:
    role, name = str(_value(node, "role")), str(_value(node, "name"))
    if role in _SILENT or (role == "StaticText" and not name.strip()):
        return ""
    value = _value(node, "value")
    hidden = bool(value) and hides_name(name, str(value))
    states = [
        str(one["name"]) for one in node.get("properties", ())
        if one["name"] in ("disabled", "checked", "expanded", "focused", "required", "selected", "invalid")
        and one.get("value", {}).get("value") in (True, "true")
    ]  # fmt: skip
    said = "[hidden]" if hidden else _short(str(value))
    return plain(f"- {role}{f' {_short(name)!r}' if name else ''}{f' = {said}' if said else ''}"
                 f"{f' [{chr(44).join(states)}]' if states else ''}")  # fmt: skip


def _value(node: Mapping[str, Any], name: str) -> object:
    found = node.get(name)
    return found.get("value", "") if isinstance(found, dict) else ""


def _clean(text: str) -> str:
    return plain(" ".join(redact(text).split()))


def _short(text: str) -> str:
    clean = _clean(text)
    return clean if len(clean) <= LONGEST_NAME else f"{clean[:LONGEST_NAME]}..."


def within_tokens(lines: Iterable[str], tokens: int) -> tuple[list[str], bool]:
    """What fits, four characters a token, and whether that is all. The last line may be cut."""
    left = tokens * 4
    kept: list[str] = []
    for line in lines:
        if len(line) + 1 > left:
            return ([*kept, f"{line[: left - 4]}..."] if left > 8 else kept), False
        left -= len(line) + 1
        kept.append(line)
    return kept, True
