"""What whoever goes on has to know, found by structure in the original conversation, and the share of
each kind that is present in a text.

Nothing here is shared with the compressor: it reads lines of clients and chat messages by itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.survival.events import (
    ASSISTANT,
    CALL,
    RESULT,
    USER,
    Event,
    arguments_of,
    events_of,
    finished,
    shell_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FILES, REQUESTS, WISHES, OPEN, DONE, DECISIONS = (
    "files",
    "requests",
    "wishes",
    "open",
    "done",
    "decisions",
)
KINDS = (FILES, REQUESTS, WISHES, OPEN, DONE, DECISIONS)
LAST = 12
"""Of requests, wishes and decisions the last so many are asked for."""
BEGINNING = 60
"""Letters and digits of a request that have to be there."""
BOUND = 0.6
"""Words of a sentence that have to stand in one line."""


class Share(NamedTuple):
    """How much of one kind is there."""

    present: int
    asked: int

    @property
    def value(self) -> float:
        return self.present / self.asked if self.asked else 1.0


def share_by_kind(transcript: Sequence[dict[str, Any]], text: str) -> dict[str, Share]:
    """For each kind what of it is in a text. `transcript` are the entries before the cut: lines of
    Claude Code or Codex, or chat messages.
    """
    shares: dict[str, Share] = {}
    for kind, tests in needs(transcript).items():
        present = sum(test.is_in(text) for test in tests)
        shares[kind] = Share(present, len(tests))
    return shares


def missing(transcript: Sequence[dict[str, Any]], text: str) -> list[str]:
    """What is not there, a line each."""
    rows: list[str] = []
    for kind, tests in needs(transcript).items():
        rows += [f"{kind}: {test.what}" for test in tests if not test.is_in(text)]
    return rows


class Need(NamedTuple):
    """One thing that has to be in a text."""

    what: str
    is_in: Callable[[str], bool]


def needs(transcript: Sequence[dict[str, Any]]) -> dict[str, list[Need]]:
    events = list(events_of(transcript))
    folders = tuple({str(entry["cwd"]) for entry in transcript if entry.get("cwd")})
    return {
        FILES: [_file(path, folders) for path in _changed(events)],
        REQUESTS: [_beginning(text) for text in _requests(events)[-LAST:]],
        WISHES: [_beginning(text) for text in _wishes(events)[-LAST:]],
        OPEN: [*_todo(events), *_failing(events), *_question(events)],
        DONE: list(_done(events)),
        DECISIONS: [_sentence(text) for text in _decisions(events)[-LAST:]],
    }


# What is looked for

_EDITORS = {"Edit", "Write", "MultiEdit", "NotebookEdit", "write_file", "edit_file", "create_file"}
_HEADER = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\\"]+)")
_INTO = re.compile(r"(?:^|[;&|]\s*|\n\s*)(?:cat|echo|printf)\b[^|;&\n<]*>>?\s*([\w./~-]+\.\w+)")


def _changed(events: Sequence[Event]) -> list[str]:
    paths: dict[str, None] = {}
    for call, result in finished(events):
        if result.failed:
            continue
        values = arguments_of(call)
        path = values.get("file_path") or values.get("notebook_path") or values.get("path")
        if call.name in _EDITORS and path:
            paths[str(path)] = None
        if "*** Begin Patch" in call.text:
            paths.update(dict.fromkeys(map(str.strip, _HEADER.findall(call.text))))
        for written in _INTO.findall(shell_of(call)):
            if not written.startswith(("/tmp", "/dev", "/private", "/var")):
                paths[written] = None
    return list(paths)


_TAGGED = re.compile(r"<([\w-]+)>.*?</\1>", re.DOTALL)
_SAID_BY_CLIENT = (
    "[Request interrupted",
    "[Your previous",
    "Operation stopped",
    "Caveat:",
    "# AGENTS",
)
_ARGUMENTS_TYPED = re.compile(r"<command-args>(.+?)</command-args>", re.DOTALL)
_BARE = {"yes", "yes please", "yeah", "yep", "no", "nope", "ok", "okay", "sure", "continue", "go"}


def _requests(events: Sequence[Event]) -> list[str]:
    """Once each; what is said again counts where it was said last."""
    texts: dict[str, None] = {}
    for event in events:
        if event.kind != USER:
            continue
        typed = _ARGUMENTS_TYPED.search(event.text)
        text = typed[1] if typed else _TAGGED.sub("", event.text)
        text = text.strip()
        bare = _squeezed(text)
        if text.startswith(_SAID_BY_CLIENT) or len(bare) < 6 or bare in _BARE:
            continue
        texts.pop(text, None)
        texts[text] = None
    return list(texts)


_WISH = re.compile(
    r"\b(?:always|never|from now on|every time|please use|please don't|do not|don't ever)\b",
    re.IGNORECASE,
)


def _wishes(events: Sequence[Event]) -> list[str]:
    wishes: dict[str, None] = {}
    for request in _requests(events):
        if len(request) > 1_500:
            continue
        for sentence in re.split(r"[.!]\s|\n", request):
            if _WISH.search(sentence) and not sentence.strip().endswith("?"):
                wishes[sentence.strip()] = None
    return [wish for wish in wishes if len(wish) < 400]


def _todo(events: Sequence[Event]) -> Iterator[Need]:
    items: dict[str, dict[str, Any]] = {}
    answers = {event.id: event for event in events if event.kind == RESULT}
    for call in events:
        if call.kind != CALL:
            continue
        values = arguments_of(call)
        result = answers.get(call.id, Event(RESULT, ""))
        listed = values.get("todos") or values.get("plan") or values.get("todoList")
        if isinstance(listed, list):
            items = {
                str(place): item for place, item in enumerate(listed) if isinstance(item, dict)
            }
        elif call.name == "TaskCreate":
            number = re.search(r"#(\d+)", result.text)
            items[number[1] if number else f"+{len(items)}"] = dict(values)
        elif call.name == "TaskUpdate" and values.get("taskId") in items:
            items[values["taskId"]].update(values)
    for item in items.values():
        what = item.get("content") or item.get("step") or item.get("subject") or item.get("title")
        if what and item.get("status") not in ("completed", "done", "deleted", "cancelled"):
            yield _beginning(str(what))


_TESTS = re.compile(
    r"\b(?:pytest|go (?:test|build|vet)|cargo (?:test|build|check)"
    r"|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|lint|build|check)"
    r"|make (?:test|check|lint)|mise run (?:test|lint)\S*|mypy|ruff check|tsc|vitest|jest|golangci-lint)\b"
)
_QUOTED = re.compile(r"<<.*|'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_RED = re.compile(r"\b[1-9]\d* failed\b|^--- FAIL|^FAIL\b", re.MULTILINE)
_TELLS = re.compile(r"fail|error|panic|cannot|undefined|exception|not found|denied", re.IGNORECASE)


def _failing(events: Sequence[Event]) -> Iterator[Need]:
    """The last run of a check, if it failed."""
    last: tuple[str, str] | None = None
    for call, result in finished(events):
        command = shell_of(call)
        check = _TESTS.search(_QUOTED.sub("", command))
        if not check or call.name in _EDITORS:
            continue
        if result.text.startswith("The user doesn't want"):
            continue
        is_red = result.failed or _RED.search(result.text[-2_000:]) is not None
        last = (check[0], result.text) if is_red else None
    if last:
        yield _failure(*last)


def _failure(check: str, result: str) -> Need:
    rows = [row for row in result.splitlines() if _TELLS.search(row)] or result.splitlines()[-1:]

    def is_in(text: str) -> bool:
        lines = text.splitlines()
        return any(check in line and any(_stands(row, line) for row in rows) for line in lines)

    return Need(f"{check}: {rows[-1] if rows else ''}", is_in)


def _question(events: Sequence[Event]) -> Iterator[Need]:
    """What the assistant asked at the very end."""
    said = [event for event in events if event.text.strip()]
    if not said or said[-1].kind != ASSISTANT:
        return
    end = said[-1].text.rstrip(" \n*_`)")
    if end.endswith("?"):
        asked = re.split(r"(?<=[.!?:])\s|\n", end)[-1]
        yield _sentence(asked)


_SUBJECT = re.compile(r"^\[[^\]\n]* ([0-9a-f]{7,})\] (.+)$", re.MULTILINE)
_REFS = re.compile(r"\s->\s(\S+)")
_PULL = re.compile(r"https://\S+/pull/\d+")


_RESET = re.compile(r"\bgit\b[^|;&\n]*\breset\b[^|;&\n]*(?:HEAD|@)(?:~(\d+)|\^)")


def _done(events: Sequence[Event]) -> Iterator[Need]:
    commits: list[Need] = []
    for call, result in finished(events):
        command = shell_of(call)
        if result.failed:
            continue
        # What was taken back or written anew is not done any more.
        for many in _RESET.findall(command):
            del commits[max(0, len(commits) - int(many or 1)) :]
        if re.search(r"\bgit\b[^|;&\n]*\bcommit\b", command):
            if "--amend" in command:
                del commits[-1:]
            for commit, subject in _SUBJECT.findall(result.text):
                commits.append(_either(f"commit {commit} {subject}", commit[:7], subject[:60]))
        if re.search(r"\bgit\b[^|;&\n]*\bpush\b", command):
            for ref in _REFS.findall(result.text):
                yield _all(f"push to {ref}", "push", ref)
        if "gh pr create" in command:
            for address in _PULL.findall(result.text)[:1]:
                yield _all(f"pull request {address}", address)
    yield from commits


_WHY = re.compile(r"\b(?:because|instead of|decided|the problem was|turns out)\b", re.IGNORECASE)
_NARRATES = re.compile(
    r"(?:\W|now|also|good|next|ok|okay|first|then)*(?:let me|let's|i.ll|i.m)\b",
    re.IGNORECASE,
)


def _decisions(events: Sequence[Event]) -> list[str]:
    sentences: dict[str, None] = {}
    for event in events:
        if event.kind != ASSISTANT:
            continue
        prose = re.sub(r"```.*?(?:```|\Z)", "", event.text, flags=re.DOTALL)
        for row in prose.split("\n"):
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])", row):
                own = sentence.strip(" -*|>")
                wanted = _WHY.search(own) and not _NARRATES.match(own)
                if (
                    wanted
                    and 40 <= len(own) <= 600
                    and not own.endswith(("?", ":"))
                    and own[0] != "#"
                ):
                    sentences.pop(own, None)
                    sentences[own] = None
    return list(sentences)


# Whether it is there


def _squeezed(text: str) -> str:
    """Letters and digits alone, so that neither marks nor line ends tell two texts apart."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _beginning(text: str) -> Need:
    wanted = _squeezed(text)[:BEGINNING]
    return Need(text[:120], lambda result: wanted in _squeezed(result))


def _stands(sentence: str, line: str) -> bool:
    words = set(re.findall(r"\w+", sentence.lower()))
    return bool(words) and len(words & set(re.findall(r"\w+", line.lower()))) >= BOUND * len(words)


def _sentence(text: str) -> Need:
    def is_in(result: str) -> bool:
        return any(_stands(text, line) for line in result.splitlines())

    return Need(text[:160], is_in)


def _either(what: str, *parts: str) -> Need:
    return Need(what, lambda result: any(part in result for part in parts))


def _all(what: str, *parts: str) -> Need:
    return Need(what, lambda result: all(part in result for part in parts))


def _file(path: str, folders: Sequence[str]) -> Need:
    """By its whole path, or below a folder that is known or said: a name alone may be any file's."""
    plain = path.removeprefix("./")
    ways = [plain, *(plain.removeprefix(f"{folder}/") for folder in folders)]

    def is_in(result: str) -> bool:
        if any(_names(way, result) for way in ways):
            return True
        for mark in re.finditer(r"[/\\]", plain):
            folder, rest = plain[: mark.end()], plain[mark.end() :]
            if f"{folder}:" in result and _names(rest, result):
                return True
        return False

    return Need(path, is_in)


def _names(path: str, text: str) -> bool:
    return re.search(rf"(?<![\w/\\.-]){re.escape(path)}(?![\w/\\-])", text) is not None
