"""`dctx idea`: written down, listed, taken out."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import now
from director_ctx.project.project import load_project
from director_ctx.upkeep.ideas import add_idea, list_ideas, remove_idea

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.upkeep.idea_list import Idea


def add(values: dict[str, Any]) -> int:
    text = values["text"]
    if not text.strip():
        raise UsageProblem(
            "The idea is empty.",
            "Give it in quotes, such as dctx idea add 'Send the list by mail'.",
        )
    root = load_project(root=values["root"]).root
    idea = add_idea(root, text, now())
    return _present(values, "Written down:", idea)


def list_(values: dict[str, Any]) -> int:
    ideas = list_ideas(load_project(root=values["root"]))
    if values["json"]:
        put_json([idea_json(idea) for idea in ideas])
        return OK

    if not ideas:
        put_lines([("No ideas are written down.", "")])
        return OK
    lines: list[tuple[str, str]] = []
    for idea in ideas:
        lines += _lines(idea)
    put_lines(lines)
    return OK


def remove(values: dict[str, Any]) -> int:
    number = values["number"]
    # A number of thousands of digits is a mistake like any other, and Python would not read it.
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    if not is_number:
        raise UsageProblem(f"{number!r} is not the number of an idea.", "See `dctx idea list`.")
    root = load_project(root=values["root"]).root
    idea = remove_idea(root, int(number))
    return _present(values, "Taken out:", idea)


def idea_json(idea: Idea) -> dict[str, Any]:
    return {"number": idea.number, "when": idea.when, "text": idea.text}


def _present(values: dict[str, Any], headline: str, idea: Idea) -> int:
    if values["json"]:
        put_json(idea_json(idea))
    else:
        put_lines([(headline, "bold"), *_lines(idea)])
    return OK


def _lines(idea: Idea) -> Iterator[tuple[str, str]]:
    first, *more = idea.text.split("\n")
    yield f"{idea.number:>3}  {idea.when:<16}  {plain(first)}", ""
    for line in more:
        # Below the first, behind its number and its time.
        yield f"{'':23}{plain(line)}".rstrip(), ""
