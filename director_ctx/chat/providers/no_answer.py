"""What comes from a provider and is no answer; pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

AGAIN = "What you said is kept and goes along with the next message; a `go on` is enough."


class ErrorSaid(Exception):
    """An error that a provider tells in the middle of an answer."""

    def __init__(self, body: object) -> None:
        super().__init__("error")
        self.body = body


class NotAnAnswer(Exception):
    """What came is none."""


def document_of(answer: Any) -> dict[str, Any]:
    """As it came, whatever it has that the client did not expect."""
    document: object = answer.to_dict(warnings=False)
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        raise NotAnAnswer
    return document
