"""Calibration: what transcripts say of a tokenizer that nobody can run, and what is made of it."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from calibrated import MODEL, PASSAGES, Session, call, converse, text
from conftest import ROOT, Result, write

from director_ctx import DctxError, assemble, load_project
from director_ctx.context.settings.budget import Counter
from director_ctx.context.tokens import calibrations
from director_ctx.context.tokens.calibrate import calibrate
from director_ctx.context.tokens.calibration import (
    FEWEST,
    HELD,
    Fit,
    InputGrowth,
    as_fits,
    choose_fit,
    family,
    fit_all,
)
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.context.tokens.estimate import estimate
from director_ctx.context.tokens.tokenizers import load
from director_ctx.context.tokens.transcripts import Growth, Transcript


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own transcripts, empty as yet."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    (tmp_path / "claude" / "projects").mkdir(parents=True)
    return tmp_path / "claude" / "projects"


Dctx = Callable[..., Result]


def growths(*lines: dict[str, Any]) -> list[Growth]:
    transcript = Transcript(len)
    for line in lines:
        transcript.take(line)
    return [growth for _, growth in transcript.growths()]


def silent(number: int, of: int) -> None:
    pass


# Fitting.


def differences(
    scale: float, overhead: float, many: int, name: str = "m", wild: float = 0
) -> Iterator[InputGrowth]:
    chance = random.Random(f"{scale} {many} {name}")
    for number in range(many):
        size, blocks = chance.randrange(40, 4000), chance.randrange(1, 5)
        true = (scale * size + overhead * blocks) * chance.uniform(0.97, 1.03)
        true *= chance.uniform(2, 9) if chance.random() < wild else 1
        yield InputGrowth(name, f"c{number // 10}", round(true), size, blocks)


@pytest.mark.parametrize(("scale", "overhead"), [(1.0, 0), (1.31, 7), (0.8, 12), (2.0, 3)])
def test_scale_and_overhead_are_recovered(scale: float, overhead: float) -> None:
    [fit] = fit_all(list(differences(scale, overhead, 200)))
    assert fit.scale == pytest.approx(scale, rel=0.02)
    assert fit.overhead == pytest.approx(overhead, abs=4)
    assert fit.half < 0.025 < fit.most < 0.06


def test_text_that_nobody_sees_does_not_spoil_the_fit() -> None:
    [fit] = fit_all(list(differences(1.3, 5, 300, wild=0.2)))
    assert fit.scale == pytest.approx(1.3, rel=0.03)


def test_the_error_is_that_of_what_was_held_out() -> None:
    """Conversations that behave otherwise than all others show in the error, although the fit has
    seen them too.
    """
    usual = list(differences(1.2, 5, 300))
    odd = [one.replace(tokens=one.tokens * 2) if one.conversation < "c15" else one for one in usual]
    assert fit_all(odd)[0].most > 0.4
    assert fit_all(usual)[0].most < 0.06


def test_what_is_held_out_has_no_say_in_its_own_error() -> None:
    """Each fourth conversation is of another kind: a fit to them alone would find nothing wrong."""
    usual, other = list(differences(1, 0, 300)), list(differences(2, 0, 300))
    names = sorted({one.conversation for one in usual})[::HELD]
    mixed = [b if a.conversation in names else a for a, b in zip(usual, other, strict=True)]
    assert fit_all(mixed)[0].half > 0.4


def test_families_are_fitted_apart_and_those_with_too_little_left_out() -> None:
    data = [
        *differences(1.2, 5, 60, "a"),
        *differences(1.6, 5, 90, "b"),
        *differences(1.2, 5, FEWEST - 1, "c"),
    ]
    first, second = fit_all(data)
    assert (first.family, second.family) == ("b", "a")
    assert (first.scale, second.scale) == (
        pytest.approx(1.6, rel=0.03),
        pytest.approx(1.2, rel=0.03),
    )


def test_a_family_is_the_name_without_date_window_and_provider() -> None:
    names = {
        "claude-sonnet-4-5-20250929": "claude-sonnet-4-5", "claude-opus-5[1m]": "claude-opus-5",
        "us.anthropic.claude-opus-4-1-20250805-v1:0": "claude-opus-4-1",
        "claude-haiku-4-5@20251001": "claude-haiku-4-5",
        "anthropic/Claude-Sonnet-5": "claude-sonnet-5", "claude-3-5-sonnet-latest": "claude-3-5-sonnet",
    }  # fmt: skip
    assert {name: family(name) for name in names} == names


def test_the_fit_is_that_of_the_model_or_of_the_one_with_most_data() -> None:
    fits = [
        Fit(name, 1, 0, number, 0, 0)
        for name, number in (
            ("claude-opus-5", 40),
            ("claude-sonnet-5", 90),
            ("claude-haiku-4-5", 50),
        )
    ]
    for model, chosen in (
        ("claude-opus-5-20260101", 0),
        ("opus", 0),
        ("haiku", 2),
        ("", 1),
        ("gpt-5", 1),
    ):
        assert choose_fit(fits, model) == fits[chosen]
    with pytest.raises(DctxError, match="no calibration"):
        choose_fit([], "opus")


# Reading.


def test_tokens_are_all_input_of_the_last_line_of_a_message() -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("one")
    session.answer(text("four"), text("fifth"))
    session.user("sixsix")
    session.answer(text("x"))
    assert growths(*session.lines) == [Growth(MODEL, 300, 4 + 5 + 6, 3)]


def test_a_line_that_stands_there_twice_counts_once() -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("one")
    session.answer(text("four"))
    session.user("sixsix")
    session.answer(text("x"))
    assert (
        growths(*session.lines, *session.lines)
        == growths(*session.lines)
        == [Growth(MODEL, 200, 10, 2)]
    )


def test_results_of_tools_that_ran_side_by_side_all_count() -> None:
    """Each hangs below its own call, so that only one of them is on the way to the next answer."""
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("go")
    session.answer(call("a", "1"), call("b", "2"))
    first, second = (line["uuid"] for line in session.lines[-2:])
    session.parent = first
    session.result("a", "xxx")
    session.parent = second
    session.result("b", "yyyyy")
    session.answer(text("done"))
    [growth] = growths(*session.lines)
    assert growth.tokens == 400
    assert growth.estimate == 3 + 5 + 2 * len('Read {"file_path": "1"}')


def test_a_branch_that_was_rewound_does_not_count() -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("start")
    session.answer(text("answer"))
    back, before = session.parent, session.input
    session.user("never mind this long prompt")
    session.answer(text("dead end"))
    session.parent, session.input = back, before
    session.user("again")
    session.answer(text("x"))
    assert [growth.estimate for growth in growths(*session.lines)] == [
        len("answer" + "never mind this long prompt"),
        len("answeragain"),
    ]


@pytest.mark.parametrize("subtype", ["compact_boundary", "microcompact_boundary"])
def test_nothing_is_compared_across_a_compaction(subtype: str) -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("start")
    session.answer(text("answer"))
    session.line(
        "system",
        subtype=subtype,
        logicalParentUuid=session.parent,
        compactMetadata={"trigger": "auto"},
    )
    session.line(
        "user",
        isCompactSummary=True,
        message={"role": "user", "content": "This session is being continued ..."},
    )
    session.answer(text("x"))
    assert growths(*session.lines) == []


@pytest.mark.parametrize(
    "block",
    [{"type": "thinking", "thinking": "", "signature": "abc"}, {"type": "redacted_thinking", "data": "x"},
     {"type": "image", "source": {"data": "x"}}, {"type": "document", "source": {}}, {"type": "something_new"}],
)  # fmt: skip
def test_what_cannot_be_seen_is_not_judged_by(block: dict[str, Any]) -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("start")
    session.answer(block, text("answer"))
    session.user("more")
    session.answer(text("x"))
    session.user("and more")
    session.answer(text("y"))
    assert [growth.estimate for growth in growths(*session.lines)] == [len("xand more")]


def test_another_model_a_shrunken_input_and_an_error_of_the_client_are_passed_over() -> None:
    session = Session("s", scale=0, overhead=100, start=1000)
    session.user("start")
    session.answer(text("answer"))
    session.model = "claude-opus-5"
    session.answer(text("other"))
    session.input -= 500
    session.answer(text("smaller"))
    session.model = "<synthetic>"
    session.answer(text("API Error"), isApiErrorMessage=True)
    assert growths(*session.lines) == []


def test_sub_agents_are_conversations_of_their_own(folder: Path) -> None:
    """Newer ones have a file each; older ones stand between the lines of the session, with no
    parents given here.
    """
    main, agent = (
        Session("main", scale=0, overhead=100),
        Session("agent", scale=0, overhead=100, start=2000),
    )
    agent.extra = {"isSidechain": True, "agentId": "a1"}
    for session in (main, agent):
        session.user("start")
        session.answer(text("answer"))
        session.user("more")
        session.answer(text("x"))
    mixed = [line for pair in zip(main.lines, agent.lines, strict=True) for line in pair]
    for line in mixed:
        del line["parentUuid"]
    assert [growth.estimate for growth in growths(*mixed)] == [10, 10]


def test_any_line_can_be_broken() -> None:
    session = converse(Session("s"), 5, random.Random(1))
    whole = growths(*session.lines)
    odd: list[Any] = [
        {}, {"type": "assistant"}, {"type": "user", "message": None}, {"type": "assistant", "message": {"id": 5}},
        {"type": "assistant", "uuid": "z1", "message": {"id": "m", "model": "claude", "usage": {"input_tokens": "x"}}},
        {"type": "attachment", "uuid": "z2", "attachment": {"rendered": [{"content": None}, 5]}},
        {"type": "user", "uuid": "z3", "parentUuid": "z3", "message": {"content": [None, {"type": "tool_result"}]}},
        {"type": "assistant", "uuid": "z4", "parentUuid": "z3", "message": {"id": "n", "model": "m", "content": 7}},
    ]  # fmt: skip
    assert growths(*odd, *session.lines, *odd) == whole
    assert len(whole) == 9


# The whole way.


def test_a_hidden_scale_is_found_in_real_conversations(folder: Path) -> None:
    chance = random.Random(4)
    for number in range(8):
        converse(Session(f"s{number}"), 12, chance).save(folder)
        converse(Session(f"h{number}", "claude-haiku-4-5-20251001", 0.9, 3), 4, chance).save(folder)
    sonnet, haiku = calibrate(None, silent)
    assert (sonnet.family, haiku.family) == ("claude-sonnet-4-5", "claude-haiku-4-5")
    assert sonnet.scale == pytest.approx(1.25, rel=0.05)
    assert haiku.scale == pytest.approx(0.9, rel=0.05)
    count, counter = choose_counter("calibrated", "claude-sonnet-4-5")
    unseen = (ROOT / "README.md").read_text()
    assert count(unseen) == pytest.approx(1.25 * load("o200k_base")(unseen), rel=0.08)
    assert not counter.exact
    assert counter.band.startswith("half within ")
    assert "your own requests to claude-sonnet-4-5" in counter.band


def test_a_resumed_session_counts_its_old_requests_once(folder: Path, dctx: Dctx) -> None:
    session = converse(Session("s"), 30, random.Random(2))
    session.save(folder)
    session.save(folder, "resumed")
    done = dctx("tokens", "calibrate", "--json", cwd=folder)
    assert json.loads(done.out)["fits"][0]["requests"] == 59


def test_lines_that_are_no_json_are_passed_over(folder: Path) -> None:
    path = converse(Session("s"), 30, random.Random(2)).save(folder)
    path.write_bytes(b"\xff\xfe\n{\n[1]\n\n" + path.read_bytes() + b'{"type": "assistant", "mess')
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    assert calibrate(None, silent)[0].requests == 59


def test_too_little_is_refused_with_a_sentence(folder: Path, dctx: Dctx) -> None:
    converse(Session("s"), 3, random.Random(2)).save(folder)
    done = dctx("tokens", "calibrate", cwd=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("dctx: There is too little to calibrate by: 5 requests")
    assert "hint: " in done.err
    assert not Path(calibrations.place()).exists()
    nowhere = dctx("tokens", "calibrate", "--transcripts", str(folder / "nowhere"), cwd=folder)
    assert (nowhere.code, nowhere.out) == (1, "")


def test_the_calibration_is_used_by_every_command(folder: Path, tmp_path: Path, dctx: Dctx) -> None:
    converse(Session("s"), 40, random.Random(3)).save(folder / "elsewhere")
    done = dctx("tokens", "calibrate", "--transcripts", str(folder / "elsewhere"), cwd=tmp_path)
    assert done.code == 0
    assert "claude-sonnet-4-5" in done.out
    assert "--counter calibrated" in done.err
    root = write(tmp_path / "project", {"VISION.md": f"# Vision\n{PASSAGES[0]}\n"})
    one = assemble(load_project(root), "interviewer", counter="calibrated")
    assert one.counter.name == "calibrated"
    assert one.budget.used == pytest.approx(1.25 * estimate(one.text), rel=0.06)
    assert (
        "nothing is known of gpt-5"
        in assemble(
            load_project(root), "interviewer", counter="calibrated", model="gpt-5"
        ).counter.band
    )


def test_only_numbers_are_kept(folder: Path) -> None:
    converse(Session("s"), 40, random.Random(3)).save(folder)
    calibrate(None, silent)
    kept = json.loads(Path(calibrations.place()).read_text())
    assert list(kept) == ["fits"]
    assert [type(value) for value in kept["fits"][0].values()] == [
        str,
        float,
        float,
        int,
        float,
        float,
    ]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"fits": 5}',
        '{"fits": [{}]}',
        '{"fits": [{"family": "a", "scale": "1"}]}',
        "[" * 5000,
    ],
)
def test_a_broken_calibration_is_as_good_as_none(content: str, folder: Path) -> None:
    place = Path(calibrations.place())
    place.parent.mkdir(parents=True)
    place.write_text(content)
    with pytest.raises(DctxError, match="no calibration"):
        choose_counter("calibrated")


def test_absurd_numbers_are_not_believed() -> None:
    good = {"family": "a", "scale": 1.2, "overhead": 5, "requests": 40, "half": 0.02, "most": 0.1}
    assert as_fits({"fits": [good]}) == (Fit(**good),)  # type: ignore[arg-type]
    for name, value in (
        ("scale", 0),
        ("scale", 1e9),
        ("scale", float("nan")),
        ("most", -1),
        ("family", 5),
        ("half", True and "x"),
    ):
        assert as_fits({"fits": [good | {name: value}]}) == ()
    assert isinstance(choose_counter("estimate")[1], Counter)
