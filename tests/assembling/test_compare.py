"""Push, pull or both: the sums behind `dctx compare`, and the real sizes that go into them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Files, process, write
from hypothesis import given
from hypothesis import strategies as st
from mcp_server import MODERN, Server

from director_ctx import DctxError, Project, assemble, load_project
from director_ctx.assembling.comparing.comparison import (
    ALL,
    EVERY,
    HYBRID,
    PULL,
    PUSH,
    REPLACED,
    ContextSizes,
    break_even,
    cheaper_from,
    compared,
    weight,
)
from director_ctx.assembling.comparing.recorded_runs import RUNS, recorded_run
from director_ctx.assembling.comparing.tool_lists import TOOL_LISTS
from director_ctx.assembling.comparing.ways import (
    NOTHING,
    SentRequest,
    Way,
    cost,
    requests,
    tokens_sent,
)
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.settings.options import load_settings
from director_ctx.context.settings.prices import PRICES, Price, find_price
from director_ctx.context.settings.pulled import PUSHED_MINIMUM
from director_ctx.doors.cli.shared.options import CLIENT_NAMES
from director_ctx.doors.mcp.compare import ComparisonTerms, compare
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import measure
from director_ctx.history.sessions.run_shape import RunTurn, run_shape

Make = Callable[[Files], Project]
TWO_TURNS = (RunTurn(10, 20), RunTurn(5, 7))
ROUND = Price(input=2, cache_write=3, cache_read=1, output=10)


# The sums, by hand


def test_a_push_is_written_once_and_read_again_with_everything_else() -> None:
    sent = requests(Way("push", first=100), 1000, TWO_TURNS)
    assert sent == (
        SentRequest(read=0, written=1100, plain=0, answer=10),
        SentRequest(read=1100, written=30, plain=0, answer=5),
    )
    assert tokens_sent(sent) == 2230
    dollars = (1100 * 3 + 10 * 10) + (1100 * 1 + 30 * 3 + 5 * 10)
    assert cost(sent, ROUND) == pytest.approx(dollars / 1_000_000)


def test_asking_is_a_request_of_its_own_whose_answer_stays() -> None:
    sent = requests(Way("pull", first=10, asking=(RunTurn(4, 50),)), 1000, TWO_TURNS)
    assert [request.tokens for request in sent] == [1010, 1064, 1094]
    assert [request.read for request in sent] == [0, 1010, 1064]


def test_what_comes_with_every_message_adds_up() -> None:
    sent = requests(Way("every", each=100), 1000, TWO_TURNS)
    assert [request.tokens for request in sent] == [1100, 1230]
    assert [request.written for request in sent] == [1100, 130]


def test_what_is_replaced_is_never_read_from_the_cache() -> None:
    sent = requests(Way("replaced", each=100, stays=False), 1000, TWO_TURNS)
    assert [request.tokens for request in sent] == [1100, 1130]
    assert [request.plain for request in sent] == [100, 100]
    assert [request.read for request in sent] == [0, 1000]


def sized(pushed: int = 3000, asked: int = 900) -> ContextSizes:
    return ContextSizes(
        pushed=pushed,
        prompt=300,
        with_task=700,
        tools=350,
        parts=(RunTurn(40, asked), RunTurn(40, 300)),
        whole=(RunTurn(30, pushed),),
        rest=(RunTurn(40, 300),),
    )


def test_what_a_way_adds_is_what_the_run_does_not_send_without_it() -> None:
    comparison = compared(sized(), 1000, TWO_TURNS, ROUND)
    assert comparison.of(PUSH).added == 2 * 3000
    # Two requests with prompt, tools and answers; two more in which it only asks.
    inside = 300 + 350
    asking = (1000 + inside) + (1000 + inside + 940)
    assert comparison.of(PULL).added == asking + 2 * (inside + 940 + 340)


# What holds for every run

turns = st.lists(
    st.builds(RunTurn, st.integers(0, 3000), st.integers(0, 9000)), min_size=1, max_size=30
).map(tuple)
sizes = st.builds(
    ContextSizes,
    pushed=st.integers(0, 60_000),
    prompt=st.integers(0, 400),
    with_task=st.none() | st.integers(0, 2000),
    tools=st.integers(0, 2000),
    parts=st.lists(st.builds(RunTurn, st.integers(1, 99), st.integers(0, 5000)), max_size=3).map(
        tuple
    ),
    whole=st.just((RunTurn(40, 9000),)),
    rest=st.just((RunTurn(40, 300),)),
)
prices = st.builds(
    Price,
    input=st.floats(0.1, 10),
    cache_write=st.floats(0.1, 12),
    cache_read=st.floats(0.01, 1),
    output=st.floats(0.1, 50),
)


@given(sizes, st.integers(0, 20_000), turns, prices)
def test_the_cache_knows_what_the_request_before_had_and_windows_only_grow(
    size: ContextSizes, base: int, run: tuple[RunTurn, ...], price: Price
) -> None:
    for outcome in compared(size, base, run, price).outcomes:
        known = 0
        spent = 0.0
        for number, request in enumerate(outcome.sent, 1):
            assert request.read == known
            known += request.written
            # What was paid is never given back.
            total = cost(outcome.sent[:number], price)
            assert total >= spent
            spent = total
        assert len(outcome.work) == len(run)


@given(sizes, st.integers(0, 20_000), turns)
def test_no_way_sends_less_than_the_run_without_a_context(
    size: ContextSizes, base: int, run: tuple[RunTurn, ...]
) -> None:
    bare = tokens_sent(requests(NOTHING, base, run))
    comparison = compared(size, base, run, None)
    for outcome in comparison.outcomes:
        assert outcome.added >= 0
        assert outcome.tokens == bare + outcome.added
    assert comparison.of(EVERY).added >= comparison.of(PUSH).added
    assert comparison.of(REPLACED).added == comparison.of(PUSH).added


@given(sizes, st.integers(0, 20_000), turns, st.none() | prices)
def test_from_the_break_even_on_a_push_costs_more_than_asking(
    size: ContextSizes, base: int, run: tuple[RunTurn, ...], price: Price | None
) -> None:
    edge = break_even(compared(size, base, run, price))
    asked = weight(compared(size, base, run, price).of(PULL).sent, price)
    larger = compared(size.replace(pushed=edge + 1), base, run, price).of(PUSH)
    assert weight(larger.sent, price) >= asked
    if edge > 1:
        smaller = compared(size.replace(pushed=edge - 1), base, run, price).of(PUSH)
        assert weight(smaller.sent, price) <= asked


@given(sizes, st.integers(0, 20_000), turns)
def test_the_turn_named_is_the_one_from_which_on_pull_is_cheaper_to_the_end(
    size: ContextSizes, base: int, run: tuple[RunTurn, ...]
) -> None:
    # By tokens, which are whole numbers: by dollars a tie is a matter of rounding.
    comparison = compared(size, base, run, None)
    cheaper = []
    for turn in range(1, len(run) + 1):
        sides = []
        for name in (PULL, PUSH):
            outcome = comparison.of(name)
            sides.append(tokens_sent(outcome.sent[: len(outcome.way.asking) + turn]))
        cheaper.append(sides[0] < sides[1])
    named = cheaper_from(comparison, PULL, PUSH)
    if named is None:
        assert not cheaper[-1]
    else:
        assert all(cheaper[named - 1 :])
        assert named == 1 or not cheaper[named - 2]


def test_by_dollars_pull_is_cheaper_from_the_turn_in_which_it_has_paid_for_its_asking() -> None:
    run = (RunTurn(0, 0),) * 10
    size = sized(pushed=1000, asked=0).replace(prompt=100, tools=0, parts=(RunTurn(0, 0),))
    price = Price(input=1, cache_write=1, cache_read=1, output=1)
    # Each request of a push costs 900 more than one of a pull; asking once costs 1,000 + 100.
    assert cheaper_from(compared(size, 1000, run, price), PULL, PUSH) == 2
    assert cheaper_from(compared(size, 5000, run, price), PULL, PUSH) == 6


# The shape of a run


def test_a_run_is_its_answers_and_what_came_back() -> None:
    messages = [
        {"role": "user", "content": "a" * 40},
        {"role": "assistant", "content": "b" * 8},
        {"role": "user", "content": "c" * 20},
        {"role": "user", "content": "d" * 20},
        {"role": "assistant", "content": "e" * 12},
    ]
    conversation = read(json.dumps(messages).encode())
    shape = run_shape(conversation.messages, len)
    assert shape.begin == 40
    assert shape.turns == (RunTurn(8, 40), RunTurn(12, 0))


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "copilot"])
def test_no_token_of_a_transcript_is_lost_in_its_shape(name: str) -> None:
    path = ROOT / "tests" / "samples" / "histories" / f"{name}.jsonl"
    messages = read(path.read_bytes()).messages
    shape = run_shape(messages, count_chars)
    total = shape.begin + sum(turn.answer + turn.results for turn in shape.turns)
    assert total == measure(messages, count_chars)
    assert len(shape.turns) > 1


def test_the_recorded_runs_are_short_usual_and_long() -> None:
    lengths = [len(recorded_run(name).turns) for name in RUNS]
    assert lengths == [21, 48, 100]
    with pytest.raises(DctxError, match="no recorded run"):
        recorded_run("endless")


# Prices


def test_a_model_has_the_price_of_the_longest_name_that_its_own_begins_with() -> None:
    assert find_price("claude-opus-5-5-20260922", {}) == PRICES["claude-opus-5-5"]
    assert find_price("anthropic/claude-opus-5[1m]", {}) == PRICES["claude-opus-5"]
    assert find_price("llama", {}) is None
    own = {"llama": ROUND}
    assert find_price("llama-9", own) == ROUND


def test_a_project_s_prices_go_before_the_shipped_ones(project: Make) -> None:
    text = "prices:\n  claude-opus-5-5: {input: 7, output: 70}\n"
    settings = load_settings(project({"dctx.yaml": text}))
    price = find_price("claude-opus-5-5", settings.prices)
    assert price == Price(input=7, cache_write=7, cache_read=7, output=70)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{input: cheap, output: 1}", "prices.x.input: must be dollars"),
        ("{input: 1}", "prices.x.output: is missing"),
        ("{input: -1, output: 1}", "prices.x.input: must be dollars"),
        ("{input: true, output: 1}", "prices.x.input: must be dollars"),
        ("{input: 1, output: 1, tip: 1}", "prices.x.tip"),
    ],
)
def test_a_wrong_price_is_named(project: Make, row: str, why: str) -> None:
    with pytest.raises(DctxError) as error:
        load_settings(project({"dctx.yaml": f"prices:\n  x: {row}\n"}))
    assert why in " ".join(error.value.each)


# Measured on a project


def measured(root: Path, client: str = "claude", **terms: Any) -> Any:
    shape = recorded_run("usual")
    known = ComparisonTerms(client=TOOL_LISTS[client], run="usual", shape=shape, **terms)
    return compare(load_project(root=str(root)), "builder", known)


def test_every_client_that_can_be_named_has_a_row() -> None:
    assert set(TOOL_LISTS) == {*CLIENT_NAMES, "opencode"}


def test_what_is_pushed_is_the_context_that_assemble_prints(example: Path) -> None:
    sizes = measured(example).comparison.sizes
    folder = load_project(root=str(example))
    assert sizes.pushed == count_chars(assemble(folder, "builder").text)
    assert sizes.prompt == count_chars(assemble(folder, "builder", layout="pull").text)
    hybrid = assemble(folder, "builder", layout="pull", with_=PUSHED_MINIMUM)
    assert sizes.with_task == count_chars(hybrid.text)


def test_the_answers_are_those_of_the_server_page_for_page(example: Path, tmp_path: Path) -> None:
    root = tmp_path / "own"
    shutil.copytree(example, root)
    for client, name in (("codex", "codex"), ("claude", "claude-code")):
        report = measured(root, client)
        meta = {**MODERN, "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
        texts = []
        with Server(root) as server:
            (_, given), page = report.asked.whole[0], 1
            while True:
                arguments = {**given, "page": page} if page > 1 else given
                call = {"name": "context", "arguments": arguments}
                result = server.ask("tools/call", call, meta)["result"]
                texts.append(result["content"][0]["text"])
                if "The rest: " not in texts[-1]:
                    break
                page += 1
        answers = [turn.results for turn in report.comparison.sizes.whole]
        assert answers == [count_chars(text) for text in texts]
        assert (len(texts) > 1) == (client == "codex")


def test_claude_code_shows_less_of_the_tools_than_clients_that_list_them_whole(
    example: Path,
) -> None:
    claude, codex, copilot = (
        measured(example, name).comparison.sizes.tools for name in ("claude", "codex", "copilot")
    )
    assert claude < copilot < codex


def test_the_first_request_of_a_push_is_the_larger_one_where_tools_are_deferred(
    example: Path,
) -> None:
    comparison = measured(example).comparison
    first = {outcome.way.name: outcome.sent[0].tokens for outcome in comparison.outcomes}
    assert first[PULL] == first[ALL] < first[HYBRID] < first[PUSH] == first[EVERY]


def test_deferred_tools_cost_a_search_before_they_can_be_called(example: Path) -> None:
    claude = measured(example, "claude", tools="seed").comparison
    copilot = measured(example, "copilot", tools="seed").comparison
    assert len(claude.of(PULL).way.asking) == len(copilot.of(PULL).way.asking) + 1
    # The pinned one is there from the beginning.
    assert len(measured(example).comparison.of(ALL).way.asking) == 1


def test_a_measurement_is_not_put_on_record(example: Path, tmp_path: Path) -> None:
    root = tmp_path / "own"
    shutil.copytree(example, root)
    before = kept(root)
    measured(root)
    measured(root, tools="seed")
    assert kept(root) == before


def kept(root: Path) -> dict[str, bytes]:
    files = (root / ".director").rglob("*")
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def test_the_switch_changes_nothing_of_a_comparison(
    example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = measured(example).as_json()
    monkeypatch.setenv("CLEAN_CONTEXT_ENABLED", "true")
    assert measured(example).as_json() == before


def test_a_way_that_outgrows_the_model_s_window_is_told_of(example: Path) -> None:
    run = recorded_run("long")
    terms = ComparisonTerms(
        client=TOOL_LISTS["claude"], run="long", shape=run, model="claude-haiku-4-5"
    )
    report = compare(load_project(root=str(example)), "builder", terms)
    sizes = [request.tokens for request in report.comparison.of(EVERY).work]
    assert max(sizes) > 200_000
    last = sum(size <= 200_000 for size in sizes)
    told = f"Every message: the window of 200,000 tokens is full after turn {last}."
    assert told in report.remarks()
    assert "is full" not in " ".join(measured(example).remarks())


def test_without_a_price_tokens_decide(example: Path) -> None:
    report = measured(example, model="llama")
    assert report.comparison.price is None
    assert report.as_json()["ways"][0]["dollars"] is None
    remarks = " ".join(report.remarks())
    assert "No price of llama is known" in remarks
    assert all(model in remarks for model in PRICES)
    assert "Known models" not in " ".join(measured(example).remarks())
    conclusions = " ".join(report.sentences())
    assert "Only tokens are compared" in conclusions
    assert "cheap" not in conclusions and "cost" not in conclusions


def test_an_agent_without_a_task_can_be_compared(example: Path) -> None:
    for agent, has_both in (("planner", True), ("mapper", True), ("director", False)):
        shape = recorded_run("short")
        terms = ComparisonTerms(client=TOOL_LISTS["codex"], run="short", shape=shape)
        report = compare(load_project(root=str(example)), agent, terms)
        names = [outcome.way.name for outcome in report.comparison.outcomes]
        # The director has nothing that is pushed where both ways are used.
        assert (HYBRID in names) == has_both


# The command


def said(root: Path, *words: str) -> str:
    result = process("compare", *words, cwd=root)
    assert result.code == 0, result
    return result.out


def test_the_table_has_a_line_for_each_way_and_says_which_is_cheaper(example: Path) -> None:
    out = said(example)
    for name in (PUSH, PULL, ALL, HYBRID, EVERY, REPLACED):
        assert f"\n{name}  " in out
    assert "Against a context in every message" in out
    assert "`dctx assemble builder --layout pull --with task,decisions,instructions`" in out
    assert "Claude Code 2.1.326, measured 2026-11-19." in out


def test_json_has_every_turn(example: Path) -> None:
    shown = json.loads(said(example, "--json", "--run", "short", "--client", "codex"))
    assert [way["way"] for way in shown["ways"]] == [PUSH, PULL, ALL, HYBRID, EVERY, REPLACED]
    for way in shown["ways"]:
        assert len(way["after_turn"]) == 21
        assert way["requests"] >= 21
    assert shown["client"]["name"] == "codex"
    assert len(shown["says"]) == 4


def test_a_session_of_your_own_is_a_run(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    talk = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}] * 3
    path.write_text(json.dumps(talk))
    shown = json.loads(said(example, "--json", "--run", str(path)))
    assert shown["run"]["turns"] == 3


def test_a_session_in_which_nobody_answered_is_refused(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"role": "user", "content": "Go."}]))
    result = process("compare", "--run", str(path), cwd=example)
    assert result.code == 1
    assert "No model answered" in result.err


def test_prices_come_from_a_file(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("llama: {input: 1, output: 2}\n")
    shown = json.loads(said(example, "--json", "--model", "llama-9", "--prices", str(path)))
    assert shown["price"]["input"] == 1
    assert shown["price"]["read"] is None
    assert shown["ways"][0]["dollars"] > 0


def test_the_prices_that_are_printed_can_be_given_back(example: Path, tmp_path: Path) -> None:
    printed = process("profiles", "--prices", cwd=example).out
    root = write(tmp_path / "own", {"dctx.yaml": printed, "VISION.md": "# Vision\n\nA boat.\n"})
    assert load_settings(load_project(root=str(root))).prices == PRICES


def test_a_client_that_is_not_known_is_named(example: Path) -> None:
    result = process("compare", "--client", "emacs", cwd=example)
    assert result.code == 2
    assert "emacs" in result.err


def test_a_client_that_was_not_measured_says_so(example: Path) -> None:
    assert "Gemini CLI was not measured" in said(example, "--client", "gemini")
