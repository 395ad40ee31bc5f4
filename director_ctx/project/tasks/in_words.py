"""Which task of a plan a text names, in the words that people and agents use.

`task_in_words` reads any text: a prompt of two thousand words or a reference of one. It names a task
only where the text can hardly mean anything else, because a wrong task is worse than none.
"""

from __future__ import annotations

from itertools import islice

from director_ctx.base.light_json import parse
from director_ctx.base.record import Record
from director_ctx.project.reading.model import numbered, task_name
from director_ctx.project.tasks.next import current_place, place_at
from director_ctx.project.tasks.prose import (
    CUT,
    ENDS,
    LINE,
    MARKS,
    QUOTE,
    REACH,
    STOP,
    before_it,
    behind_it,
    content,
    number_in,
    prose_of,
    spoken,
    tokens_of,
    words_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from director_ctx.project.project import Project
    from director_ctx.project.reading.model import Place

    Words = tuple[str, ...]
    Title = tuple[Place, Words]
    """A task, and the words of its title."""

LONGEST = 50_000
"""Characters of a text that are read; what somebody is to do is said before that."""
MOST_HITS = 50
_SHORT = 150
"""Words up to which a text may ask for the next task in any of its sentences; in a longer one that
is a rule of a loop that it describes.
"""
_FEW = 12
_ANY = 99
NEAREST = 3
MOST_READ = 200
"""Tasks of a plan whose titles are all read where no name on disk is like the text."""
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
    """What it names that is no task of this plan."""
    nearest: tuple[Place, ...] = ()
    """The tasks that are most like the unknown one."""
    asks_next: bool = False
    """Whether it asks for the next task and names none."""


def task_in_words(project: Project, text: str) -> TaskInWords:
    """The task that a text names: of several the first, and of a number and a title the title."""
    tokens = tokens_of(text[:LONGEST])
    plan = _Plan(project)
    found = [*_option(plan, tokens), *islice(_paths(plan, tokens), MOST_HITS)]
    if not found:
        prose = prose_of(tokens)
        titles = list(_titles(plan, prose))
        numbers = islice(_numbers(plan, prose, titles), MOST_HITS)
        found = [*numbers, *islice(_ids(plan, prose), MOST_HITS), *titles]
        if not any(one.place for one in found):
            found += _descriptions(plan, prose)
        tokens = prose
    return _settled(plan, tokens, found)


class _Found(Record):
    """Words of the text that name a task, or seem to."""

    start: int
    end: int
    how: str
    place: Place | None = None
    unknown: str = ""
    is_aside: bool = False
    """Whether it stands in a remark, such as `after task 2`: it counts if nothing else is named."""


def _settled(plan: _Plan, tokens: Sequence[str], found: list[_Found]) -> TaskInWords:
    found.sort(key=lambda one: (one.is_aside, one.start))
    named = [one for one in found if one.place]
    if not named:
        for one in found:
            if one.unknown:
                nearest = plan.nearest(one.unknown)
                return TaskInWords(how=one.how, unknown=one.unknown, nearest=nearest)
        return TaskInWords(asks_next=_asks_next(tokens))

    chosen, *others = named
    disagrees = ""
    for title in named:
        for one in found:
            # `Task 2: Write the README`: the title says what is meant; numbers change with the plan.
            is_before = one.how in (NUMBER, ID) and 0 <= title.start - one.end <= 2
            if title.how == TITLE and is_before and one.place != title.place:
                disagrees = " ".join(tokens[one.start : one.end])
                others = [other for other in named if other not in (one, title)]
                chosen = title
                break
    also: list[Place] = []
    for one in others:
        if one.place and one.place != chosen.place and not one.is_aside:
            also.append(one.place)
    return TaskInWords(chosen.place, chosen.how, tuple(dict.fromkeys(also)), disagrees)


# The plan.


class _Plan:
    """The tasks by their names on disk. A title is read only where the text may mean it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._steps: dict[Words, list[str]] | None = None

    def steps(self) -> dict[Words, list[str]]:
        """The names of the tasks of each step, by bare listings: a large plan has a thousand steps."""
        if self._steps is None:
            self._steps = {}
            for goal in self.project.goals():
                for step in self.project.steps(goal):
                    names = self.project.bare_names(f"{step.path}/tasks")
                    known = sorted({task_name(name) for name in names if name.endswith(".md")})
                    self._steps[goal.name, step.name] = known
        return self._steps

    def current(self) -> Place | None:
        return self.project.once("current place", lambda: current_place(self.project))

    def numbered(self, goal: int | None, step: int | None, task: int) -> Place | None:
        """A task by numbers; without those of goal and step in the current ones."""
        here = self.current()
        if goal is None and here:
            goal = here.goal.number
        for one in self.project.goals():
            if one.number != goal:
                continue
            steps = self.project.steps(one)
            wanted = step
            if wanted is None:
                wanted = steps[0].number if len(steps) == 1 else None
                if here and here.goal == one and here.step:
                    wanted = here.step.number
            for its_step in steps:
                for its_task in self.project.tasks(its_step) if its_step.number == wanted else ():
                    if its_task.number == task:
                        return place_at(self.project, (one.name, its_step.name, its_task.name))
        return None

    def titled(
        self, words: Collection[str], missing: int = 1, may_read_all: bool = True
    ) -> list[Title]:
        """The tasks whose title these words may name; so many words of its name may be missing."""
        likely: list[Words] = []
        count = 0
        for step, names in self.steps().items():
            count += len(names)
            together = "\n".join(names).casefold()
            if together.isascii() and not any(word in together for word in words):
                continue
            for name in names:
                slug = [word for word in name.casefold().split("-")[1:] if word not in STOP]
                shared = sum(1 for word in slug if word in words)
                # A name on disk is shorter than the title, and may have been given by hand.
                if not slug or not name.isascii() or 0 < shared >= len(slug) - missing:
                    likely.append((*step, name))
        if not likely and may_read_all and count <= MOST_READ:
            likely = [(*step, name) for step, names in self.steps().items() for name in names]
        tasks: list[Title] = []
        for one in likely:
            place = place_at(self.project, one)
            if place and place.task:
                title = self.project.title(place.task)
                tasks.append((place, content(title)))
                # `Export an album (streaming)` is named without what stands in parentheses.
                if title.endswith(")") and " (" in title:
                    tasks.append((place, content(title.rpartition(" (")[0])))
        return tasks

    def nearest(self, unknown: str) -> tuple[Place, ...]:
        """The tasks most like an unknown one: in its step, with its words, with the next number."""
        words = words_in(unknown.replace("/", " ").replace(".", " "))
        said = [number for number in map(number_in, words) if number is not None]
        here = self.current()
        close: list[tuple[int, int, Words]] = []
        for step, names in self.steps().items():
            numbers = [(numbered(name) or (0, ""))[0] for name in step]
            is_named = 1 < len(said) <= 3 and said[:-1] == numbers[3 - len(said) :]
            is_here = bool(here and here.step and step == (here.goal.name, here.step.name))
            for name in names:
                number, slug = numbered(name) or (0, name)
                shared = len(set(words).intersection(words_in(slug.casefold())))
                away = abs(number - said[-1]) if said else number
                close.append((-2 * shared - 2 * is_named - is_here, away, (*step, name)))
        places = [place_at(self.project, names) for _, _, names in sorted(close)[:NEAREST]]
        return tuple(place for place in places if place)


# What names a task.


def _option(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`dctx assemble builder --task 1/2/3`, wherever it is quoted."""
    for at, token in enumerate(tokens[:-1]):
        numbers = [number_in(part) for part in tokens[at + 1].split("/")]
        if token == "--task" and None not in numbers and len(numbers) < 4:
            above: list[int | None] = [None, None, *numbers][-3:-1]
            place = plan.numbered(above[0], above[1], numbers[-1] or 0)
            yield _Found(at, at + 2, NUMBER, place, "" if place else f"task {tokens[at + 1]}")
            return


def _paths(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """Any end of a task file's path, such as `tasks/02-readme.md` or `02-readme`."""
    for at, token in enumerate(tokens):
        path, _, behind = token.strip("@'_~").partition(".md")
        if behind[:1] not in ("", "#") or "://" in token.partition("goals/")[0].replace(
            "file://", ""
        ):
            continue
        *above, name = path.rpartition("goals/")[2].split("/")
        name = task_name(name)
        if not numbered(name) or "-" not in name:
            continue
        is_in_tasks = above[-1:] == ["tasks"]
        if "goals/" in path and (len(above) != 3 or not is_in_tasks):
            continue
        above = [part for part in above if part not in ("", ".", ".director", "tasks")]
        matching: list[Words] = []
        for step, names in plan.steps().items():
            if above and [part.casefold() for part in step][-len(above) :] != above:
                continue
            matching += [(*step, one) for one in names if one.casefold() == name]
        if len(matching) == 1:
            yield _Found(at, at + 1, PATH, place_at(plan.project, matching[0]))
        elif "goals/" in path or matching or (is_in_tasks and ".md" in token and not above):
            yield _Found(at, at + 1, PATH, unknown=token)


_UNITS = {unit + ending: unit for unit in ("goal", "step", "task") for ending in ("", "s")}
_TASK_WORDS = frozenset("task tasks aufgabe tarea tâche задача タスク".split())
_JOINING = frozenset("of in from the under with and , > - / | ( ) : = → -> #".split())
_DOING = frozenset(
    "do does doing build building implement implementing execute start begin complete finish take handle continue"
    " resume tackle work working carry pick perform deliver develop solve realise realize proceed claim verify check"
    " read go run make address attempt assigned responsible builder choose next now mach haz fais".split()
)
"""What stands before a task that somebody is to do."""
_DIRECTLY = (["do"], ["build"], ["implement"], ["start"], ["begin"])
_ASIDE = frozenset(
    "after before until unless like as since than not dont never skip except without depends needs blocked unlike"
    " discussed yesterday earlier once when while besides excluding previously instead requires waiting waits".split()
)
"""What stands before a task that is only mentioned."""
_IS = frozenset(
    "is was has isnt wasnt are were needs depends got will had builds failed left".split()
)
_AND_THEN = frozenset(
    "of in from on and or now please first then again only next today with using for as by before after while when"
    " but so because is are if yourself too alone according following per under pls thanks thx".split()
)
"""What may follow `task 2` in a sentence about it: `task 3 times` is no number."""
_OURS = frozenset("plan gameplan step goal .director director roadmap".split())
_OTHER_TASKS = frozenset(
    "background async asyncio celery cron gradle ci scheduled homework kernel github jira npm rake ansible airflow"
    " periodic sub systemd vscode vs ecs fargate queue worker coroutine your".split()
)
"""Words before `task` by which it is none of a plan; `your task` is what the prompt itself says."""


class _Mention(Record):
    """`step 2`, `task two`, `tasks 1 and 3`."""

    unit: str
    numbers: tuple[int, ...]
    start: int
    end: int
    is_labelled: bool
    """Whether a colon stands before the number: `task: 3`."""


def _mentions(tokens: Sequence[str]) -> Iterator[_Mention]:
    at = 0
    while at < len(tokens):
        start = at
        at += 1
        unit = _UNITS.get(tokens[start], "")
        if not unit:
            continue
        while at < len(tokens) and tokens[at] in ("#", "no", "number", "=", ":"):
            at += 2 if tokens[at : at + 2] == ["no", "."] else 1
        is_labelled = ":" in tokens[start:at]
        numbers: list[int] = []
        end = at
        while at < len(tokens):
            first, dash, last = tokens[at].partition("-")
            number = number_in(tokens[at])
            if dash and first.isdecimal() and last.isdecimal() and len(tokens[at]) < 8:
                numbers += range(int(first), min(int(last), int(first) + 20) + 1)
            elif number is not None:
                numbers.append(number)
            elif not numbers or tokens[at] not in (",", "and", "&"):
                break
            at += 1
            if number_in(tokens[at - 1]) is not None or dash:
                end = at
            if not tokens[start].endswith("s"):
                break
        if numbers:
            yield _Mention(unit, tuple(numbers), start, end, is_labelled)
        at = max(end, start + 1)


def _numbers(plan: _Plan, tokens: Sequence[str], titles: Sequence[_Found]) -> Iterator[_Found]:
    """`3/1/2`, `goal 3, step 1, task 2` in any order, `step 2 task 1`, `task 2`, `do #2`."""
    quoted = _quoted(tokens)
    for at, token in enumerate(tokens):
        if at in quoted:
            continue
        before = before_it(tokens, at, 3)
        does = any(word in _DOING or word in _TASK_WORDS for word in before)
        parts = token.strip("#@'_~").split("/")
        if len(parts) == 3 and all(
            part.isascii() and part.isdigit() and len(part) < 4 for part in parts
        ):
            place = plan.numbered(*map(int, parts))
            # Three numbers of no task may be a date.
            if place or does or len(tokens) < 4:
                unknown = "" if place else token
                yield _Found(at, at + 1, NUMBER, place, unknown, _is_aside(tokens, at, at + 1))
        elif token[:1] == "#" and token[1:].isdecimal():
            # Elsewhere it is an issue or a pull request.
            step = number_in(before[-1]) if before[-2:-1] == ["step"] else None
            if step is not None or before[-1:] in _DIRECTLY:
                place = plan.numbered(None, step, int(token[1:7]))
                yield _Found(at, at + 1, NUMBER, place, "" if place else f"task {token}")

    chains: list[list[_Mention]] = [[]]
    for mention in _mentions(tokens):
        chain = chains[-1]
        between = tokens[chain[-1].end : mention.start] if chain else ()
        is_joined = all(token in _JOINING or token == LINE for token in between)
        is_twice = any(mention.unit == one.unit for one in chain)
        # `Goal 1 Goal 2 Task 3` contradicts itself.
        if chain and not (is_joined and (not is_twice or not between)):
            chains.append([])
        chains[-1].append(mention)
    chains = [chain for chain in chains if sum(one.unit == "task" for one in chain) == 1]
    chains = [chain for chain in chains if len({one.unit for one in chain}) == len(chain)]
    own_list = {
        one.numbers
        for (one, *more) in chains
        if not more and _is_heading(plan, tokens, one, titles)
    }
    for chain in chains:
        by_unit = {one.unit: one for one in chain}
        start, end = min(one.start for one in chain), max(one.end for one in chain)
        task = by_unit.pop("task")
        goal = by_unit["goal"].numbers[0] if "goal" in by_unit else None
        step = by_unit["step"].numbers[0] if "step" in by_unit else _step_called(plan, tokens, end)
        aside = _is_aside(tokens, start, end)
        is_bare = not by_unit and step is None
        if start in quoted or (is_bare and (own_list or aside or not _is_meant(tokens, task))):
            continue
        for number in task.numbers:
            place = plan.numbered(goal, step, number)
            above = [" ".join(tokens[one.start : one.end]) for one in by_unit.values()]
            unknown = "" if place else " ".join([*above, f"task {number}"])
            yield _Found(start, end, NUMBER, place, unknown, aside)


def _quoted(tokens: Sequence[str]) -> set[int]:
    """Places in a quotation of more than a reference: `translate "do task 2"`."""
    places: set[int] = set()
    begin = -1
    for at, token in enumerate(tokens):
        if token == LINE:
            begin = -1
        elif token == QUOTE and begin < 0:
            begin = at
        elif token == QUOTE:
            inner = tokens[begin + 1 : at]
            if any(
                number_in(word) is None
                and word not in _UNITS
                and word not in _JOINING
                and "/" not in word
                for word in inner
            ):
                places.update(range(begin, at))
            begin = -1
    return places


def _is_heading(
    plan: _Plan, tokens: Sequence[str], mention: _Mention, titles: Sequence[_Found]
) -> bool:
    """Whether `Task 2: Recovery modes` names something of the text's own, and no task of the plan."""
    end = mention.end
    mark = "".join(tokens[end : end + 1])
    if mention.unit != "task" or mention.is_labelled or mark not in (":", "—", "-", "("):
        return False
    does = not _DOING.isdisjoint(before_it(tokens, mention.start, 5))
    if any(one.start == end + 1 for one in titles) or (mark == "(" and does):
        return False
    place = plan.numbered(None, None, mention.numbers[0])
    named = content(plan.project.title(place.task)) if place and place.task else ()
    words = [word for one in behind_it(tokens, end + 1, 12) for word in words_in(one)]
    said = {_stem(word) for word in words if word not in STOP}
    shared = len(said.intersection(map(_stem, named)))
    return bool(said) and 2 * shared <= min(len(said), len(named))


def _step_called(plan: _Plan, tokens: Sequence[str], end: int) -> int | None:
    """The step in `task 2 of the Release step`, of the current goal."""
    words = behind_it(tokens, end, 8)
    here = plan.current()
    if words[:1] not in (["of"], ["in"], ["from"]) or "step" not in words or here is None:
        return None
    called = {
        word for one in words[1 : words.index("step")] for word in words_in(one) if word not in STOP
    }
    titles = {
        step.number: set(content(plan.project.title(step)))
        for step in plan.project.steps(here.goal)
    }
    whole = [number for number, title in titles.items() if title == called]
    part = [number for number, title in titles.items() if called and called < title]
    numbers = whole or part
    return numbers[0] if len(numbers) == 1 else None


def _is_meant(tokens: Sequence[str], task: _Mention) -> bool:
    """Whether `task 2` is a task that somebody is to do."""
    before = before_it(tokens, task.start, 5)
    behind = behind_it(tokens, task.end, 6)
    follows = tokens[task.end : task.end + 1]
    if before[-1:] and before[-1] in _OTHER_TASKS and before[-1] != "your":
        return False
    if not {"yours", "assigned"}.isdisjoint(behind[:3]):
        return True
    if follows and follows[0] not in MARKS and follows[0] not in _AND_THEN:
        return False
    if task.is_labelled and follows and follows[0] not in ENDS:
        return False
    if behind[:1] in (["of"], ["in"], ["from"], ["on"]):
        return not _OURS.isdisjoint(behind)
    if any(word in _DOING for word in before):
        return True
    # Alone in its line it is a reference, and so it is before a title or a parenthesis.
    ends = (LINE, ".", "!", "(", ":", "—", "please", "pls", "now")
    return not before and (not follows or follows[0] in ends)


def _is_aside(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether something is only mentioned: `after X`, `X is done`, `do not do X`."""
    if any(word in _ASIDE for word in before_it(tokens, start, 4)):
        return True
    behind = [token for token in tokens[end : end + 3] if token not in (QUOTE, ")")]
    return (
        bool(behind)
        and behind[0].replace("'", "") in _IS
        and behind[1:2] not in (["yours"], ["assigned"])
    )


def _ids(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`T012`, `TASK-12`: what the tool calls it that the plan was taken over from."""
    named: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        if token[:1].isalpha() and token[-1:].isdecimal() and len(token) < 20:
            named.setdefault(token, []).append(at)
    if not named:
        return
    # Most prompts have no such word.
    from director_ctx.project.taken import ORIGINS

    if plan.project.kind(ORIGINS) != "file":
        return
    try:
        sources = parse(plan.project.text(ORIGINS))["sources"].values()
        units = [(str(key), str(at)) for one in sources for key, (at, *_) in one["units"].items()]
    except (ValueError, LookupError, TypeError, AttributeError):
        return
    forms = {"task-"}
    is_known = False
    for key, at_path in units:
        id = key.rpartition("/")[2].casefold()
        forms.add(id.rstrip("0123456789"))
        names = at_path.removeprefix("goals/").split("/")
        for at in named.get(id) or named.get(f"task-{id}") or ():
            if len(names) == 4:
                place = place_at(plan.project, (names[0], names[1], names[3]))
                aside = _is_aside(tokens, at, at + 1) or "of" in before_it(tokens, at, 1)
                yield _Found(at, at + 1, ID, place, "", aside)
                is_known = True
    for token, places in named.items():
        does = not _DOING.isdisjoint(before_it(tokens, places[0], 3))
        if not is_known and does and token.rstrip("0123456789") in forms:
            yield _Found(places[0], places[0] + 1, ID, unknown=token)


def _titles(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """A title in full, or one that is cut with `…`."""
    pairs = spoken(tokens)
    words = [word for word, _ in pairs]
    if _DOING.issuperset(set(words) - _TASK_WORDS):
        return
    # A title alone, or one that is called a task, may be unlike its name on disk.
    may_read_all = len(tokens) < _FEW or not _TASK_WORDS.isdisjoint(words)
    matches: dict[tuple[int, int], list[Place]] = {}
    for place, title in plan.titled(set(words), _ANY if CUT in tokens else 1, may_read_all):
        for first in islice(_starts(words, title), MOST_HITS):
            start, end = pairs[first][1], pairs[first + len(title) - 1][1] + 1
            inner = tokens[start:end]
            is_cut = CUT in tokens[end : end + 1] or len(spoken(inner)) != len(title)
            # A title may go on in the next line.
            if not is_cut and inner.count(LINE) < 2 and (ENDS - {LINE}).isdisjoint(inner):
                matches.setdefault((start, end), []).append(place)
        for start, end in _cut_titles(tokens, title) if CUT in tokens else ():
            matches.setdefault((start, end), []).append(place)

    for (start, end), places in islice(matches.items(), MOST_HITS):
        # Of titles within each other the longest is meant.
        is_part = any(
            one <= start and end <= other and (one, other) != (start, end) for one, other in matches
        )
        if not is_part and _is_title(tokens, start, end):
            one = _one_of(plan, tokens, list(dict.fromkeys(places)))
            unknown = "" if one else " ".join(tokens[start:end])
            yield _Found(start, end, TITLE, one, unknown, _is_aside(tokens, start, end))


def _starts(words: Sequence[str], title: Words) -> Iterator[int]:
    """Where all words of a title stand in a row."""
    at = -1
    while title:
        try:
            at = words.index(title[0], at + 1)
        except ValueError:
            return
        if tuple(words[at : at + len(title)]) == title:
            yield at


def _cut_titles(tokens: Sequence[str], title: Words) -> Iterator[tuple[int, int]]:
    """Where a title begins and `…` stands for the rest."""
    cuts = (at for at, token in enumerate(tokens) if token == CUT)
    for end in islice(cuts, MOST_HITS):
        start = end
        while start > max(0, end - REACH) and tokens[start - 1] not in ENDS:
            start -= 1
            begun = [word for word, _ in spoken(tokens[start:end])]
            if tokens[start - 1] in MARKS and 1 < len(begun) <= len(title):
                *whole, last = begun
                if tuple(whole) == title[: len(whole)] and title[len(whole)].startswith(last):
                    yield start, end + 1
                    break


def _is_title(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether words are a title here, and not words that anybody may write."""
    pairs = spoken(tokens)
    # A word of another alphabet stands in no prompt by chance.
    count = sum(1 if word.isascii() else 3 for word, at in pairs if start <= at < end)
    before = tokens[start - 1] if start else LINE
    behind = tokens[end] if end < len(tokens) else LINE
    is_whole = before in MARKS and behind in MARKS
    # Three words that go on may be a rule that somebody writes down.
    goes_on = behind not in MARKS and behind not in ("and", "now", "then", "task")
    if count > 2 and not (goes_on and (count == 3 or (count == 4 and len(tokens) > _SHORT))):
        return True
    others = [word for word, at in pairs if not start <= at < end and word not in _DOING]
    if is_whole and not others:
        return True
    near = [*before_it(tokens, start, 3), *tokens[end : end + 2]]
    is_called_task = not _TASK_WORDS.isdisjoint(near) and _OTHER_TASKS.isdisjoint(
        set(near) - {"your"}
    )
    label = tokens[max(start - 3, 0) : max(start - 1, 0)]
    is_number = label[:1] == ["task"] and label[-1].isdecimal()
    is_labelled = before in (":", "(", "—") and (
        is_number or (label[-1:] != [] and "/" in label[-1])
    )
    if is_labelled and behind in MARKS:
        return True
    if is_whole and tokens[:start].count(LINE) == len(tokens[:start]) and "task" in tokens:
        # A heading over all.
        return count == 2
    if count == 1:
        return is_called_task and is_whole and before in (QUOTE, ":", "(")
    is_in_step = before == QUOTE and "step" in before_it(tokens, start, 8)
    return (is_called_task and before in MARKS) or is_in_step


def _one_of(plan: _Plan, tokens: Sequence[str], places: Sequence[Place]) -> Place | None:
    """Of tasks with one title the one whose number or step is named, else the one of the current
    step, else the only one that is open.
    """
    for place in places:
        if place.ref in tokens:
            return place
    said = {(one.unit, number) for one in _mentions(tokens) for number in one.numbers}
    here = plan.current()
    words = {word for word, _ in spoken(tokens)}
    ranks: dict[int, list[Place]] = {}
    for place in places:
        assert place.step and place.task
        is_step = ("step", place.step.number) in said and ("goal", place.goal.number) in said
        is_called = "step" in words and set(content(plan.project.title(place.step))) <= words
        rank = 8 * (is_step or is_called) + 4 * (("step", place.step.number) in said)
        rank += 2 * (("task", place.task.number) in said) + bool(here and place.step == here.step)
        ranks.setdefault(2 * rank + (not place.task.done), []).append(place)
    best = ranks[max(ranks)]
    return best[0] if len(best) == 1 else None


_ABOUT = frozenset(
    "about for on that which where to with regarding concerning called named titled of".split()
)
_WHICH = frozenset(
    "next first last same other previous current whole main above following entire final".split()
)
"""Words before `task` that describe none."""
_LONGEST_DESCRIPTION = 10


def _descriptions(plan: _Plan, tokens: Sequence[str]) -> Iterator[_Found]:
    """`the task about create-image's README`, `the README task`, `the argument-hint task for X`."""
    called = (at for at, token in enumerate(tokens) if token == "task")
    for at in islice(called, MOST_HITS):
        before = before_it(tokens, at, 7)
        if "the" not in before or before[-1] in _OTHER_TASKS | _WHICH:
            continue
        described = before[len(before) - before[::-1].index("the") :]
        behind = behind_it(tokens, at + 1, _LONGEST_DESCRIPTION)
        is_about = bool(behind) and behind[0] in _ABOUT
        does = any(word in _DOING for word in before_it(tokens, at, 9)) or "yours" in behind
        # From the shortest on: a sentence goes on behind what describes the task.
        for length in range(len(behind) if is_about else 1):
            words = [
                word
                for one in (*described, *behind[1 : length + 1])
                for word in words_in(one)
                if word not in STOP
            ]
            is_all = not is_about or length == len(behind) - 1
            place = _described(plan, words, does and is_all)
            if place:
                aside = _is_aside(tokens, at, at + 1)
                yield _Found(at - len(described), at + 1 + length, DESCRIPTION, place, "", aside)
                break


def _described(plan: _Plan, said: Sequence[str], does: bool) -> Place | None:
    """The one task whose title has most of these words."""
    words = set(map(_stem, said))
    if not words:
        return None
    scored: dict[Place, int] = {}
    sizes: dict[Place, int] = {}
    for place, title in plan.titled({*said, *words}, _ANY):
        stems = {_stem(word) for one in title for word in one.replace("/", " ").split()}
        scored[place] = max(scored.get(place, 0), len(words & stems))
        sizes[place] = min(sizes.get(place, 99), len(stems))
    best = max(scored.values(), default=0)
    places = [place for place, score in scored.items() if score == best]
    if not best or len(places) > 1 or 2 * best <= len(words):
        return None
    # One word has to be all that is said, and that somebody is to do it.
    is_enough = best > 1 and 2 * best >= sizes[places[0]]
    return places[0] if is_enough or (does and best == len(words)) else None


def _stem(word: str) -> str:
    """The same for `rotate`, `rotates` and `rotating`."""
    return word[:5] if len(word) > 5 else word.rstrip("s")


_NEXT = (
    "next task",
    "next one",
    "next ready",
    "next open",
    "next free",
    "next pending",
    "next planned",
    "first pending task",
    "first open task",
)
_NEXT_ELSEWHERE = (
    "nächste aufgabe", "nächsten aufgabe", "siguiente tarea", "próxima tarea", "tâche suivante", "prochaine tâche",
    "次のタスク", "следующую задачу",
)  # fmt: skip
_GO_ON = frozenset("continue go carry proceed keep resume move".split())
_NOT_NOW = frozenset(
    "after before until unless if when while once not dont never then should must than like whether".split()
)


def _asks_next(tokens: Sequence[str]) -> bool:
    """`Do the next task`, `continue with the plan`: and not `the next task is to …`."""
    sentence: list[str] = []
    sentences: list[list[str]] = []
    quoted = _quoted(tokens)
    for at, token in enumerate((*tokens, ".")):
        if token in ENDS:
            if sentence:
                sentences.append(sentence)
            sentence = []
        elif at not in quoted and token not in MARKS:
            sentence.append(token.replace("'", ""))
    if len(tokens) > _SHORT:
        sentences = [*sentences[:1], *sentences[-1:]]
    for words in sentences:
        text = f" {' '.join(words)} "
        if any(phrase in text for phrase in _NEXT_ELSEWHERE):
            return True
        asks = next((phrase for phrase in _NEXT if f" {phrase} " in text), "plan")
        before, found, behind = text.replace(" gameplan ", " plan ").partition(f" {asks} ")
        # `If there is a next task`, `after the next task`: nobody is told to do it.
        is_aside = not _NOT_NOW.isdisjoint(before.split())
        if not found or is_aside:
            continue
        does = not _DOING.isdisjoint(before.split())
        goes_on = not _GO_ON.isdisjoint(before.split())
        told = behind.split()[:1]
        if asks == "plan":
            comes_next = "whats next" in before or "comes next" in before or "is next" in before
            goes_on = not _GO_ON.isdisjoint(before.split()[-4:])
            if comes_next or (goes_on and (not told or told[0] in _AND_THEN or told[0] == "where")):
                return True
            continue
        is_asked = does or goes_on or not before.strip(' "the')
        is_of_plan = asks.endswith("task") or "task" in behind or "plan" in text
        is_told = bool(told) and told[0] in _IS
        if is_asked and not is_told and (is_of_plan or len(tokens) < 10):
            return True
    return False
