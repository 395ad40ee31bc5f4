"""The source of a page: its texts and everything that can be acted on, without scripts, styles and ornament."""

from __future__ import annotations

from html.parser import HTMLParser

_SILENT = frozenset(("script", "style", "svg", "noscript", "template", "head"))
_ACTED_ON = frozenset(("a", "button", "input", "select", "option", "textarea", "form", "label", "summary"))
_TELLING = frozenset(
    ("id", "name", "href", "type", "value", "placeholder", "aria-label", "role", "data-testid", "for", "alt", "title")
)
_LARGEST = 2_000_000
_LONGEST = 300


def is_page(text: str) -> bool:
    start = text[:400].lstrip().lower()
    return start.startswith(("<!doctype html", "<html", "<body")) and len(text) <= _LARGEST


def source(text: str) -> str:
    """One line for each text and each element that can be acted on."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return "\n".join(line for line in reader.lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif not self._silent and (tag in _ACTED_ON or any(name in ("role", "onclick") for name, _ in attrs)):
            said = " ".join(f'{name}="{(value or "")[:_LONGEST]}"' for name, value in attrs if name in _TELLING)
            self.lines.append(f"<{tag}{' ' if said else ''}{said}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT and self._silent:
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if not text or self._silent:
            return
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        if self.lines and self.lines[-1].startswith("<") and self.lines[-1].endswith(">"):
            self.lines[-1] += text
        else:
            self.lines.append(text)
