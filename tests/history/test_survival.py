"""The judge of what survives a compression: what it takes for an item, for needed, for kept and for
recoverable.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import histories
from benchmarks.history_once import way_through
from benchmarks.survival import __main__ as command
from benchmarks.survival.controls import planted, strangers
from benchmarks.survival.items import (
    ERROR,
    ID,
    NAME,
    NUMBER,
    PATH,
    QUOTED,
    SELECTOR,
    Item,
    in_action,
)
from benchmarks.survival.judge import LOST, RECOVERABLE, RETAINED, Output
from benchmarks.survival.lines import place
from benchmarks.survival.methods import SIMPLE, count, hybrid
from benchmarks.survival.reading import RESULT, pieces
from benchmarks.survival.runs import MINI, load
from benchmarks.survival.targets import Moment, cut_places, moment
from benchmarks.survival.trial import Case, attempt, cases, fits, trouble
from director_ctx.history.digest.digest_message import DigestSources
from director_ctx.history.formats import document, openai_chat
from director_ctx.history.messages.message import Message, measure
from director_ctx.history.messages.stubs import result_stub

Chat = list[dict[str, Any]]
GREP = "src/reader.py:41:def read_header(stream, strict=True):"


def outline(messages: Sequence[Message], count: Callable[[str], int]) -> Message:
    """The digest of messages of which nothing is said but what they were about."""
    sources = DigestSources(messages)
    return sources.digest(sources.index(float("inf")), count)


def call(number: int, **given: object) -> dict[str, Any]:
    function = {"name": "bash", "arguments": json.dumps(given)}
    said = [{"id": f"c{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": said}


def result(number: int, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def chat(*steps: tuple[str, str], task: str = "Mend it.") -> Chat:
    """A command and what it printed, step by step."""
    begin: Chat = [{"role": "system", "content": "A shell."}, {"role": "user", "content": task}]
    return begin + [
        one
        for n, (does, sees) in enumerate(steps)
        for one in (call(n, command=does), result(n, sees))
    ]


def texts(found: set[Item], kind: str) -> set[str]:
    return {item.text for item in found if item.kind == kind}


def wanted(found: Moment) -> set[str]:
    return {target.item.text for target in found.targets}


# Items


def test_items_are_found_in_the_values_of_arguments_and_not_in_their_keys() -> None:
    found = in_action(json.dumps({"file_path": "src/read_me.py", "old_string": "parse_header(x)"}))
    assert texts(found, PATH) == {"src/read_me.py"}
    assert "parse_header" in texts(found, NAME)
    assert "file_path" not in {item.text for item in found}


@pytest.mark.parametrize(
    ("text", "kind", "item"),
    [
        ("cat ./src/a_b/c.py", PATH, "src/a_b/c.py"),
        ("curl https://x.example/a?b=1", PATH, "https://x.example/a?b=1"),
        ("python -c 'import pkg.deep.mod'", NAME, "pkg.deep.mod"),
        ("grep getValueOf .", NAME, "getValueOf"),
        ("git show 3fa85f6d", ID, "3fa85f6d"),
        ("look mia_li_3668", ID, "mia_li_3668"),
        ("run --max_depth=25", NUMBER, "25"),
        ("raise HeaderMissingError()", ERROR, "HeaderMissingError"),
        ('echo "the stream is closed"', QUOTED, "the stream is closed"),
    ],
)
def test_each_kind_of_item_is_known(text: str, kind: str, item: str) -> None:
    assert item in texts(in_action(json.dumps({"command": text})), kind)
    assert texts(in_action(json.dumps({"ref": "e37"})), SELECTOR) == {"e37"}


# Lines


@pytest.mark.parametrize(
    ("line", "item", "at"),
    [
        ("x = read_header(y)", Item(NAME, "read_header"), 4),
        ("x = read_headers(y)", Item(NAME, "read_header"), -1),
        ("a read_headers, read_header", Item(NAME, "read_header"), 16),
        ("depth = 25", Item(NUMBER, "25", "depth"), 8),
        ("width = 25", Item(NUMBER, "25", "depth"), -1),
    ],
)
def test_an_item_stands_in_a_line_only_as_a_whole_and_a_number_with_its_key(
    line: str, item: Item, at: int
) -> None:
    assert place(line, item) == at


# Targets


@pytest.mark.parametrize(
    ("command", "sees", "known", "needed"),
    [
        ("cat src/invented.py", "...", "", {"src/reader.py"}),
        ("ls src", "src/reader.py", "", set()),
        ("ls", "...", "src/reader.py", set()),
    ],
    ids=["seen before and used later", "shown again before", "known to anybody"],
)
def test_needed_is_what_was_seen_before_and_is_used_later(
    command: str, sees: str, known: str, needed: set[str]
) -> None:
    run = chat(("ls", GREP), ("pwd", "/x"), (command, sees), ("cat src/reader.py", "..."))
    assert wanted(moment(run, 6, {Item(PATH, known)})) == needed


def test_what_a_user_or_the_last_turn_says_is_given_and_told_apart() -> None:
    run = chat(
        ("ls", GREP),
        ("pwd", "src/last.py"),
        ("cat src/reader.py src/last.py src/task.py", ""),
        task="Mend src/task.py",
    )
    given = {target.item.text: target.given for target in moment(run, 6).targets}
    assert given == {"src/reader.py": False, "src/last.py": True, "src/task.py": True}


def test_a_sentence_that_an_agent_only_wrote_itself_was_not_seen() -> None:
    script = 'print("the header is fine")'
    assert "the header is fine" not in wanted(
        moment(chat((script, ""), ("pwd", "/x"), (script, "")), 6)
    )
    assert "the header is fine" in wanted(
        moment(chat((script, "the header is fine"), ("pwd", "/x"), (script, "")), 6)
    )


def test_commands_in_text_are_actions_where_calls_are_not_marked() -> None:
    run: Chat = [
        {"role": "user", "content": "Mend it."},
        {"role": "assistant", "content": "Look.\n```\nls\n```"},
        {"role": "user", "content": GREP},
        {"role": "assistant", "content": "Where?\n```\npwd\n```"},
        {"role": "user", "content": "/x"},
        {"role": "assistant", "content": "Now.\n```\ncat src/reader.py\n```"},
    ]
    assert wanted(moment(run, 5)) == {"src/reader.py"}
    assert [piece.kind for piece in pieces(run[2], native=False)] == [RESULT]


def test_a_run_is_cut_at_the_end_of_turns() -> None:
    run = chat(*[("ls", "x")] * 10)
    assert [run[length - 1]["role"] for length in cut_places(run, (0.3, 0.5, 0.7))] == ["tool"] * 3


# Verdicts


Make = Callable[[list[Message]], Sequence[Message]]


def judged(run: Chat, length: int, make: Make) -> dict[str, str]:
    before = openai_chat.decode(run[:length]).messages
    measure(before, count)
    made = make(before)
    measure(made, count)
    output = Output(before, made)
    return {target.item.text: output.verdict(target) for target in moment(run, length).targets}


RUN = chat(
    ("grep -rn header src", f"{GREP}\nsrc/other.py:3:import os"),
    ("pwd", "/x"),
    ("sed -n 1p src/reader.py; read_header", ""),
)


def replaced(text: Callable[[Message], str], at: int = 3) -> Make:
    """A result is another text, the first one where no other is named."""

    def make(before: list[Message]) -> list[Message]:
        old = before[at]
        new = old.with_blocks([old.blocks[0].changed(text(old), "cut", count)])
        return [*before[:at], new, *before[at + 1 :]]

    return make


def stub(said: str) -> Callable[[Message], str]:
    return lambda old: result_stub(old.blocks[0], said)


def left_out(before: list[Message]) -> list[Message]:
    return [*before[:2], *before[4:]]


def in_digest(before: list[Message]) -> list[Message]:
    return [*before[:2], outline(before[2:4], count), *before[4:]]


@pytest.mark.parametrize(
    ("make", "of_file", "of_name"),
    [
        (list, RETAINED, RETAINED),
        (replaced(lambda _: "src/reader.py:41:def read_header(…"), RETAINED, RETAINED),
        (replaced(lambda _: "read_header"), LOST, LOST),
        (replaced(stub('{"command": "grep -rn header src"}')), RECOVERABLE, RECOVERABLE),
        (replaced(lambda _: "[… result of bash grep -rn header src: dctx:000000000000]"), LOST, LOST),
        (lambda before: left_out(replaced(stub("sed -n 1p src/reader.py; read_header"), 5)(before)), LOST, LOST),
        (left_out, LOST, LOST),
        (in_digest, RECOVERABLE, RECOVERABLE),
    ],
    ids=["untouched", "half of the words of a line", "fewer", "a stub with a locator of what its call names",
         "a locator that leads elsewhere", "a stub that names what its original has not", "without a word", "a digest"],
)  # fmt: skip
def test_what_stays_is_retained_what_is_named_is_recoverable_and_the_rest_is_lost(
    make: Make, of_file: str, of_name: str
) -> None:
    assert judged(RUN, 6, make) == {"src/reader.py": of_file, "read_header": of_name}


def digested(line: str) -> Make:
    """Two messages are a digest that says this beside its head."""

    def make(before: list[Message]) -> list[Message]:
        digest = outline(before[2:4], count)
        digest.blocks[0].text = f"{digest.blocks[0].text.splitlines()[0]}\n{line}"
        return [*before[:2], digest, *before[4:]]

    return make


@pytest.mark.parametrize(
    ("command", "line", "verdict"),
    [
        ("grep -rn header one two three four five six", "grep -rn: 1", RECOVERABLE),
        ("grep -rn header one two three four five six", "grep -rn: 7-9", LOST),
        ("open https://x.example/list/1 one two three four five", "look: 11", LOST),
        ("grep -rn header src", "", LOST),
    ],
    ids=["its call", "another number", "part of a name", "nothing"],
)
def test_a_digest_recovers_what_it_names_by_its_call(command: str, line: str, verdict: str) -> None:
    run = chat((command, GREP), ("pwd", "/x"), ("read_header", ""))
    assert judged(run, 6, digested(line)) == {"read_header": verdict}


def test_a_result_without_its_call_is_trouble() -> None:
    conversation = openai_chat.decode(RUN[:6])
    assert "without its call" in trouble(conversation, conversation.messages[3:])
    assert "without its result" in trouble(conversation, conversation.messages[:3])
    assert trouble(conversation, conversation.messages) == ""


# Runs


def mini(folder: Path, runs: int = 3) -> Path:
    """A folder of runs in one repository, long enough for a session."""
    (folder / MINI).mkdir()
    for number in range(runs):
        steps = [
            (f"cat src/part_{number}_{n % 9}.py", "".join(f"def step_{number}_{n}_{m}()\n" for m in range(90)))
            for n in range(60)
        ]  # fmt: skip
        made = chat(*steps, (f"sed -n 1p src/part_{number}_4.py; step_{number}_7_3", ""))
        for one in made:
            if one["role"] == "tool":
                one["content"] = (
                    f"<returncode>0</returncode>\n<output>\n{one['content']}\n</output>"
                )
        messages = [*made, {"role": "exit", "content": ""}]
        text = json.dumps({"instance_id": "x", "messages": messages})
        (folder / MINI / f"owner__name-{number}.json").write_text(text)
    return folder


# Trials


@pytest.fixture(scope="module")
def mini_cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    runs = load(mini(tmp_path_factory.mktemp("runs"), 2), MINI)
    return [case for run in runs for case in cases(run, shares=(0.85,))]


def test_hybrid_is_tried_on_a_run_and_meets_its_target(mini_cases: list[Case]) -> None:
    case = mini_cases[0]
    assert fits(case, 0.2) and not fits(case._replace(protected=case.tokens // 8), 0.2)
    tried = attempt(case, "hybrid", hybrid, 0.2)
    assert (tried.overshoot, tried.trouble) == (0, "")
    assert tried.share(RETAINED, RECOVERABLE, LOST) == 1


def test_planted_items_are_lost_by_who_loses_and_kept_by_who_keeps(mini_cases: list[Case]) -> None:
    everything = planted(mini_cases[0], lambda messages, _: list(messages), 1.0)
    nothing = planted(mini_cases[0], lambda messages, _: list(messages[-1:]), 1.0)
    assert everything and nothing
    assert (everything.retained, everything.lost) == (everything.all, 0)
    assert (nothing.retained, nothing.lost) == (0, nothing.all)


def test_items_of_other_runs_are_hardly_found(mini_cases: list[Case]) -> None:
    case, other = mini_cases
    other = other._replace(run=other.run._replace(repository="else/where"))
    found, of_others = strangers(case, [case, other], hybrid, 0.2)
    assert found == 0 < of_others


# Histories that are measured


def test_the_way_through_ends_in_fewer_bytes_of_the_same_format(tmp_path: Path) -> None:
    data = histories.generated(tmp_path, "openai-chat", 200).read_bytes()
    made = way_through(data, "hybrid")
    assert len(made) < len(data)
    assert document.read(made).format == "openai-chat"


# Tables


@pytest.mark.parametrize("shape", ["--markdown", "--json"])
def test_one_command_prints_the_table(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [MINI, "--ratios", "20", "--all", shape]
    data = str(mini(tmp_path, 1))
    monkeypatch.setattr("sys.argv", ["survival", "--data", data, "--sets", *options])
    command.main()
    out = capsys.readouterr().out
    if shape == "--json":
        rows = json.loads(out)["sets"][MINI]["rows"]
        assert {"hybrid", *SIMPLE} <= {row["method"] for row in rows}
    else:
        assert "hybrid" in out and "last 15 messages" in out and "| --- |" in out
