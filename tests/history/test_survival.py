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
from benchmarks.survival.folds import FIT, JUDGED, folds, of_fold
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
from benchmarks.survival.known import known
from benchmarks.survival.lines import of_call, place
from benchmarks.survival.methods import SIMPLE, count, hybrid
from benchmarks.survival.reading import RESULT, pieces
from benchmarks.survival.runs import MINI, Run, load
from benchmarks.survival.sessions import as_tools
from benchmarks.survival.shop import shopping
from benchmarks.survival.spread import percentile, spread
from benchmarks.survival.targets import Moment, cut_places, moment
from benchmarks.survival.trial import attempt, cases, fits, trouble
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


def test_what_everybody_knows_is_no_item() -> None:
    found = in_action(
        json.dumps({"command": "python __init__ > /dev/null; raise ValueError; print(isinstance)"})
    )
    assert not {"__init__", "/dev/null", "ValueError", "isinstance"} & {item.text for item in found}


def test_an_item_of_two_repositories_is_general_knowledge() -> None:
    runs = [
        Run(MINI, name, name, chat((f"cat common_name.py {name}_own.py", "")))
        for name in ("one", "two")
    ]
    assert {item.text for item in known(runs)} == {"common_name.py"}


# Lines


def test_an_item_stands_in_a_line_only_as_a_whole() -> None:
    assert place("x = read_header(y)", Item(NAME, "read_header")) == 4
    assert place("x = read_headers(y)", Item(NAME, "read_header")) == -1
    assert place("a read_headers, read_header", Item(NAME, "read_header")) == 16


def test_a_call_is_a_line_of_its_short_arguments_and_all_lines_of_its_long_ones() -> None:
    text = json.dumps({"file_path": "a.py", "content": "one\ntwo"})
    assert set(of_call("Write", text)) == {"Write a.py", "one", "two"}


# Targets


def test_needed_is_what_was_seen_before_and_is_used_later() -> None:
    run = chat(
        ("ls", GREP), ("pwd", "/x"), ("cat src/reader.py", "..."), ("cat src/invented.py", "...")
    )
    assert wanted(moment(run, 6)) == {"src/reader.py"}


def test_what_is_shown_again_before_it_is_used_was_not_needed() -> None:
    run = chat(
        ("ls", GREP), ("pwd", "/x"), ("ls src", "src/reader.py"), ("cat src/reader.py", "...")
    )
    assert wanted(moment(run, 6)) == set()


def test_what_anybody_knows_need_not_be_remembered() -> None:
    run = chat(("ls", GREP), ("pwd", "/x"), ("cat src/reader.py", "..."))
    assert wanted(moment(run, 6, {Item(PATH, "src/reader.py")})) == set()


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


def judged(
    run: Chat, length: int, make: Callable[[list[Message]], Sequence[Message]]
) -> dict[str, str]:
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


def replaced(text: Callable[[Message], str]) -> Callable[[list[Message]], list[Message]]:
    """The first result is another text."""

    def make(before: list[Message]) -> list[Message]:
        old = before[3]
        return [
            *before[:3],
            old.with_blocks([old.blocks[0].changed(text(old), "cut", count)]),
            *before[4:],
        ]

    return make


def test_an_untouched_conversation_retains_everything() -> None:
    assert set(judged(RUN, 6, list).values()) == {RETAINED}


def test_half_of_the_words_of_a_line_are_enough_and_fewer_are_not() -> None:
    half = judged(RUN, 6, replaced(lambda _: "src/reader.py:41:def read_header(…"))
    bare = judged(RUN, 6, replaced(lambda _: "read_header"))
    assert half["read_header"] == RETAINED
    assert bare["read_header"] == LOST


def test_a_bag_of_words_in_one_long_line_retains_nothing() -> None:
    lines = [f"src/f{n}.py:{n}:def read_{n}_header(stream_{n}, strict=True):" for n in range(300)]
    run = chat(
        ("grep", "\n".join(lines)),
        ("pwd", "/x"),
        *[(f"read_{n}_header", "") for n in range(0, 300, 7)],
    )
    bag = " ".join(
        sorted(
            {word for line in lines for word in line.replace("(", " ").replace(":", " ").split()}
        )
    )
    assert RETAINED not in judged(run, 6, replaced(lambda _: bag)).values()


def test_a_stub_with_a_locator_makes_recoverable_what_its_call_names() -> None:
    stub = replaced(lambda old: result_stub(old.blocks[0], '{"command": "grep -rn header src"}'))
    assert judged(RUN, 6, stub) == {"src/reader.py": RECOVERABLE, "read_header": RECOVERABLE}


def test_a_locator_that_leads_elsewhere_recovers_nothing() -> None:
    false = replaced(lambda old: "[… result of bash grep -rn header src: dctx:000000000000]")
    assert judged(RUN, 6, false) == {"src/reader.py": LOST, "read_header": LOST}


def test_what_is_left_out_without_a_word_is_lost() -> None:
    assert set(judged(RUN, 6, lambda before: [*before[:2], *before[4:]]).values()) == {LOST}


def test_a_digest_recovers_what_stands_behind_the_numbers_of_its_lines() -> None:
    found = judged(RUN, 6, lambda before: [*before[:2], outline(before[2:4], count), *before[4:]])
    assert found == {"src/reader.py": RECOVERABLE, "read_header": RECOVERABLE}


def digested(line: str) -> Callable[[list[Message]], list[Message]]:
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


def test_a_call_without_arguments_is_named_by_its_tool() -> None:
    bare = {"id": "c0", "type": "function", "function": {"name": "go_back", "arguments": "{}"}}
    back = [*RUN[:2], {"role": "assistant", "content": "", "tool_calls": [bare]}, *RUN[3:]]
    found = judged(back, 6, lambda before: [*before[:2], outline(before[2:4], count), *before[4:]])
    assert found == {"src/reader.py": RECOVERABLE, "read_header": RECOVERABLE}


def test_a_result_without_its_call_is_trouble() -> None:
    conversation = openai_chat.decode(RUN[:6])
    assert "without its call" in trouble(conversation, conversation.messages[3:])
    assert "without its result" in trouble(conversation, conversation.messages[:3])
    assert trouble(conversation, conversation.messages) == ""


# Runs


def test_a_command_of_a_shell_becomes_the_tool_that_claude_code_has_for_it() -> None:
    def first(command: str, output: str = "x") -> tuple[str, dict[str, Any], str, bool]:
        return as_tools(command, f"<returncode>0</returncode>\n<output>\n{output}\n</output>")[0]

    assert first("cat -n a/b.py | sed -n '7,8p'", "     7\tone\n     8\ttwo") == (
        "Read",
        {"file_path": "/testbed/a/b.py", "offset": 7, "limit": 2},
        "     7→one\n     8→two",
        False,
    )
    assert first('grep -n "def x" a.py')[:2] == (
        "Grep",
        {"pattern": "def x", "path": "/testbed/a.py", "output_mode": "content"},
    )
    assert first('find . -name "*.py"')[0] == "Glob"
    assert first("cat > t.py << 'EOF'\nprint(1)\nEOF")[:2] == (
        "Write",
        {"file_path": "/testbed/t.py", "content": "print(1)"},
    )
    assert first("sed -i 's/old_name/new_name/' a.py", "")[:2] == (
        "Edit",
        {"file_path": "/testbed/a.py", "old_string": "old_name", "new_string": "new_name"},
    )
    assert first("pytest -q")[0] == "Bash"
    assert as_tools("false", "<returncode>1</returncode>\n<output>\nno\n</output>") == [
        ("Bash", {"command": "false"}, "Exit code 1\nno", True)
    ]


def mini(folder: Path, runs: int = 3) -> Path:
    """A folder of runs in one repository, long enough for a session."""
    (folder / MINI).mkdir()
    for number in range(runs):
        steps = [
            (
                f"cat src/part_{number}_{n % 9}.py",
                "\n".join(f"def step_{number}_{n}_{m}(): pass" for m in range(90)),
            )
            for n in range(60)
        ]
        steps += [(f"sed -n 1p src/part_{number}_4.py; step_{number}_7_3", "")]
        answers = [
            {**one, "content": f"<returncode>0</returncode>\n<output>\n{one['content']}\n</output>"}
            if one["role"] == "tool"
            else one
            for one in chat(*steps)
        ]
        text = json.dumps(
            {"instance_id": "x", "messages": [*answers, {"role": "exit", "content": ""}]}
        )
        (folder / MINI / f"owner__name-{number}.json").write_text(text)
    return folder


def test_shopping_is_the_same_every_time_and_needs_what_it_saw_before() -> None:
    one, two = next(iter(shopping())), next(iter(shopping()))
    assert one.chat == two.chat
    kinds = {target.item.kind for case in cases(one) for target in case.moment.targets}
    assert {ID, SELECTOR, QUOTED} <= kinds


# Trials


def test_hybrid_is_tried_on_a_run_and_meets_its_target(tmp_path: Path) -> None:
    [run, *_] = load(mini(tmp_path), MINI)
    [case] = cases(run, shares=(0.85,))
    assert fits(case, 0.2)
    tried = attempt(case, "hybrid", hybrid, 0.2)
    assert tried.overshoot == 0
    assert tried.trouble == ""
    assert tried.share(RETAINED, RECOVERABLE, LOST) == 1


def test_planted_items_are_lost_by_who_loses_and_kept_by_who_keeps(tmp_path: Path) -> None:
    [run, *_] = load(mini(tmp_path), MINI)
    [case] = cases(run, shares=(0.85,))
    everything = planted(case, lambda messages, _: list(messages), 1.0)
    nothing = planted(case, lambda messages, _: list(messages[-1:]), 1.0)
    assert everything and nothing
    assert (everything.retained, everything.lost) == (everything.all, 0)
    assert (nothing.retained, nothing.lost) == (0, nothing.all)


# Histories that are measured


@pytest.mark.parametrize("strategy", [*histories.CHEAP, "hybrid"])
def test_the_way_through_ends_in_fewer_bytes_of_the_same_format(
    strategy: str, tmp_path: Path
) -> None:
    data = histories.generated(tmp_path, "openai-chat", 200).read_bytes()
    made = way_through(data, strategy)
    assert len(made) < len(data)
    assert document.read(made).format == "openai-chat"


# Tables


def test_the_spread_of_runs_is_told_with_how_sure_it_is() -> None:
    found = spread([0.0, 0.5, 1.0, 1.0])
    assert (found.mean, found.least, found.middle) == (0.625, 0.0, 0.75)
    assert found.low < found.mean < found.high
    assert percentile([1, 2, 3, 4], 0.5) == 3


@pytest.mark.parametrize("shape", ["", "--markdown", "--json"])
def test_one_command_prints_the_table(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [MINI, "--ratios", "20", "--all", *shape.split()]
    monkeypatch.setattr("sys.argv", ["survival", "--data", str(mini(tmp_path)), "--sets", *options])
    command.main()
    out = capsys.readouterr().out
    if shape == "--json":
        rows = json.loads(out)["sets"][MINI]["rows"]
        assert {"hybrid", *SIMPLE} <= {row["method"] for row in rows}
    else:
        assert "hybrid" in out and "last 15 messages" in out
        assert ("| --- |" in out) == (shape == "--markdown")


def test_without_runs_it_says_where_they_are_looked_for(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--data DIR"):
        command.data_folder(tmp_path)


def test_a_stub_that_names_what_its_original_does_not_hold_recovers_nothing() -> None:
    def make(before: list[Message]) -> list[Message]:
        stub = result_stub(before[5].blocks[0], "sed -n 1p src/reader.py; read_header")
        shorter = before[5].with_blocks([before[5].blocks[0].changed(stub, "cut", count)])
        return [*before[:2], before[4], shorter]

    assert set(judged(RUN, 6, make).values()) == {LOST}


def test_a_number_stands_in_a_line_only_with_its_key() -> None:
    item = Item(NUMBER, "25", "depth")
    assert place("depth = 25", item) >= 0
    assert place("width = 25", item) == -1


def test_whole_repositories_are_in_one_half() -> None:
    names = [f"owner/name{n}" for n in range(7)]
    halves = folds(names)
    assert sorted(halves.values()).count(FIT) == 3
    runs = [Run(MINI, f"{name}-{n}", name, []) for name in names for n in range(2)]
    fit, rest = of_fold(runs, FIT, names), of_fold(runs, JUDGED, names)
    assert {run.repository for run in fit}.isdisjoint(run.repository for run in rest)
    assert len(fit) + len(rest) == len(runs)


def test_items_of_other_runs_are_hardly_found(tmp_path: Path) -> None:
    runs = list(load(mini(tmp_path), MINI))
    cut = [case for run in runs for case in cases(run, shares=(0.85,))]
    other = cut[1]._replace(run=cut[1].run._replace(repository="else/where"))
    assert strangers(cut[0], [cut[0], other], hybrid, 0.2)[0] == 0
    assert strangers(cut[0], [cut[0], other], hybrid, 0.2)[1] > 0


def test_a_target_that_the_protected_part_fills_is_left_out(tmp_path: Path) -> None:
    [run, *_] = load(mini(tmp_path), MINI)
    [case] = cases(run, shares=(0.85,))
    assert not fits(case._replace(protected=case.tokens // 8), 0.2)
