"""Stubs: what stands where something was cut, with the locator of the original, and what a result
is the result of.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256

from director_ctx.history.messages.message import ADDED, ASSISTANT, CALL, RESULT, TEXT, USER, Block
from director_ctx.history.messages.quoted import on_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Count, Message


MARK = "dctx:"
DIGITS = 12
PATTERN = f"{MARK}[0-9a-f]{{{DIGITS}}}"
"""Of a regular expression."""


def original(block: Block) -> bytes:
    """Exactly what `dctx restore` gives back: the text, else the raw piece as JSON; of a digest
    its sources.
    """
    if block.sources:
        return b"".join(listing(block.sources))
    if block.data is None:
        return block.text.encode("utf-8", "surrogatepass")
    text = json.dumps(block.data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def listing(sources: Sequence[Block]) -> Iterator[bytes]:
    """Every block that a digest stands for, each below a line with its number, in pieces: all of it
    may be as large as all messages.
    """
    for number, block in enumerate(sources, 1):
        if number > 1:
            yield b"\n"
        yield heading(number, block)
        yield b"\n"
        yield original(block)


def heading(number: int, block: Block) -> bytes:
    """The line above a block in a listing."""
    line = f"#{number} {block.kind} {block.tool}".rstrip()
    return line.encode("utf-8", "replace")


def hash_of_listing(sources: Sequence[Block]) -> str:
    running = sha256()
    for piece in listing(sources):
        running.update(piece)
    return running.hexdigest()


def full_hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def mark(data: bytes) -> str:
    """The locator of what was cut, by its bytes."""
    return MARK + full_hash(data)[:DIGITS]


def locator(block: Block) -> str:
    """By which `dctx restore` finds what a block was."""
    return listing_locator(block.sources) if block.sources else mark(original(block))


def listing_locator(sources: Sequence[Block]) -> str:
    return MARK + hash_of_listing(sources)[:DIGITS]


BRIEF = 100
"""Characters of a call that its stub repeats."""
_FENCE = "```"
_TAGS = ("command", "execute_bash", "bash", "execute", "action", "tool_call")
"""In these, agents without calls of tools write what is to be done."""
_ACTION = re.compile(r"```|<[a-z_]+[ >=]|^(?:Action|Command|Tool)\b", re.MULTILINE)
"""How an agent acts that marks no calls: a block of code, a tag, a word in front."""


def acts(answer: Message) -> bool:
    """Whether an answer may do something, so that what the user says next, without a call, is what
    came of it.
    """
    return any(_ACTION.search(block.text) for block in answer.blocks)


def called_before(messages: Sequence[Message], most: int = BRIEF) -> dict[int, str]:
    """For each result, by the `id()` of its block, what produced it, in so many characters: those
    in which a stub says it.

    By identity, as two results may say the same and answer different calls.
    """
    produced_by: dict[int, str] = {}
    calls: dict[str, str] = {}
    answer = ""
    for message in messages:
        if message.role == ASSISTANT:
            # Results that name no call are those of what was asked for last.
            calls.pop("", None)
            answer = next((one.text for one in reversed(message.blocks) if one.kind == TEXT), "")
        for block in message.blocks:
            if block.kind == CALL:
                calls[block.call] = called(block.tool, block.text, most)
            if block.kind != RESULT:
                continue
            if block.call in calls:
                produced_by[id(block)] = calls[block.call]
            elif answer and not block.call:
                first_line = next(filter(str.strip, answer.splitlines()), "")
                asked_for = command(answer) or first_line
                produced_by[id(block)] = brief(asked_for, most)
    return produced_by


def command(text: str) -> str:
    """The last command in what an agent said: in a fence or in a tag; empty where there is none."""
    found = [_in_last_fence(text), *(_in_last_tag(text, tag) for tag in _TAGS)]
    return max(found, key=lambda place: place[0])[1].strip()


def _in_last_fence(text: str) -> tuple[int, str]:
    """Where it begins, and what is in it; a fence that nobody closed goes to the end."""
    is_open = text.count(_FENCE) % 2 == 1
    end = len(text) if is_open else max(text.rfind(_FENCE), 0)
    start = text.rfind(_FENCE, 0, end)
    if start < 0:
        return -1, ""

    inside = text[start + len(_FENCE) : end]
    # One word at the most behind the fence is its language.
    first, line_end, rest = inside.partition("\n")
    return start, rest if line_end and len(first.split()) <= 1 else inside


def _in_last_tag(text: str, tag: str) -> tuple[int, str]:
    opening = f"<{tag}>"
    end = max(text.rfind(f"</{tag}>"), 0)
    start = text.rfind(opening, 0, end)
    return (start, text[start + len(opening) : end]) if start >= 0 else (-1, "")


COMMAND = "dctx restore"
"""By which a stub's original is had again where there is no tool for it."""
_BLOCK_N = "Block N of them: "
OPENS = "[… "
_OPENS = re.escape(OPENS)
_MARK = re.compile(rf"{_OPENS}[^\n]{{0,600}}?{PATTERN}\]")
_MARKS = re.compile(rf"{_MARK.pattern}(?:\n{_MARK.pattern})*")
CHECKPOINT = "Previous phases completed."
_DIGEST_HEAD = rf"{_OPENS}[\d,]+ earlier messages?\. .{{0,80}}{PATTERN}"
_CHECKPOINT_HEAD = rf"{re.escape(CHECKPOINT)} (?s:.{{0,20000}}?)\n{_DIGEST_HEAD}"
_STANDS_FOR_OTHERS = re.compile(rf"{_DIGEST_HEAD}|{_CHECKPOINT_HEAD}")
"""How a digest begins, and what a checkpoint holds."""
_LONGEST = 700
"""Characters of a stub."""


def is_cut(text: str) -> bool:
    """Whether something was cut out of it before: it ends with a stub. One that stands elsewhere is
    somebody's text.
    """
    # Only the end, so that a long text costs no more than a short one.
    _, _, last_line = text[-_LONGEST:].rpartition("\n")
    is_like = last_line.endswith("]") and last_line.startswith(OPENS)
    return is_like and _MARK.fullmatch(last_line) is not None


def is_stub(text: str) -> bool:
    """Whether nothing is left of it but a stub, or several: of a result and of what was in it."""
    return text.startswith(OPENS) and _MARKS.fullmatch(text) is not None


def is_summary(message: Message) -> bool:
    """Whether it stands for others. What a tool said in answer to a call does not, however it
    begins.
    """
    if message.index == ADDED:
        return True
    # Where no calls are marked, the user's words after an answer are read as results.
    is_users = message.role == USER
    return any(
        (block.kind == TEXT or (block.kind == RESULT and is_users and not block.call))
        and stands_for_others(block.text)
        for block in message.blocks
    )


def stands_for_others(text: str) -> bool:
    """Whether it begins as digests and checkpoints do."""
    is_like = text.startswith((OPENS, CHECKPOINT))
    return is_like and _STANDS_FOR_OTHERS.match(text) is not None


def stub(words: str, block: Block) -> str:
    """What stands for a block: a few words on one line, and where it is."""
    return f"{OPENS}{words}: {locator(block)}]"


def result_stub(block: Block, arguments: str = "", before: str = "") -> str:
    """What stands for a whole result: the call that produced it, its size, and where it is.

    `before` is what `called_before` knows of the call, `arguments` are those of a call that is at
    hand.
    """
    call = before or called(block.tool, arguments)
    return stub(f"result of {call}, {len(block.text):,} characters", block)


def image_stub(block: Block, count: Count, before: str = "", kind: str = "") -> Block:
    """A text that stands for an image, with the call that made it, if one did, and what kind of image
    it is.
    """
    words = f"image of {before}" if before else "an image"
    words += f", {kind}" if kind else ""
    return Block(TEXT, "", block.at).changed(stub(words, block), "cleared", count)


def digest_head(many: int, where: str) -> str:
    """The line with which a digest of so many messages begins, by its locator."""
    words = "1 earlier message" if many == 1 else f"{many:,} earlier messages"
    return f"{OPENS}{words}. {_BLOCK_N}{COMMAND} {where}#N. All of them: {where}]"


def is_digest_text(text: str) -> bool:
    """Whether it begins as digests do."""
    return text.startswith(OPENS) and stands_for_others(text)


def says_way(text: str, words: str) -> bool:
    """Whether it is a stub or a digest that says by these words how to get back what was cut."""
    if stands_for_others(text):
        return f"{_BLOCK_N}{words} {MARK}" in text
    return is_cut(text) and _end_of_stub(text).startswith(f"{words} {MARK}")


def with_way(text: str, words: str) -> str:
    """A stub or a digest that says by these words how to get back what was cut; any other text as
    it is.
    """
    words = f"{words} " if words else ""
    if stands_for_others(text):
        return text.replace(f"{_BLOCK_N}{COMMAND} {MARK}", f"{_BLOCK_N}{words}{MARK}", 1)
    end = _end_of_stub(text)
    is_plain_stub = is_cut(text) and end.startswith(MARK)
    return text.removesuffix(end) + words + end if is_plain_stub else text


def _end_of_stub(text: str) -> str:
    """What stands behind the words of a stub: its locator, and before it the way, where it has one."""
    _, _, end = text.rpartition(": ")
    return end


def called(tool: str, arguments: str, most: int = BRIEF) -> str:
    """A call in a few words, on one line and without brackets that would end a stub."""
    return f"{tool or 'a call'} {brief(arguments, most)}".rstrip()


def brief(text: str, most: int = BRIEF) -> str:
    """How it begins, as a stub can repeat it."""
    # More than fits, as blanks are joined; not all of it, as it may be a whole file.
    line = on_one_line(text[: 3 * most])
    line = line.replace("[", "(").replace("]", ")")
    return line if len(line) <= most else line[: most - 1] + "…"
