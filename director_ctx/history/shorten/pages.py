"""What a browser's tools answer, shorter: snapshots by depth, sources without ornament, console
messages by kind.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

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
_FEWEST, _LOOKED_AT = 5, 80
_LONGEST = 160
"""Characters of an address or a value below the depth that is asked for."""
_MOST_LINES = 3000
"""Lines that are worth comparing."""


def page(text: str) -> str:
    """The address of the page that a text shows; empty if it does not say."""
    found = _PAGE.search(text)
    return found[1].strip("`<>") if found else ""


def title(text: str) -> str:
    found = _TITLE.search(text)
    return found[1].strip() if found else ""


def is_snapshot(text: str) -> bool:
    """Whether a result is the tree of a page, or holds one."""
    if "- " not in text and "uid=" not in text:
        return False
    fence = "```yaml"
    start = text.find(fence)
    tree = text[start + len(fence) :] if start >= 0 else text
    lines = [line for line in tree[:20_000].split("\n") if line.strip()][:_LOOKED_AT]
    nodes = sum(1 for line in lines if _role(line))
    return nodes >= _FEWEST and nodes * 5 > len(lines) * 3


def _role(line: str) -> str:
    found = _NODE.match(line)
    role = found[2].lower() if found else ""
    return role if role in _ROLES else ""


def reduced(text: str, depth: int, values: bool = True, aside: bool = False) -> str:
    """The tree down to a depth, wrappers not counted; below it what can be acted on, and `values`.

    Of images and of what stands beside the page's own content only what can be acted on, unless
    `aside` is asked for.
    """
    kept: list[str] = []
    above: list[tuple[int, int, bool]] = []
    for line in text.split("\n"):
        found = _NODE.match(line)
        if found is None or (found[2][0] != "/" and found[2].lower() not in _ROLES):
            kept.append(line)
            continue
        indent = len(found[1])
        while above and above[-1][0] >= indent:
            above.pop()
        level, beside = above[-1][1:] if above else (0, False)
        if _is_wrapper(found):
            above.append((indent, level, beside))
            continue
        role = found[2].lower()
        above.append((indent, level + 1, beside or (role in _BESIDE and not aside)))
        ornament = beside or (role in _IMAGES and not aside)
        if _acted_on(found) or (not ornament and _stays(found, level, depth, values)):
            kept.append(" " * min(level, depth) + _bare(found).lstrip())
    return "\n".join(kept)


def _bare(found: re.Match[str]) -> str:
    """The line without marks that nobody needs: a reference to what cannot be acted on."""
    line = found[0]
    if "cursor=pointer" in line:
        return line.replace(" [cursor=pointer]", "")
    return line if found[2].lower() in _ACTED_ON else _REF.sub("", line)


def _is_wrapper(found: re.Match[str]) -> bool:
    """A node that says nothing itself: no name, no text, nothing that happens on a click."""
    role, rest = found[2].lower(), found[4]
    if role not in _WRAPPERS or found[3] or "cursor=pointer" in rest:
        return False
    return (
        not rest.rpartition(":")[2].strip()
        if rest.rstrip().endswith(":")
        else "]:" not in rest and ": " not in rest
    )


def _acted_on(found: re.Match[str]) -> bool:
    role = found[2].lower()
    return role in _ACTED_ON or role in _TELLING or "cursor=pointer" in found[4]


def _stays(found: re.Match[str], level: int, depth: int, values: bool) -> bool:
    role, said = found[2].lower(), found[0]
    if role.startswith("/"):
        return len(said) < _LONGEST and (values or level <= depth)
    if level < depth:
        return True
    text = (found[3] or "") + found[4].rpartition("]")[2]
    return values and len(said) < _LONGEST and bool(_VALUE.search(text))


def difference(old: str, new: str) -> str | None:
    """What is otherwise in the new text, by lines; None where that says less than the text itself."""
    before, after = old.split("\n"), new.split("\n")
    if max(len(before), len(after)) > _MOST_LINES:
        return None
    lines = set(after)
    if len(lines.intersection(before)) * 2 < len(lines):
        return None
    changes = "\n".join(_changes(before, after))
    return changes if len(changes) * 10 < len(new) * 7 else None


def _changes(before: list[str], after: list[str]) -> list[str]:
    from difflib import SequenceMatcher

    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    lines: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            lines += [f"@@ -{start + a + 1},{b - a} +{start + c + 1},{d - c} @@"]
            lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    return lines


def _common(one: list[str], other: list[str]) -> int:
    """How many lines are the same from the start."""
    for place, (here, there) in enumerate(zip(one, other, strict=False)):
        if here != there:
            return place
    return min(len(one), len(other))


_SILENT = frozenset(("script", "style", "svg", "noscript", "template", "head"))
_TAGS_ACTED_ON = frozenset(
    ("a", "button", "input", "select", "option", "textarea", "form", "label", "summary")
)
_TELLING_ATTRIBUTES = frozenset(
    (
        "id",
        "name",
        "href",
        "type",
        "value",
        "placeholder",
        "aria-label",
        "role",
        "data-testid",
        "for",
        "alt",
        "title",
    )
)
_LARGEST = 2_000_000
_LONGEST_IN_SOURCE = 300


def is_page(text: str) -> bool:
    start = text[:400].lstrip().lower()
    return start.startswith(("<!doctype html", "<html", "<body")) and len(text) <= _LARGEST


def source(text: str) -> str:
    """One line for each text and each element that can be acted on."""
    reader = _PageReader()
    reader.feed(text)
    reader.close()
    return "\n".join(line for line in reader.lines if line)


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
            return
        if self._silent:
            return
        by_role = any(name in ("role", "onclick") for name, _ in attrs)
        if not by_role and tag not in _TAGS_ACTED_ON:
            return

        words = [tag]
        for name, value in attrs:
            if name in _TELLING_ATTRIBUTES:
                short = (value or "")[:_LONGEST_IN_SOURCE]
                words.append(f'{name}="{short}"')
        self.lines.append(f"<{' '.join(words)}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT and self._silent:
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not text or self._silent:
            return
        if len(text) > _LONGEST_IN_SOURCE:
            text = text[: _LONGEST_IN_SOURCE - 1] + "…"

        last = self.lines[-1] if self.lines else ""
        if last.startswith("<") and last.endswith(">"):
            self.lines[-1] += text
        else:
            self.lines.append(text)


_LINE = re.compile(
    r"^\s*(?:[-*] )?(?:\[?\d[\d:.,TZ -]*\]?\s*)?(?:msgid=\S+ )?(?:console\.)?\[?"
    r"(error|exception|warning|warn|log|info|debug|verbose|trace|assert)\]?[:\s]\s*(.*)$",
    re.IGNORECASE,
)
_SAME = {
    "warn": "warning",
    "exception": "error",
    "assert": "error",
    "verbose": "debug",
    "trace": "debug",
}
_ORDER = ("error", "warning", "info", "log", "debug")
_SHOWN = {"error": 20, "warning": 5, "info": 2, "log": 2, "debug": 0}
"""How many different texts of a kind are shown."""
_LONGEST_MESSAGE = 300
_FEWEST_MESSAGES = 4
"""Messages that are worth grouping."""


def is_console(tool: str, text: str) -> bool:
    """Whether a result lists what a browser's console said; the word alone does not make it that."""
    lines = [line for line in text[:4000].split("\n") if line.strip()]
    if "console" not in tool.lower() and "console" not in text[:400].lower():
        return False
    return sum(1 for line in lines if _LINE.match(line)) * 2 > len(lines) >= _FEWEST_MESSAGES


def grouped(text: str) -> str:
    """Errors and warnings with their counts, of the rest hardly more than how many there were."""
    kinds: dict[str, dict[str, int]] = {kind: {} for kind in _ORDER}
    kind = "log"
    for line in text.split("\n"):
        if found := _LINE.match(line):
            kind = _kind(found[1])
            said = found[2].strip()[:_LONGEST_MESSAGE]
            kinds[kind][said] = kinds[kind].get(said, 0) + 1
    return "\n".join(line for kind in _ORDER for line in _shown(kind, kinds[kind]))


def _kind(word: str) -> str:
    word = word.lower()
    return _SAME.get(word, word)


def _shown(kind: str, texts: dict[str, int]) -> list[str]:
    if not texts:
        return []
    lines = [f"{kind}: {sum(texts.values())}"]
    for text, count in list(texts.items())[: _SHOWN[kind]]:
        lines.append(f"  {text}" + (f" ({count} times)" if count > 1 else ""))
    if len(texts) > _SHOWN[kind] > 0:
        lines.append(f"  … {len(texts) - _SHOWN[kind]} more")
    return lines
