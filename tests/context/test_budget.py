"""Budgets, windows and models."""

from __future__ import annotations

import pytest

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import (
    MODELS,
    Budget,
    Model,
    count_chars,
    find_model,
    parse_budget,
    parse_window,
)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("30%", 60_000),
        ("30 %", 60_000),
        ("0.3", 60_000),
        (".3", 60_000),
        ("12.5%", 25_000),
        ("100%", 200_000),
        ("12000", 12_000),
        ("12_000", 12_000),
        ("12,000", 12_000),
        ("12k", 12_000),
        ("1.5k", 1_500),
        ("1M", 1_000_000),
        ("101", 101),
    ],
)
def test_a_budget_is_a_share_or_a_number_of_tokens(text: str, limit: int) -> None:
    assert parse_budget(text, 200_000) == limit


@pytest.mark.parametrize("text", ["1", "30", "100", "1.0", "99.5"])
def test_a_bare_number_up_to_a_hundred_is_unclear(text: str) -> None:
    with pytest.raises(UsageProblem, match="unclear"):
        parse_budget(text, 200_000)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "0%",
        "-5",
        "nan",
        "inf",
        "1e309",
        "abc",
        "150%",
        "%",
        "k",
        "٣٠%",
        "--",
        "0.0",
        "3.5.1",
    ],
)
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_budget(text, 200_000)


@pytest.mark.parametrize(
    ("text", "window"), [("200000", 200_000), ("200k", 200_000), ("1M", 1_000_000), (8000, 8000)]
)
def test_windows(text: str | int, window: int) -> None:
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1.5", "nan"])
def test_what_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        parse_window(text)


def test_percent_is_of_the_window() -> None:
    assert Budget(200_000, 60_000, 7_600).percent == 3.8


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 8, 2)]
)
def test_four_characters_are_a_token_rounded_up(text: str, tokens: int) -> None:
    assert count_chars(text) == tokens


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("claude-opus-4-8", 200_000),
        ("claude-opus-4-8[1m]", 1_000_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-sonnet-5-5", 1_000_000),
        ("anthropic/claude-haiku-4-5", 200_000),
        ("us.anthropic.claude-opus-5-v1:0", 1_000_000),
        ("Sonnet", 1_000_000),
        ("gpt-5.6-sol", 272_000),
        ("gpt-5.3-codex-spark", 128_000),
        ("gpt-4o-mini", 128_000),
        ("gemini-3-pro", 1_048_576),
    ],
)
def test_models_are_found_by_their_beginning(name: str, window: int) -> None:
    found = find_model(name)
    assert found is not None
    assert found.window == window


@pytest.mark.parametrize("name", ["", "gpt", "claudette-9", "my-model", "gpt-50"])
def test_unknown_models_are_unknown(name: str) -> None:
    assert find_model(name) is None


def test_a_project_can_add_and_override_models() -> None:
    extra = {"my-model": Model(64_000), "gpt-5": Model(400_000)}
    assert find_model("my-model-v2", extra) == Model(64_000)
    assert find_model("gpt-5", extra) == Model(400_000)


def test_every_window_is_plausible() -> None:
    assert all(1_000 < model.window < 10_000_000 and model.tokenizer for model in MODELS.values())
