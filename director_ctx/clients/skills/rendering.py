"""A skill's body with its placeholders filled in and its commands replaced by what they printed."""

from __future__ import annotations

from director_ctx.clients.skills.arguments import answers, defused, fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.clients.skills.injections import Injection


def spliced(body: str, values: Values, injections: Sequence[Injection], outputs: Sequence[str]) -> str:
    """The text as an agent reads it. Arguments that nobody asked for stand at its end."""
    pieces, at = list[str](), 0
    for one, output in zip(injections, outputs, strict=True):
        pieces += [fill(body[at : one.start], values), output]
        at = one.end
    pieces.append(fill(body[at:], values))
    if values.text and not answers(body, values):
        pieces.append(f"\n\nARGUMENTS: {defused(values.text)}")
    return "".join(pieces)
