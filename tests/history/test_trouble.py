"""Which errors are still open: an error is put right by a later success of what it tried, and by
nothing else.
"""

from __future__ import annotations

import json
import re

import pytest

from director_ctx.context.settings.budget import count_chars
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    TOOL,
    USER,
    Block,
    Message,
)
from director_ctx.history.messages.turns import turns
from director_ctx.history.signals.errors import last_open_error
from director_ctx.history.summaries.extract import extract
from director_ctx.history.summaries.notes import open_errors

_BAD, _GOOD = "Exit code 1\nKeyError: 'fee'", "fine"


def ran(command: object, ended: str = _GOOD, name: str = "", tool: str = "bash") -> list[Message]:
    """A call of a shell, or of another tool with these arguments."""
    name = name or f"{command}"
    arguments = json.dumps({"command": command} if tool == "bash" else command)
    return [
        Message(ASSISTANT, [Block(CALL, arguments, call=name, tool=tool)]),
        Message(TOOL, [Block(RESULT, ended, call=name, tool=tool)]),
    ]


def solved(first: object, then: object, tool: str = "bash", ended: str = _GOOD) -> bool:
    run = [*ran(first, _BAD, "1", tool), *ran(then, ended, "2", tool)]
    place = last_open_error(run, turns(run))
    assert place in (None, range(2))
    assert bool(open_errors(run)) == (place is not None)
    return place is None


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("pytest tests/test_pay.py", "cd /app && pytest -x tests/test_pay.py 2>&1 | tail -5"),
        ("pytest tests/test_pay.py", "python -m pytest tests/test_pay.py -q --tb=short"),
        ("pytest tests/test_pay.py", "CI=1 timeout 60 uv run pytest ./tests/test_pay.py"),
        ("pytest tests/test_pay.py", "ls; .venv/bin/pytest tests/test_pay.py"),
        ("pytest tests/test_pay.py::TestPay::test_fee", "pytest tests/test_pay.py"),
        ("pytest tests/test_pay.py -k fee", "pytest tests"),
        ("pytest tests/test_pay.py -n 4", "pytest"),
        ("pytest tests/a.py tests/b.py", "pytest tests/b.py tests/a.py tests/c.py"),
        ("ruff check src/pay.py", "ruff check src"),
        ("cargo test fee", "cargo test"),
        ("npm run build", "npm run build --verbose"),
        ("git commit -m 'one'", "git commit --no-verify -m 'another'"),
        (["bash", "-lc", "cd x && make all"], "make all"),
        ("python - <<'EOF'\nprint(1)\nEOF", "cd x; python - <<'EOF'\nprint(2)\nEOF"),
        ('python -c "import a; a.b()"', "python -c 'import c'"),
        ("sed -n '/def fee/p' src/pay.py", 'sed -n "/def fees/p" "src/pay.py"'),
    ],
)
def test_an_error_is_put_right_by_the_same_command_or_one_much_like_it(
    first: object, then: object
) -> None:
    assert solved(first, then)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("pytest tests/test_pay.py", "ls"),
        ("pytest tests/test_pay.py", "pytest tests/test_ship.py"),
        ("pytest tests/test_pay.py", "pytest tests/test_pay.py -k other"),
        ("pytest tests/test_pay.py", "pytest tests/test_pay.py::test_one"),
        ("pytest tests/a.py tests/b.py", "pytest tests/a.py"),
        ("pytest", "pytest tests/a.py"),
        ("pytest tests/test_pay.py", "mypy tests/test_pay.py"),
        ("ruff check src", "ruff format src"),
        ("npm run build", "npm run test"),
        ("cd x && make", "cd x && ls"),
        ("python - <<'EOF'\nprint(1)\nEOF", "python pay.py"),
        ("sed -n '/def fee/p' src/pay.py", "sed -n '/def fee/p' src/ship.py"),
    ],
)
def test_another_command_puts_nothing_right(first: str, then: str) -> None:
    assert not solved(first, then)


@pytest.mark.parametrize(
    ("tool", "first", "then", "right"),
    [
        ("Edit", {"file_path": "a.py", "old": "x"}, {"file_path": "a.py", "old": "y"}, True),
        ("Edit", {"file_path": "a.py", "old": "x"}, {"file_path": "b.py", "old": "x"}, False),
        ("editor", {"command": "insert", "path": "a"}, {"command": "view", "path": "a"}, False),
        ("create_node", {"name": "login"}, {"name": "login"}, True),
        ("create_node", {"name": "login"}, {"name": "logout"}, False),
        ("reload", {}, {}, True),
    ],
)
def test_other_tools_go_by_their_file_or_their_arguments(
    tool: str, first: object, then: object, right: bool
) -> None:
    assert solved(first, then, tool) == right


@pytest.mark.parametrize(
    ("command", "ended", "opened"),
    [
        ("cd x && grep -n fee src/pay.py", "<returncode>1</returncode>\n<output>\n</output>", 0),
        ("grep -n fee src/pay.py", "<returncode>2</returncode>\ngrep: src/pay.py: No such file", 1),
        ("# is it there?\nrg fee", "Exit code 1", 0),
        ("python grep.py", "Exit code 1", 1),
    ],
)
def test_a_search_that_found_nothing_is_an_answer(command: str, ended: str, opened: int) -> None:
    assert len(open_errors(ran(command, ended))) == opened


def test_a_check_that_counts_failures_proves_nothing_whatever_its_exit_status() -> None:
    assert not solved(
        "pytest a.py", "pytest a.py | tail -3", ended="=== 1 failed, 3 passed in 0.1s ==="
    )
    assert solved("pytest a.py", "pytest a.py | tail -3", ended="=== 4 passed in 0.1s ===")


def test_an_older_error_is_open_although_the_newest_was_put_right() -> None:
    run = [*ran("pytest a", _BAD), *ran("mypy b", _BAD, "1"), *ran("mypy b", name="2"), *ran("ls")]
    assert last_open_error(run, turns(run)) == range(2)
    run = [*run, *ran("pytest a")]
    assert last_open_error(run, turns(run)) is None


def test_what_fails_again_after_it_went_well_is_open() -> None:
    run = [*ran("make", _BAD, "1"), *ran("make", name="2"), *ran("make", _BAD, "3")]
    assert last_open_error(run, turns(run)) == range(4, 6)
    assert len(open_errors(run)) == 1


def test_a_call_is_found_by_its_id_also_in_another_turn_and_by_its_place_where_there_is_none() -> (
    None
):
    both = [ran("make a", _BAD, "1"), ran("make b", _BAD, "2")]
    apart = [both[0][0], both[1][0], both[0][1], both[1][1]]
    assert ["make b" in text for text in open_errors(apart)] == [True, False]
    assert not open_errors([*apart, *ran("make b", name="3"), *ran("make a", name="4")])
    calls = [Block(CALL, json.dumps({"command": one}), tool="bash") for one in ("make a", "ls")]
    results = [Block(RESULT, text, tool="bash") for text in (_BAD, _GOOD)]
    assert "make a" in open_errors([Message(ASSISTANT, calls), Message(TOOL, results)])[0]


@pytest.mark.parametrize("form", ["```bash\n{}\n```", "<command>\n{}\n</command>"])
def test_an_agent_that_marks_no_calls_is_understood_by_what_it_says_to_do(form: str) -> None:
    def acts(command: str, ended: str) -> list[Message]:
        said = Message(ASSISTANT, [Block(TEXT, f"Now this:\n{form.format(command)}")])
        return [said, Message(USER, [Block(RESULT, ended)])]

    run = [*acts("pytest a.py", _BAD), *acts("ls", _GOOD)]
    assert last_open_error(run, turns(run)) == range(2)
    run += acts("cd x && pytest -v a.py", _GOOD)
    assert last_open_error(run, turns(run)) is None


def still_open(summary: str) -> str:
    return summary.partition("## Open\n\n")[2].partition("\n\n## ")[0]


def test_a_summary_calls_solved_only_what_the_same_was_done_for_and_the_rest_is_open() -> None:
    run = [*ran("pytest a", _BAD), *ran("pytest b", _BAD), *ran("mypy c", _BAD), *ran("ls")]
    text = extract(run, "", 20_000, count_chars)
    opened = still_open(text)
    assert "solved" not in text
    assert re.findall('"command": "(.*?)"', opened) == ["pytest a", "pytest b", "mypy c"]
    text = extract([*run, *ran("pytest -v b", name="4")], "", 20_000, count_chars)
    assert 'KeyError: \'fee\' -> solved: bash {"command": "pytest -v b"}' in text
    assert "pytest b" not in still_open(text)


@pytest.mark.parametrize(
    "command", ["pytest tests/test_pay.py", "cat > a.py <<'EOF'\n" + "x = {'a': 1}\n" * 99 + "EOF"]
)
def test_an_error_of_an_earlier_summary_is_open_until_it_is_solved(command: str) -> None:
    """Also where the summary has only both ends of a long call."""
    text = extract(ran(command, _BAD), "", 20_000, count_chars)
    talk = [Message(USER, [Block(TEXT, "And now to something else.")]), *ran("ls")]
    for _ in range(3):
        text = extract(talk, text, 20_000, count_chars)
        assert text.count("KeyError") == 1 and "KeyError" in still_open(text)
        assert len(open_errors(talk, text)) == 1
    assert open_errors(ran(command), text) == []
    text = extract(ran(command), text, 20_000, count_chars)
    assert "## Open" not in text and text.count("KeyError") == text.count("-> solved: bash") == 1
    assert extract(talk, text, 20_000, count_chars).count("-> solved: bash") == 1


def test_many_open_errors_leave_room_for_decisions() -> None:
    said = Message(ASSISTANT, [Block(TEXT, "I decided to use nails instead of glue.")])
    run = [said, *(one for n in range(90) for one in ran(f"make {n}", _BAD))]
    text = extract(run, "", 500, count_chars)
    assert "make 89" in text and "nails instead of glue" in text and len(text) <= 2_000
