"""Which task of a plan a text names, in the words that people and agents use.

`task_in_words` reads any text: a prompt of two thousand words or a reference of one. It names a task
only where the text can mean nothing else, because a wrong task is worse than none.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record
from director_ctx.project.reading.model import Place, numbered, task_name
from director_ctx.project.taken import ORIGINS
from director_ctx.project.tasks.next import current_place, place_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from director_ctx.project.project import Project

    Words = tuple[str, ...]

LONGEST = 200_000
NEAREST = 3
PATH, NUMBER, ID, TITLE, DESCRIPTION = "path", "number", "id", "title", "description"
"""How a task was named."""


class TaskInWords(Record):
    """What a text says about a task."""

    place: Place | None = None
    how: str = ""
    also: tuple[Place, ...] = ()
    """Other tasks that it names."""
    disagrees: str = ""
    """The number that it says, where that is another task than its title."""
    unknown: str = ""
    """What it names that is no task of this plan, or several."""
    nearest: tuple[Place, ...] = ()
    """The tasks that are most like the unknown one."""
    asks_next: bool = False
    """Whether it asks for the next task and names none."""


def task_in_words(project: Project, text: str) -> TaskInWords:
    """The task that a text names; of several the first, and of a number and a title the title."""
    tokens = _tokens(text[:LONGEST])
    plan = _Plan(project)
    found = [*_paths(plan, tokens), *_numbers(plan, tokens), *_ids(plan, tokens)]
    if not any(one.how == PATH and one.place for one in found):
        found += _titles(plan, tokens)
        if not any(one.place for one in found):
            found += _descriptions(plan, tokens)
    return _settled(plan, tokens, found)


class _Found(Record):
    """One place of the text that may name a task."""

    start: int
    end: int
    how: str
    place: Place | None = None
    unknown: str = ""
    is_aside: bool = False
    """Whether it stands in a remark: `after task 2 is done`. Then it counts only if nothing else does."""


def _settled(plan: _Plan, tokens: Sequence[str], found: list[_Found]) -> TaskInWords:
    found.sort(key=lambda one: (one.is_aside, one.how != PATH, one.start))
    named = [one for one in found if one.place]
    if not named:
        for one in found:
            if one.unknown:
                return TaskInWords(
                    how=one.how, unknown=one.unknown, nearest=plan.nearest(one.unknown)
                )
        return TaskInWords(asks_next=_asks_next(tokens))

    chosen = named[0]
    disagrees = ""
    if chosen.how == NUMBER:
        for one in named:
            # `Task 2: Write the README`: the title says what is meant, the number may be old.
            is_beside = 0 <= one.start - chosen.end <= 2 or 0 <= chosen.start - one.end <= 2
            if one.how == TITLE and is_beside and one.place != chosen.place:
                disagrees = " ".join(tokens[chosen.start : chosen.end])
                named.remove(chosen)
                chosen = one
                break
    others: list[Place] = []
    for one in named:
        if one.place and one.place != chosen.place and not one.is_aside:
            others.append(one.place)
    also = tuple(dict.fromkeys(others))
    return TaskInWords(chosen.place, chosen.how, also, disagrees)


# The text as words and marks.

_QUOTE, _LINE, _CUT = '"', "\n", "…"
_MARKS = frozenset('"()[]{}<>|,;:!?=.\n…—→')
_ENDS = frozenset(".!?;\n")
_SPACED = str.maketrans(
    {
        **{mark: f" {mark} " for mark in "()[]{}|,;:!?=\n—→…<>"},
        **dict.fromkeys('"“”„«»`「」『』*', f" {_QUOTE} "),
        "\\": "/",
        "’": "'",
        "–": "-",
        "（": " ( ",
        "）": " ) ",
        "：": " : ",
        "。": " . ",
        "、": " , ",
    }
)
_COUNTED = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_STOP = frozenset(
    "a an the of for to in on at by with and or from into as is are be it its this that these those your our my"
    " their please s".split()
)
"""Words that tell no title from another."""


def _tokens(text: str) -> list[str]:
    """Words in small letters, and the marks between them."""
    text = "\n".join(_spoken_lines(text.casefold()))
    text = text.replace("'s ", " ").replace(" '", f" {_QUOTE} ").replace("' ", f" {_QUOTE} ")
    text = text.replace("...", _CUT).translate(_SPACED).replace(". ", " . ")
    tokens: list[str] = []
    # Only blanks: a line's end is a token.
    for word in text.replace("\t", " ").split(" "):
        bare = word.rstrip(".") if word not in _MARKS else word
        if bare:
            tokens.append(bare)
        if word != bare:
            tokens.append(".")
    return tokens


def _spoken_lines(text: str) -> Iterator[str]:
    """The lines without quoted mail and without traces of a program's stack."""
    for line in text.splitlines():
        start = line.lstrip()
        is_quoted = start.startswith(">") and not start.startswith(">>>")
        is_trace = start.startswith(("at ", 'file "')) and (":" in start or "line " in start)
        yield "" if is_quoted or is_trace else line


def _words_in(token: str) -> list[str]:
    """The words of a token such as `create-image` or `02_readme`."""
    if token in _MARKS:
        return []
    for joint in "-_/.'+&":
        if joint in token:
            token = token.replace(joint, " ")
    return token.split()


def _content(text: str) -> Words:
    """The words of a title by which it is told from others."""
    words: list[str] = []
    for token in _tokens(text):
        words += [word for word in _words_in(token) if word not in _STOP]
    return tuple(words)


def _number(token: str) -> int | None:
    token = token.lstrip("#")
    if token.isascii() and token.isdigit() and len(token) <= 6:
        return int(token)
    return _COUNTED.get(token)


# The plan.


class _Plan:
    """The plan's tasks by their names on disk; a title is read only where the text may mean it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._files: dict[Words, list[Words]] | None = None

    def files(self) -> dict[Words, list[Words]]:
        """For each step the names of its tasks. By bare listings, as a large plan has a thousand."""
        if self._files is None:
            self._files = {}
            for goal in self.project.goals():
                for step in self.project.steps(goal):
                    try:
                        names = os.listdir(self.project.location(f"{step.path}/tasks"))
                    except OSError:
                        continue
                    known = {task_name(name) for name in names if name.endswith(".md")}
                    self._files[goal.name, step.name] = [
                        (goal.name, step.name, name) for name in known
                    ]
        return self._files

    def numbered(self, goal: int | None, step: int | None, task: int) -> Place | None:
        """A task by numbers; without those of goal and step in the current ones."""
        here = self.current()
        goals = self.project.goals()
        if goal is None and here:
            goal = here.goal.number
        for one in goals:
            if one.number != goal:
                continue
            wanted = step
            if wanted is None and here and here.goal == one and here.step:
                wanted = here.step.number
            steps = self.project.steps(one)
            for its_step in steps:
                if its_step.number != wanted and not (wanted is None and len(steps) == 1):
                    continue
                for its_task in self.project.tasks(its_step):
                    if its_task.number == task:
                        return Place(one, its_step, its_task)
        return None

    def current(self) -> Place | None:
        return self.project.once("current place", lambda: current_place(self.project))

    def titled(self, words: frozenset[str]) -> list[tuple[Place, Words]]:
        """The tasks whose title these words may name, each with the words of its title."""
        likely: list[Words] = []
        small = 0
        for names_of_step in self.files().values():
            for names in names_of_step:
                parsed = numbered(names[2])
                slug = [
                    word
                    for word in _words_in((parsed or (0, names[2]))[1].casefold())
                    if word not in _STOP
                ]
                shared = sum(1 for word in slug if word in words)
                # A name on disk is cut, and may have been given by hand.
                if not slug or 2 * shared >= len(slug) or any(not word.isascii() for word in slug):
                    likely.append(names)
                small += 1
        if not likely and small <= MOST_READ:
            likely = [names for step in self.files().values() for names in step]
        tasks: list[tuple[Place, Words]] = []
        for names in likely:
            place = place_at(self.project, names)
            if place and place.task:
                tasks.append((place, _content(self.project.title(place.task))))
        return tasks

    def nearest(self, unknown: str) -> tuple[Place, ...]:
        """The tasks most like an unknown one: in its step, with its words, with the next number."""
        words = _words_in(unknown)
        said = [number for number in map(_number, words) if number is not None]
        here = self.current()
        close: list[tuple[int, int, Words]] = []
        for (goal, step), tasks in self.files().items():
            place = [(numbered(name) or (0, ""))[0] for name in (goal, step)]
            is_named = said[:-1] == place[3 - len(said) :] if 1 < len(said) <= 3 else False
            is_here = bool(here and here.step and (goal, step) == (here.goal.name, here.step.name))
            for names in tasks:
                number, slug = numbered(names[2]) or (0, names[2])
                shared = len(set(words).intersection(_words_in(slug.casefold())))
                alike = 2 * shared + 2 * is_named + is_here
                away = abs(number - said[-1]) if said else number
                close.append((-alike, away, names))
        places = [place_at(self.project, names) for _, _, names in sorted(close)[:NEAREST]]
        return tuple(place for place in places if place)


# What a text may name a task by.


def _paths(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """Any end of a task file's path, such as `tasks/02-readme.md` or `02-readme`."""
    for at, token in enumerate(tokens):
        is_file = ".md" in token
        if not is_file and not (token[:1].isdigit() and "-" in token) and "/" not in token:
            continue
        if "://" in token and "goals/" not in token:
            continue
        path, _, behind = token.strip("@'_~").partition(".md")
        if is_file and behind[:1] not in ("", "#", "/"):
            continue
        parts = [
            part
            for part in path.rpartition("goals/")[2].split("/")
            if part not in ("", ".", ".director")
        ]
        has_tasks = "tasks" in parts[-2:-1]
        parts = [part for part in parts if part != "tasks"]
        if not parts or not numbered(parts[-1]) or "-" not in parts[-1]:
            continue
        name = task_name(parts.pop())
        above = tuple(parts)
        matching: list[Words] = []
        for step, tasks in plan.files().items():
            ends = (
                tuple(part.casefold() for part in step)[2 - len(above) :]
                if len(above) <= 2
                else None
            )
            if above and ends != above:
                continue
            matching += [names for names in tasks if names[2].casefold() == name]
        matching = _preferred(plan, matching)
        if len(matching) == 1:
            yield _Found(at, at + 1, PATH, place_at(plan.project, matching[0]))
        elif "goals/" in path or (is_file and has_tasks and not above) or len(matching) > 1:
            yield _Found(at, at + 1, PATH, unknown=token)


def _preferred(plan: _Plan, matching: list[Words]) -> list[Words]:
    """Of several tasks of one name, those of the current step."""
    here = plan.current()
    if len(matching) < 2 or here is None or here.step is None:
        return matching
    current = (here.goal.name, here.step.name)
    return [names for names in matching if names[:2] == current] or matching


class _Mention(Record):
    """`step 2`, `task two`, `tasks 1 and 3`."""

    unit: str
    numbers: tuple[int, ...]
    start: int
    end: int


_UNITS = {
    "goal": "goal", "goals": "goal", "step": "step", "steps": "step", "task": "task", "tasks": "task",
}  # fmt: skip
_JOINING = frozenset(
    (
        "of",
        "in",
        "from",
        "the",
        "under",
        ",",
        ">",
        "-",
        "/",
        "|",
        "(",
        ")",
        ":",
        "→",
        "->",
        "and",
        "=",
        "#",
        "with",
    )
)
_DOING = frozenset(
    "do does doing build building implement implementing execute start begin complete finish take handle continue"
    " resume tackle work working carry pick perform deliver develop solve realise realize proceed claim verify check"
    " read go run make address attempt doing assigned responsible builder next now".split()
)
"""What stands before a task that somebody is to do."""
_ASIDE = frozenset(
    "after before until unless like as since than not dont never skip except without depends needs blocked unlike"
    " discussed yesterday earlier once when while besides excluding previously instead requires waiting waits".split()
)
"""What stands before a task that is only mentioned."""
_IS = frozenset(
    ("is", "was", "has", "isnt", "wasnt", "are", "were", "needs", "depends", "got", "will", "had")
)
_OURS = frozenset(
    (
        "plan",
        "gameplan",
        "step",
        "goal",
        "current",
        "director",
        ".director",
        "project",
        "this",
        "our",
        "roadmap",
    )
)
_OTHER_TASKS = frozenset(
    "background async asyncio celery cron gradle ci scheduled homework kernel github jira npm rake ansible airflow"
    " periodic long-running sub systemd vscode vs ecs fargate queue worker coroutine taskbar".split()
)
"""Words before `task` by which it is no task of a plan."""


def _mentions(tokens: Sequence[str]) -> list[_Mention]:
    mentions: list[_Mention] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        unit = _UNITS.get(token, "")
        end = at + 1
        if not unit:
            for joint in "-#_":
                head, joined, tail = token.partition(joint)
                if joined and head in ("goal", "step", "task") and tail.isdecimal():
                    mentions.append(_Mention(_UNITS[head], (int(tail[:6]),), at, at + 1))
            at += 1
            continue
        while end < len(tokens) and tokens[end] in ("#", "no", "number", "nr", "=", ":", "."):
            end += 1
        is_labelled = end > at + 1
        numbers: list[int] = []
        last = at + 1
        while end < len(tokens):
            number = _number(tokens[end])
            first, dash, second = tokens[end].partition("-")
            if dash and first.isdecimal() and second.isdecimal() and len(tokens[end]) < 8:
                numbers += range(int(first), min(int(second), int(first) + 20) + 1)
            elif number is not None and not (is_labelled and tokens[end] in _COUNTED):
                numbers.append(number)
            else:
                break
            last = end = end + 1
            if token.endswith("s") and end < len(tokens) and tokens[end] in (",", "and", "&", "+"):
                end += 1
                continue
            break
        if numbers:
            mentions.append(_Mention(unit, tuple(numbers), at, last))
        at = max(last, at + 1)
    return mentions


def _numbers(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`3/1/2`, `goal 3, step 1, task 2` in any order, `step 2 task 1`, `task 2`, `do #2`."""
    for at, token in enumerate(tokens):
        parts = token.strip("#@'_~").split("/")
        if len(parts) == 3 and all(
            part.isascii() and part.isdigit() and len(part) < 4 for part in parts
        ):
            goal, step, task = map(int, parts)
            place = plan.numbered(goal, step, task)
            is_known = place or any(
                one.number == goal and any(its.number == step for its in plan.project.steps(one))
                for one in plan.project.goals()
            )
            # Three numbers that no step has may be a date.
            if is_known or _before(tokens, at, 1) == ["task"]:
                aside = _is_aside(tokens, at, at + 1)
                yield _Found(at, at + 1, NUMBER, place, "" if place else token, aside)
        elif token[:1] == "#" and token[1:].isdecimal() and len(token) < 5:
            # Elsewhere it is an issue or a pull request.
            before = _before(tokens, at, 2)
            ends = at + 1 == len(tokens) or tokens[at + 1] in _MARKS or tokens[at + 1] in _JOINING
            does = before[-1:] and before[-1] in (
                "do",
                "build",
                "implement",
                "start",
                "begin",
                "on",
                "up",
            )
            if does and ends and "issue" not in tokens and "pr" not in tokens:
                place = plan.numbered(None, None, int(token[1:]))
                yield _Found(at, at + 1, NUMBER, place, "" if place else f"task {token}")
    yield from _labelled(plan, tokens)


def _labelled(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    chain: list[_Mention] = []
    chains: list[list[_Mention]] = []
    for mention in _mentions(tokens):
        units = {one.unit for one in chain}
        between = tokens[chain[-1].end : mention.start] if chain else ()
        is_joined = all(token in _JOINING or token == _LINE for token in between)
        if chain and (mention.unit in units or not is_joined):
            chains.append(chain)
            chain = []
        chain.append(mention)
    chains.append(chain)

    found = [[one for one in its if one.unit == "task"] for its in chains]
    bare = {
        its[0].numbers for its, units in zip(found, chains, strict=True) if its and len(units) == 1
    }
    for its, units in zip(found, chains, strict=True):
        if not its:
            continue
        by_unit = {one.unit: one.numbers[0] for one in units}
        start, end = min(one.start for one in units), max(one.end for one in units)
        is_bare = len(units) == 1
        if is_bare and not _is_meant(tokens, start, end, alone=len(bare) == 1):
            # A heading of the prompt's own; a title behind it may still say what is meant.
            continue
        aside = _is_aside(tokens, start, end)
        if aside and is_bare:
            continue
        for number in its[0].numbers:
            place = plan.numbered(by_unit.get("goal"), by_unit.get("step"), number)
            said = " ".join(
                f"{unit} {by_unit[unit]}" for unit in ("goal", "step") if unit in by_unit
            )
            unknown = "" if place else f"{said} task {number}".strip()
            yield _Found(start, end, NUMBER, place, unknown, aside)


def _is_meant(tokens: Sequence[str], start: int, end: int, alone: bool) -> bool:
    """Whether `task 2` is a task that somebody is to do, and not a heading or a word about others."""
    before = _before(tokens, start, 5)
    behind = tokens[end : end + 4]
    if before and before[-1] in _OTHER_TASKS:
        return False
    is_labelled = end - start > 2 and ":" in tokens[start:end]
    if is_labelled and behind and behind[0] not in _MARKS:
        return False
    if behind[:1] in (["of"], ["in"], ["from"], ["on"]) and _OURS.isdisjoint(behind):
        return False
    if any(word in _DOING for word in before):
        return True
    if not _OURS.isdisjoint(behind[1:]) and behind[0] in ("of", "in", "from"):
        return True
    # At the beginning of a line it is a reference where it is the only one of its kind, and nothing
    # is told of it.
    is_first = start == 0 or tokens[start - 1] in _ENDS
    is_last = not behind or behind[0] in _ENDS
    return alone and is_first and is_last


def _before(tokens: Sequence[str], at: int, most: int) -> list[str]:
    """The words before a place, back to the beginning of its sentence."""
    words: list[str] = []
    while at > 0 and len(words) < most and tokens[at - 1] not in _ENDS:
        at -= 1
        if tokens[at] not in _MARKS:
            words.insert(0, tokens[at])
    return words


def _is_aside(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether something is only mentioned: `after X`, `X is done`, `do not do X`."""
    before = _before(tokens, start, 4)
    if any(word.replace("'", "") in _ASIDE for word in before):
        return True
    behind = [token for token in tokens[end : end + 2] if token not in (_QUOTE, ")")]
    return bool(behind) and behind[0].replace("'", "") in _IS


def _ids(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`T012`, `TASK-12`: what the tool calls it that the plan was taken over from."""
    named: dict[str, int] = {}
    for at, token in enumerate(tokens):
        letters = token.rstrip("0123456789.")
        if letters != token and letters.rstrip("-").isalpha() and len(letters) < 12:
            named.setdefault(token, at)
    if not named or plan.project.kind(ORIGINS) != "file":
        return
    from director_ctx.project.origins import taken_plans

    for origin in taken_plans(plan.project).values():
        for key, unit in origin.units.items():
            id = key.rpartition("/")[2].casefold()
            spelled = id if id in named else f"task-{id}"
            at = named.get(spelled, -1)
            _, _, path = unit.at.partition("goals/")
            names = path.split("/")
            if at >= 0 and len(names) == 4:
                place = place_at(plan.project, (names[0], names[1], names[3]))
                yield _Found(at, at + 1, ID, place, "", _is_aside(tokens, at, at + 1))


def _titles(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """A title in full, or one that is cut with `…`."""
    spoken = list(_spoken(tokens))
    words = [word for word, _ in spoken]
    tasks = plan.titled(frozenset(words))
    matches: dict[tuple[int, int], list[Place]] = {}
    for place, title in tasks:
        for first in _starts(words, title):
            start, last = spoken[first][1], spoken[first + len(title) - 1][1]
            if _QUOTE_ENDS.isdisjoint(tokens[start : last + 1]):
                matches.setdefault((start, last + 1), []).append(place)
        for start, end in _cut_titles(tokens, title):
            matches.setdefault((start, end), []).append(place)

    for (start, end), places in matches.items():
        # Of titles within each other the longest is meant.
        if any(
            one <= start and end <= other and (one, other) != (start, end) for one, other in matches
        ):
            continue
        if not _is_title(tokens, start, end):
            continue
        place = _one_of(plan, tokens, places)
        unknown = "" if place else " ".join(tokens[start:end])
        yield _Found(start, end, TITLE, place, unknown, _is_aside(tokens, start, end))


_QUOTE_ENDS = frozenset((".", "!", "?", ";"))


def _spoken(tokens: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The words that tell titles apart, each with its place."""
    for at, token in enumerate(tokens):
        for word in _words_in(token):
            if word not in _STOP:
                yield word, at


def _starts(words: Sequence[str], title: Words) -> Iterator[int]:
    """Where all words of a title stand in a row."""
    if not title:
        return
    at = -1
    while title[0] in words[at + 1 :]:
        at = words.index(title[0], at + 1)
        if tuple(words[at : at + len(title)]) == title:
            yield at


def _cut_titles(tokens: Sequence[str], title: Words) -> Iterator[tuple[int, int]]:
    for end, token in enumerate(tokens):
        if token != _CUT:
            continue
        start = end
        while start > 0 and tokens[start - 1] not in _MARKS:
            start -= 1
        begun = [
            word for token in tokens[start:end] for word in _words_in(token) if word not in _STOP
        ]
        if len(begun) < 2 or len(begun) > len(title):
            continue
        *whole, last = begun
        if tuple(whole) == title[: len(whole)] and title[len(whole)].startswith(last):
            yield start, end + 1


def _is_title(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether words are a title here, and not words that anybody may write."""
    count = sum(1 for _ in _spoken(tokens[start:end]))
    if count > 2:
        return True
    before = tokens[start - 1] if start else _LINE
    behind = tokens[end] if end < len(tokens) else _LINE
    is_whole = before in _MARKS and behind in _MARKS
    others = [word for word, at in _spoken(tokens) if not start <= at < end and word not in _DOING]
    if is_whole and not others:
        return True
    around = [*_before(tokens, start, 3), *tokens[end : end + 2]]
    is_task = "task" in around and _OTHER_TASKS.isdisjoint(around)
    if count == 1:
        return is_task and (before == _QUOTE or before == ":")
    return is_task and (is_whole or before in _MARKS)


def _one_of(plan: _Plan, tokens: Sequence[str], places: Sequence[Place]) -> Place | None:
    """Of tasks with one title the one whose number or step is named, else the one of the current
    step, else the only one that is open.
    """
    if len(places) == 1:
        return places[0]
    numbers = {(one.unit, number) for one in _mentions(tokens) for number in one.numbers}
    here = plan.current()
    for rule in (
        lambda place: (
            ("task", place.task.number) in numbers and ("step", place.step.number) in numbers
        ),
        lambda place: ("step", place.step.number) in numbers,
        lambda place: ("task", place.task.number) in numbers,
        lambda place: bool(here) and place.step == here.step,
        lambda place: not place.task.done,
    ):
        fitting = [place for place in places if rule(place)]
        if len(fitting) == 1:
            return fitting[0]
    return None


_ABOUT = frozenset(
    "about for on that which where to with regarding concerning called named titled of".split()
)
_LONGEST_DESCRIPTION = 14


def _descriptions(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`the task about create-image's README`, `the README task`."""
    for at, token in enumerate(tokens):
        if token != "task":
            continue
        before = _before(tokens, at, 7)
        if before and before[-1] in _OTHER_TASKS:
            continue
        described: list[str] = []
        start = end = at
        behind = tokens[at + 1] if at + 1 < len(tokens) else _LINE
        if "the" in before or "that" in before:
            if behind in _ABOUT:
                end = at + 2
                while (
                    end < len(tokens)
                    and tokens[end] not in _MARKS
                    and end - at < _LONGEST_DESCRIPTION
                ):
                    end += 1
                described = list(tokens[at + 2 : end])
            else:
                described = (
                    before[len(before) - before[::-1].index("the") :] if "the" in before else []
                )
                start = at - len(described)
        words = frozenset(word for one in described for word in _words_in(one) if word not in _STOP)
        place = _described(plan, words)
        if place:
            yield _Found(
                start, max(end, at + 1), DESCRIPTION, place, "", _is_aside(tokens, at, end)
            )


def _described(plan: _Plan, words: frozenset[str]) -> Place | None:
    """The one task whose title has most of these words."""
    if not words:
        return None
    scored: list[tuple[int, Place, Words]] = []
    for place, title in plan.titled(words):
        scored.append((len(words.intersection(title)), place, title))
    scored.sort(key=lambda row: -row[0])
    if not scored:
        return None
    shared, place, title = scored[0]
    if len(scored) > 1 and scored[1][0] == shared:
        return None
    is_most = 2 * shared > len(words) and 2 * shared >= len(set(title))
    return place if is_most and (shared > 1 or len(title) == 1) else None


_NEXT = frozenset(("next", "nächste", "nächsten"))
_NEXT_WHAT = frozenset(
    "task one tasks step item thing todo job piece ready open free pending planned unfinished".split()
)
_GO_ON = frozenset(("continue", "go", "carry", "proceed", "keep", "resume", "move"))


def _asks_next(tokens: Sequence[str]) -> bool:
    """`Do the next task`, `continue with the plan`: and not `the next task is to …`."""
    for at, token in enumerate(tokens):
        before = _before(tokens, at, 5)
        if any(word.replace("'", "") in _ASIDE or word == "then" for word in before):
            continue
        behind = [word for word in tokens[at + 1 : at + 4]]
        if token in _NEXT and behind and behind[0] in _NEXT_WHAT:
            names = [word for word in behind if word in _NEXT_WHAT]
            rest = tokens[at + 1 + len(names) : at + 2 + len(names)]
            is_told = bool(rest) and rest[0].replace("'", "") in (*_IS, "should", "must", "to")
            is_bare = not before and (not rest or rest[0] in _MARKS)
            if not is_told and (is_bare or any(word in _DOING for word in before)):
                return "task" in names or "plan" in tokens or len(names) < 2
        if token in ("plan", "gameplan") and any(word in _GO_ON for word in before):
            return True
    return False


MOST_READ = 200
"""Tasks of a plan whose titles are all read where none of its names on disk is like the text."""
