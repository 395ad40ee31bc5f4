"""A digest: one message that stands for others where the first of them was. What it stands for by the
numbers of its blocks, and whose words stand in the text of one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.history.digest.read import LONG, argument_lines
from director_ctx.history.handover.handover import ASKED, WISHES
from director_ctx.history.messages.message import (
    ADDED,
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    USER,
    Block,
    Message,
    block_tokens,
    size,
)
from director_ctx.history.messages.quoted import MARK, on_one_line
from director_ctx.history.messages.stubs import (
    command,
    digest_head,
    is_digest_text,
    is_summary,
    listing_locator,
)
from director_ctx.history.signals.files import object_in
from director_ctx.history.signals.voice import voice_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from director_ctx.history.messages.message import Count


SAID = "## What the user said"
DONE = "## Said and done, in order (a number alone is what a tool answered)"
FILES = "## Lines of files and pages (their blocks behind each name)"
ELSEWHERE = "## Not quoted here, by the numbers of the blocks"
AMONG = "(The next {} stood among them and stayed whole; the newest follow.)"
HEADINGS = (SAID, DONE, FILES, ELSEWHERE)
"""What stands above the parts of a digest that follow its hand-over."""
_USERS = (SAID, f"## {ASKED}", f"## {WISHES}")
"""Only below these is anything the user's."""
_HANDED_OVER = "- "
"""How a line of a hand-over begins, and no other: those have a mark or a number."""
_QUOTED = re.compile(r"(?:#\d+)?(?: [\w.-]{1,40})?" + MARK)
_NUMBERS = re.compile(r": [\d -]+$")
"""What stands behind the name of a file."""


def users_words(digest: str) -> str:
    """What the user said, of the text of a digest; every line of anybody stands behind a mark, so
    none is a heading.
    """
    return "\n".join(words for words, is_users in quotes(digest) if is_users)


def others_words(digest: str) -> str:
    """Everything else that is quoted in it, and the files that it names."""
    return "\n".join(words for words, is_users in quotes(digest) if not is_users)


def quotes(digest: str) -> Iterator[tuple[str, bool]]:
    """Every line that is quoted in the text of a digest, and every file that is named, and whether
    it is the user's.
    """
    is_users_part = False
    for line in digest.split("\n"):
        mark = _QUOTED.match(line)
        numbers = _NUMBERS.search(line)
        if mark:
            yield line[mark.end() :], is_users_part
        elif line.startswith(_HANDED_OVER):
            yield line.removeprefix(_HANDED_OVER), is_users_part
        elif numbers:
            is_users_part = False
            yield line[: numbers.start()], False
        elif line:
            is_users_part = line in _USERS


DIGEST = "digest"
FILE_KEYS = (
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "filename",
    "url",
    "path",
)
"""Arguments that say which file or page a call is about, the plainest first."""
_ENDS = (
    "py|pyi|js|jsx|ts|tsx|mjs|json|jsonl|toml|cfg|ini|yml|yaml|md|rst|txt|html|css|scss|sql|sh|csv|db|log|xml|ipynb|lock"
    "|patch|diff|go|rs|rb|php|java|kt|c|h|cc|cpp|hpp|cs|swift|vue|svelte|proto|tf|gradle|env|conf|png|jpg|svg|pdf"
)
_PATH = re.compile(
    r"https?://[^\s\"'<>\\\\]+"
    rf"|(?<![\w:/])[~.]{{0,2}}/?(?:(?:[\w.@-]+/)+[\w@-][\w.@-]*\.[A-Za-z]\w{{0,9}}|[\w@-][\w.@-]*\.(?:{_ENDS}))\b(?!\()"
)
"""An address, or a file by its folders or by its ending; `os.path` is none."""
_ASIDE = re.compile(r"^(?:cd \S+|source \S+|export \S+|set [-+]\w+)\s*(?:&&|;|\n)\s*")
"""What prepares a command."""
_LOOKED_AT = 240
"""Characters of a call in which its file is looked for."""
_WORDS = 2
_LONGEST_WORD = 24


class DigestSources:
    """The messages that a digest stands for, and what has to be known of them but once."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.blocks: list[Block] = []
        self.voices: list[str] = []
        """Whose words each of the blocks is."""
        self.names: list[str] = []
        """What each is about: a file, the first words of a command, a tool, or who said it."""
        self.tools: list[str] = []
        """The tool of each, or who said it."""
        self.files: list[str] = []
        """The file or page that each is about, if it is about one."""
        for message in messages:
            self.blocks += message.blocks
            self.voices += [voice_of(message, block) for block in message.blocks]
        self._name_blocks()
        self.locator = listing_locator(self.blocks)

    def _name_blocks(self) -> None:
        calls: dict[str, Block] = {}
        last_said = ""
        for block, voice in zip(self.blocks, self.voices, strict=True):
            if block.kind == CALL:
                calls[block.call] = block
            call = calls.get(block.call) if block.kind in (CALL, RESULT) else None
            file = file_of(call) if call is not None else ""
            who = f"{voice}'s"
            if is_digest_text(block.text):
                who = "an earlier digest"
            name = who
            if call is not None:
                who = call.tool or "calls"
                name = file or about(call)
            elif voice == ASSISTANT and block.kind == TEXT:
                # What an answer is about that marks no calls: its command, if it has one.
                said = command(block.text)
                last_said = _path_in(said) or _first_words(said)
                name = last_said or who
            elif block.kind == RESULT:
                name = last_said or who
            self.files.append(file)
            self.names.append(name)
            self.tools.append(who)
        self.files = joined_by_file(self.files)

    def digest(self, lines: Iterable[str], count: Count) -> Message:
        """The message itself, of lines that are ready to print."""
        head = digest_head(len(self.messages), self.locator)
        text = "\n".join([head, *lines])
        block = Block(TEXT, text, action=DIGEST)
        block.sources = self.blocks
        block.tokens = block_tokens(block, count)
        return Message(USER, [block], ADDED)

    def index(self, room: float, told: Collection[int] = ()) -> list[str]:
        """Under each file, command or tool the numbers of its blocks, but for those that are told of
        already; under each tool, where that would take more than `room`. What the assistant said
        before its calls has no name to look for.
        """
        said = f"{ASSISTANT}'s"
        left_out = {number for number, tool in enumerate(self.tools, 1) if tool == said}
        left_out.update(told)
        names = [file or name for file, name in zip(self.files, self.names, strict=True)]
        lines = list(self._index_lines(joined_by_file(names), left_out))
        if sum(map(len, lines)) <= room:
            return lines
        return list(self._index_lines(self.tools, left_out))

    def _index_lines(self, names: Sequence[str], told: Collection[int]) -> Iterator[str]:
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(names, 1):
            if number not in told:
                numbers.setdefault(name, []).append(number)
        for name, of_name in numbers.items():
            yield index_line(name, of_name)


def index_line(name: str, numbers: Sequence[int]) -> str:
    return f"{on_one_line(name)}: {' '.join(spans(numbers))}"


def spans(numbers: Sequence[int]) -> Iterator[str]:
    """Numbers in their order; those that follow one another directly as one."""
    first = last = numbers[0]
    # No number follows another with -1, so the last span ends.
    for number in (*numbers[1:], -1):
        if number == last + 1:
            last = number
            continue
        yield str(first) if first == last else f"{first}-{last}"
        first = last = number


def joined_by_file(names: Sequence[str]) -> list[str]:
    """One name for a file that is called by several, such as `a/b.py`, `/home/a/b.py` and `b.py`:
    the longest.
    """
    # By the last part of a path; by the whole of it, where another file has the same last part.
    longest: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (-len(name), name)):
        last_part = name.rpartition("/")[2]
        longer = longest.get(last_part, "")
        if longer and _ends_in(longer, name):
            longest[name] = longer
        elif longer:
            longest[name] = name
        else:
            longest[last_part] = name
            longest[name] = name
    return [longest[name] for name in names]


def _ends_in(path: str, name: str) -> bool:
    """Whether a path is that of a file with this shorter name."""
    return path.endswith("/" + name.removeprefix("./")) and "://" not in path


def about(call: Block) -> str:
    """The first words of a call's command, or else its tool."""
    return _first_words(argument_lines(call.text)) or call.tool or "calls"


def file_of(call: Block) -> str:
    """The file or page that a call is about; empty where it is about none."""
    # Whole files that were written would fill the memory.
    look = _file_of.__wrapped__ if len(call.text) > LONG else _file_of
    return look(call.text)


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def _file_of(arguments: str) -> str:
    for value in map(object_in(arguments).get, FILE_KEYS):
        if isinstance(value, str) and value:
            return value
    return _path_in(argument_lines(arguments))


def _path_in(text: str) -> str:
    begins = _ASIDE.sub("", text[:_LOOKED_AT])
    path = _PATH.search(begins)
    return path.group() if path else ""


def _first_words(text: str) -> str:
    words = _ASIDE.sub("", text[:_LOOKED_AT]).split()
    return " ".join(word[:_LONGEST_WORD] for word in words[:_WORDS])


_INDEX_SHARE = 0.1
"""Of the characters that are dropped, so many may list their files and commands."""


def summaries(messages: Sequence[Message]) -> set[int]:
    """The places of messages that stand for others: they are never dropped themselves.

    Where calls are not marked as such, what directly follows an answer is an observation and none
    of ours.
    """
    places: set[int] = set()
    previous_role = ""
    for index, message in enumerate(messages):
        follows_answer = previous_role == ASSISTANT
        previous_role = message.role
        if not is_summary(message):
            continue

        if not (follows_answer and message.blocks[0].kind == RESULT):
            places.add(index)
    return places


def is_digest(message: Message) -> bool:
    """Whether it is nothing but a digest, which may be merged into another; a checkpoint is more."""
    return len(message.blocks) == 1 and is_digest_text(message.blocks[0].text)


def whole_turns(stay: Collection[int], rows: Sequence[range]) -> set[int]:
    """The places that stay, extended to whole turns."""
    return {index for row in rows if any(index in stay for index in row) for index in row}


def digest_others(
    messages: Sequence[Message],
    stay: Collection[int],
    count: Count,
) -> list[Message]:
    """The messages that stay, and a digest of the others; all of them, if that would not be shorter."""
    dropped: list[Message] = []
    before: list[Message] = []
    after: list[Message] = []
    for index, message in enumerate(messages):
        if index not in stay:
            dropped.append(message)
        elif dropped:
            after.append(message)
        else:
            before.append(message)

    if not dropped:
        return list(messages)
    # With every file and command, or in fewer words where those would cost too much.
    sources = DigestSources(dropped)
    characters = sum(len(block.text) for block in sources.blocks)
    digest = sources.digest(sources.index(characters * _INDEX_SHARE), count)
    return [*before, digest, *after] if digest.tokens < size(dropped) else list(messages)
