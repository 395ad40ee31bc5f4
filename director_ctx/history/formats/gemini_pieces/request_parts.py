"""One part of a request to Gemini as a block, and back. A signature stays with its part."""

from __future__ import annotations

from director_ctx.history.formats.gemini_pieces.record import result_text
from director_ctx.history.formats.parts import arguments, as_object, compact
from director_ctx.history.messages.message import CALL, IMAGE, OTHER, RESULT, TEXT, THINKING, Block
from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Raw = dict[str, Any]

SIGNATURES = ("thoughtSignature", "thought_signature")
OURS = "call-"
"""How the ids begin that calls have here only; providers are not told of them."""


class CallNames:
    """Which response answers which call, where neither says an id."""

    def __init__(self) -> None:
        self._content = 0
        self._open: list[tuple[str, str]] = []
        """The name and the id of each call that nothing has answered."""

    def begin(self, content: int, is_answer: bool) -> None:
        """Another content; calls are answered before the model speaks again."""
        self._content = content
        if is_answer:
            self._open = []

    def called(self, raw: Raw, at: int) -> str:
        """The id of a call."""
        name = str(raw.get("name") or "")
        call = str(raw.get("id") or f"{OURS}{self._content}-{at}")
        self._open.append((name, call))
        return call

    def answered(self, raw: Raw) -> str:
        """The id of the call that this is the response to; of several with a name it is the first."""
        said = str(raw.get("id") or "")
        name = str(raw.get("name") or "")
        for number, (open_name, call) in enumerate(self._open):
            if call == said or (not said and open_name == name):
                del self._open[number]
                return call
        return said


def part_block(part: Any, at: int, names: CallNames) -> Block:
    if not isinstance(part, dict):
        return Block(OTHER, "", at, data=part)

    call = part.get("functionCall")
    if isinstance(call, dict):
        tool = str(call.get("name") or "")
        arguments = compact(call.get("args") or {})
        return Block(CALL, arguments, at, names.called(call, at), tool)
    response = part.get("functionResponse")
    if isinstance(response, dict):
        return _result(response, at, names)

    words = part.get("text")
    # A signature may come without a word.
    if isinstance(words, str) and (words or not signature_of(part)):
        kind = THINKING if part.get("thought") else TEXT
        return Block(kind, words, at)
    kind = IMAGE if "inlineData" in part else OTHER
    return Block(kind, "", at, data=part)


def _result(response: Raw, at: int, names: CallNames) -> Block:
    said = as_object(response.get("response"))
    has_failed = "error" in said and "output" not in said
    return Block(
        kind=RESULT,
        text=result_text(said),
        at=at,
        call=names.answered(response),
        tool=str(response.get("name") or ""),
        error=has_failed or None,
    )


def signature_of(part: Any, calls_only: bool = False) -> str:
    """What proves where a part comes from; empty without it."""
    raw = as_object(part)
    if calls_only and "functionCall" not in raw:
        return ""
    for key in SIGNATURES:
        if raw.get(key):
            return str(raw[key])
    return ""


def changed_part(block: Block, raw: Any) -> Any:
    """A part with another text, from its raw form as far as that is still true."""
    part = as_object(raw)
    if block.kind == CALL and "functionCall" in part:
        call = {**part["functionCall"], **_id_of(block)}
        if compact(call.get("args") or {}) != block.text:
            call["args"] = arguments(block)
        return {**part, "functionCall": call}
    if block.kind == RESULT and "functionResponse" in part:
        response = {**part["functionResponse"], **_id_of(block)}
        if result_text(as_object(response.get("response"))) != block.text:
            key = "error" if block.error else "output"
            response["response"] = {key: block.text}
        return {**part, "functionResponse": response}
    if block.kind in (TEXT, THINKING) and "text" in part:
        changed = {**part, "text": block.text}
        # It was of every word.
        for key in SIGNATURES:
            changed.pop(key, None)
        return changed
    return new_part(block)


def new_part(block: Block) -> Any:
    """A block as a part of its own."""
    if block.kind == CALL:
        call = {**_id_of(block), "name": block.tool, "args": arguments(block)}
        return {"functionCall": call}
    if block.kind == RESULT and block.call:
        response = {"output": block.text}
        return {"functionResponse": {**_id_of(block), "name": block.tool, "response": response}}
    image = picture_of(block)
    if image is not None and not image.url:
        return {"inlineData": {"mimeType": image.media, "data": image.data}}
    if block.data is not None:
        return block.data
    return {"text": block.text}


def _id_of(block: Block) -> Raw:
    if not block.call or block.call.startswith(OURS):
        return {}
    return {"id": block.call}
