"""A hand-over that grows with its conversation: each message is looked at once."""

from __future__ import annotations

import json
import re

from director_ctx.base.one_line import line
from director_ctx.history.handover.checks import Failures
from director_ctx.history.handover.done import (
    COMMIT,
    amended_by,
    changes_of,
    commits_taken_back,
    done_by,
    shell_line,
)
from director_ctx.history.handover.handover import (
    IN_WORK,
    ChangedFile,
    Handover,
    StatedDecision,
    joined,
    joined_files,
)
from director_ctx.history.handover.requests import (
    answered,
    decisions_in,
    is_answer,
    typed_in,
    wishes_in,
)
from director_ctx.history.handover.write import read_handover
from director_ctx.history.messages.message import ASSISTANT, CALL, RESULT, TEXT, Block, Message
from director_ctx.history.messages.stubs import acts, command, stands_for_others
from director_ctx.history.signals.attempts import call_line
from director_ctx.history.signals.errors import is_error
from director_ctx.history.signals.files import object_in
from director_ctx.history.signals.phases import is_ticked
from director_ctx.history.signals.voice import EITHER, voice_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


ASKS = ("AskUserQuestion", "request_user_input", "ask_user", "ask_followup_question")
"""Tools by which an assistant asks the user."""
_QUESTION = re.compile(r"[^.!?\n]+(?:[.!][^\s][^.!?\n]*)*\?")
_END = 800
"""Characters at the end of an answer in which its question stands."""
_BEHIND = 300
"""Characters behind a question: what goes on longer answers it itself."""
_TELLING, _LONG = 25, 80
"""Letters from which on a question says itself what it is about, and of one that points at something; a
shorter one needs what stands before it.
"""
_BEFORE = 120
"""Characters of what stands before it."""
_POINTS = re.compile(r"\b(?:this|that|these|those|it)\b", re.IGNORECASE)
_AROUND = " \t*_#>-"
"""Marks of Markdown."""
_CHOSEN = re.compile(r'"="([^"\n]{1,200})"')
"""The answers in what Claude Code's tool says: `"Oak or pine?"="Oak"`."""
_LAST_CALLS = 3
_SHELL = "shell"
"""What runs the commands of an agent that calls no tools."""


def handover_of(messages: Iterable[Message]) -> Handover:
    running = RunningHandover()
    running.add(messages)
    return running.handover()


class RunningHandover:
    """Everything that messages said so far."""

    def __init__(self) -> None:
        self._earlier = Handover()
        self._requests: dict[str, None] = {}
        self._wishes: dict[str, None] = {}
        self._decisions: dict[str, StatedDecision] = {}
        self._done: dict[str, None] = {}
        self._changes: list[ChangedFile] = []
        self._todo = TodoList()
        self._failures = Failures()
        self._question = ""
        """What a call asks the user."""
        self._last_said = ""
        """What the assistant said last, as long as nothing came behind it: it may end in a question."""
        self._answers = 0
        self._acting = 0
        """Answers that do something."""
        self._marks_calls = False
        self._calls: dict[str, Block] = {}
        """What nothing has answered yet, by its id."""
        self._unnamed: list[Block] = []
        """The same without an id."""
        self._folder = ""
        """Where the client is, as far as its lines say so."""
        self._given_up: set[str] = set()
        """Of these, what had no answer when the user spoke."""

    def add(self, messages: Iterable[Message]) -> None:
        """The next messages, in order."""
        for message in messages:
            if message.role == ASSISTANT:
                self._answers += 1
                self._acting += acts(message)
            folder = message.raw.get("cwd") if isinstance(message.raw, dict) else None
            if isinstance(folder, str) and folder:
                self._folder = folder
            self._see_user(message)
            for block in message.blocks:
                if block.kind == CALL:
                    self._see_call(block)
                elif block.kind == RESULT:
                    if not (self._is_talk() and voice_of(message, block) == EITHER):
                        self._see_result(block)
                elif block.kind == TEXT and message.role == ASSISTANT:
                    self._see_answer(block.text)

    def _is_talk(self) -> bool:
        """Whether most answers so far do nothing."""
        return 2 * self._acting <= self._answers

    def handover(self) -> Handover:
        changes = list(self._changes)
        # Nobody knows what became of a call without an answer; a file may be changed.
        for call in (*self._calls.values(), *self._unnamed):
            changes += changes_of(call, "", shell_line(call, self._folder))
        waiting = [
            call_line(call.tool, call.text)
            for name, call in list(self._calls.items())[-_LAST_CALLS:]
            if name not in self._given_up and call.tool not in ASKS
        ]
        now = Handover(
            requests=tuple(self._requests),
            wishes=tuple(self._wishes),
            todo=self._todo.still_open(),
            errors=self._failures.told(),
            question=self._asked(),
            waiting=tuple(waiting),
            files=joined_files(changes),
            done=tuple(self._done),
            decisions=tuple(self._decisions.values()),
        )
        return joined(self._earlier, now)

    def _see_user(self, message: Message) -> None:
        for block in message.blocks:
            if block.kind == TEXT and stands_for_others(block.text):
                # What a digest of ours says of everything before it.
                earlier = read_handover(block.text)
                self._earlier = joined(self._earlier, earlier)
                for error in earlier.errors:
                    self._failures.remember(error)
        typed = typed_in(message, self._is_talk())
        if not typed:
            return
        question = self._asked()
        self._question = ""
        self._last_said = ""
        self._given_up.update(self._calls)
        self._failures.user_spoke()
        if self._answers and is_answer(typed):
            if question:
                self._see_decision(answered(question, typed))
            return
        _put_last(self._requests, typed)
        for wish in wishes_in(typed):
            _put_last(self._wishes, wish)

    def _see_answer(self, text: str) -> None:
        for decision in decisions_in(text):
            self._see_decision(decision)
        self._question = ""
        self._last_said = text
        if self._marks_calls:
            return
        # An agent that marks no calls says in a fence what is to be done.
        asked_for = command(text)
        self._unnamed.clear()
        if asked_for:
            self._unnamed.append(Block(CALL, json.dumps({"command": asked_for}), tool=_SHELL))

    def _asked(self) -> str:
        """What is asked of the user now. Only the last answer is looked at for that."""
        return self._question or question_in(self._last_said)

    def _see_decision(self, decision: StatedDecision) -> None:
        self._decisions.pop(decision.text, None)
        self._decisions[decision.text] = decision

    def _see_call(self, call: Block) -> None:
        self._marks_calls = True
        self._question = _asked_by(call)
        self._last_said = ""
        self._todo.see_call(call.tool, call.text)
        if call.call:
            self._calls[call.call] = call
        else:
            self._unnamed.append(call)

    def _see_result(self, result: Block) -> None:
        call = self._calls.pop(result.call, None)
        if call is None and self._unnamed and not result.call:
            call = self._unnamed.pop(0)
        if call is None:
            return
        if call.tool in ASKS:
            question = self._question or _asked_by(call)
            chosen = _CHOSEN.findall(result.text)
            if question and chosen and not is_error(result):
                self._see_decision(answered(question, "; ".join(chosen)))
            self._question = ""

        shell = shell_line(call, self._folder)
        self._failures.see(call, result, shell)
        if is_error(result):
            return
        self._todo.see_result(call.tool, call.text, result.text)
        self._changes += changes_of(call, result.text, shell)
        made = [done for done in self._done if done.startswith(COMMIT)]
        for commit in made[max(0, len(made) - commits_taken_back(shell)) :]:
            del self._done[commit]
        for done in done_by(call, result.text, shell):
            amended = amended_by(done, shell, self._done)
            self._done.pop(amended, None)
            _put_last(self._done, done)


def _put_last(texts: dict[str, None], text: str) -> None:
    """What is said again stands where it was said last."""
    texts.pop(text, None)
    texts[text] = None


def question_in(text: str) -> str:
    """What an answer asks at its end; empty where it asks nothing."""
    end = text.rstrip()[-_END:]
    if len(end) - end.rfind("?") > _BEHIND:
        return ""
    newest = list(_QUESTION.finditer(end))[-2:]
    if not newest:
        return ""
    asked = " ".join(question[0].strip(_AROUND) for question in newest)
    is_telling = len(asked) >= _TELLING and not (len(asked) < _LONG and _POINTS.search(asked))
    if is_telling:
        return asked
    before = end[: newest[0].start()].rstrip()
    line_before = before.rpartition("\n")[2].strip(_AROUND)
    return f"{line(line_before, _BEFORE)} {asked}".strip()


def _asked_by(call: Block) -> str:
    """What a call asks the user."""
    if call.tool not in ASKS:
        return ""
    arguments = object_in(call.text)
    questions = arguments.get("questions")
    if not isinstance(questions, list):
        questions = [arguments]
    asked = [question.get("question") for question in questions if isinstance(question, dict)]
    return " ".join(text for text in asked if isinstance(text, str))


TODO_LISTS = ("todos", "plan", "todoList", "todo_list")
"""What clients call the list in the arguments of a call."""
TODO_TEXTS = ("content", "step", "subject", "title", "description", "text", "name")
"""What they call the words of an item."""
TODO_GONE = ("deleted", "cancelled", "canceled")
_WORKED_ON = ("in_progress", "in-progress", "doing")
_MAY_BE_LIST = tuple(f'"{name}"' for name in TODO_LISTS)
_CREATE, _UPDATE = "TaskCreate", "TaskUpdate"
"""Tools of Claude Code that add one item, and change one."""
_NUMBER = re.compile(r"#(\d+)")

TodoItem = dict[str, "Any"]


class TodoList:
    """Items by their ids, in order."""

    def __init__(self) -> None:
        self._items: dict[str, TodoItem] = {}
        self._is_written = False

    def see_call(self, tool: str, arguments: str) -> None:
        """A call that may write the list anew, or change an item."""
        if tool == _UPDATE:
            change = object_in(arguments)
            name = str(change.get("taskId", ""))
            # One that is not known was added before what is known here.
            item = self._items.get(name, {"subject": f"task {name}"})
            self._items[name] = {**item, **change}
            self._is_written = True
        elif any(name in arguments for name in _MAY_BE_LIST):
            self._rewrite(object_in(arguments))

    def see_result(self, tool: str, arguments: str, result: str) -> None:
        """An item that was added has its number from the answer."""
        if tool != _CREATE:
            return
        number = _NUMBER.search(result)
        name = number[1] if number else f"+{len(self._items)}"
        self._items[name] = object_in(arguments)
        self._is_written = True

    def _rewrite(self, arguments: TodoItem) -> None:
        lists = [items for items in map(arguments.get, TODO_LISTS) if isinstance(items, list)]
        if not lists:
            return
        self._is_written = True
        if not arguments.get("merge"):
            self._items.clear()
        items = [item for item in lists[0] if isinstance(item, dict)]
        for place, item in enumerate(items):
            name = str(item.get("id", place))
            self._items[name] = {**self._items.get(name, {}), **item}

    def still_open(self) -> tuple[str, ...] | None:
        """What is not done; None where nobody wrote a list."""
        if not self._is_written:
            return None
        items: list[str] = []
        for item in self._items.values():
            status = str(item.get("status", "")).lower()
            texts = [text.strip() for text in map(item.get, TODO_TEXTS) if isinstance(text, str)]
            text = next(filter(None, texts), "")
            if text and not is_ticked(item) and status not in TODO_GONE:
                items.append(f"{IN_WORK}{text}" if status in _WORKED_ON else text)
        return tuple(items)
