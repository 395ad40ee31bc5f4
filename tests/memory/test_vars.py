"""Variables: set, shown, hidden, revealed, cleared, and what is remembered of that."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, process, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from secret_formats import FORMATS
from terminals import answered_on_terminal

from director_ctx import load_project, update_plan
from director_ctx.base.errors import DctxError
from director_ctx.base.secrets import HIDDEN
from director_ctx.doors.cli.main import main
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import listing, shown
from director_ctx.memory.variables.entries import Variable, without
from director_ctx.memory.variables.sealing import KEY, SHARED
from director_ctx.memory.variables.variables import (
    _put,
    clear_variable,
    clear_variables,
    set_variable,
    value_of,
    values_of,
    variable_history,
    variables,
)
from director_ctx.project.project import Project

Dctx = Callable[..., Result]
WHY = ("--reason", "Try it")
slowly = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "work", {"VISION.md": "# Vision\n"}))
    return tmp_path / "work"


def listed(**values: Any) -> str:
    return listing(Variable((name, json.dumps(value), "")) for name, value in values.items())


def test_the_listing_of_the_seed() -> None:
    values = {
        "gmail_creds": {"email": "user@gmail.com", "password": "hunter2"},
        "node4.loginRequired": True,
        "node10.selectedEmail": {
            "sender": "investor@vc.com",
            "subject": "Re: Funding",
            "content": "Hi, we're interested in your round and would like to talk",
        },
        "search_results": [
            {"title": "Gmail API", "url": f"https://developers.google.com/{'x' * 80}"}
        ]
        * 8,
        "node7.emails": [{"sender": "a"}],
        "page_list": [1, 2],
        "current_page": "gmail_inbox",
        "rows": [],
        "row": None,
        "text": "",
        "map": {},
    }
    assert listed(**values).split("\n") == [
        '- current_page = "gmail_inbox"',
        '- gmail_creds = {email: "user@gmail.com", password: "[hidden]"}',
        "- map = {} (empty)",
        "- node4.loginRequired = true",
        '- node7.emails = [{"sender": "a"}]',
        '- node10.selectedEmail = {sender: "investor@vc.com", subject: "Re: Funding",'
        " content: \"Hi, we're interested in your round and...",
        "- page_list = [1, 2]",
        "- row = null",
        "- rows = [] (empty)",
        '- search_results = [Array of 8 results - first: {"title": "Gmail API",'
        ' "url": "https://developers.google.com/xxxxxxxxxx...',
        '- text = "" (empty)',
    ]


def test_a_hundred_characters_are_shown_whole_and_one_more_is_cut() -> None:
    for length in (98, 99, 100):
        assert listed(x="a" * length) == f'- x = "{"a" * length}"'
    assert listed(x="a" * 101) == f'- x = "{"a" * 100}...'


def test_an_array_is_never_longer_than_what_is_in_it() -> None:
    assert listed(x=[1, 2, 3]) == "- x = [1, 2, 3]"
    assert listed(x=[[1]]) == "- x = [[1]]"
    assert (
        listed(feeds=["a" * 30, "b" * 30]) == f'- feeds = [Array of 2 feeds - first: "{"a" * 30}"]'
    )
    assert listed(x=[{"password": "hunter2-swordfish"}]) == '- x = [{"password": "[hidden]"}]'
    assert "tango" not in listed(passwords=["tango-seven", "tango-eight"])


def test_numbers_in_names_count() -> None:
    names = [
        "node4",
        "node10",
        "node4.a2",
        "node4.a10",
        "node04",
        "b",
        "node",
        "a1b10",
        "a1b9",
        "node10x",
        "9",
        "10",
    ]
    values = dict.fromkeys(reversed(names), 1)
    assert [line[2:].split(" =")[0] for line in listed(**values).splitlines()] == [
        "9", "10", "a1b9", "a1b10", "b", "node", "node04", "node4", "node4.a2", "node4.a10", "node10", "node10x",
    ]  # fmt: skip


@pytest.mark.parametrize("before", range(95, 100))
def test_a_cut_never_goes_through_an_escape(before: int) -> None:
    line = shown("x", json.dumps("a" * before + '\n"\u202e\U0001f600\x00' + "b" * 50))
    assert line.endswith("...")
    assert not line.removesuffix("...").endswith("\\")
    json.loads(line.removesuffix("...") + '"')


@pytest.mark.parametrize(
    "stored", ["[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "1" * 10_000, "nul", ""]
)
def test_odd_rows_do_no_harm(stored: str, here: Path, dctx: Dctx) -> None:
    with open_store(load_project(), write=True) as store:
        entries.put(store, {"odd": stored}, "by another program")
    for words in (("show",), ("show", "odd"), ("show", "--json"), ("show", "--history")):
        assert dctx("vars", *words).code == 0


def test_what_others_stored_in_the_clear_is_hidden_all_the_same(here: Path, dctx: Dctx) -> None:
    with open_store(load_project(), write=True) as store:
        secrets = {
            "db_password": '"hunter2"',
            "note": '"the key is sk-ant-api03-hunter2hunter2"',
            "o": '{"token": "hunter2"}',
            "pairs": '{"headers": [["Authorization", "hunter2"]]}',
            "api_tokens": '["hunter2", "hunter2"]',
            "later": json.dumps(f"{'x' * 50} https://bob:hunter2{'y' * 100}@h"),
            "keys_of": json.dumps({f"ghp_hunter2{'a' * 30}": 1}),
            f"ghp_hunter2{'a' * 30}": "1",
            "form": '{"type": "password", "value": "hunter2"}',
        }
        entries.put(store, secrets, "password=hunter2")
    for words in (
        ("show",),
        ("show", "--json"),
        ("show", "--history"),
        ("show", "--history", "--json"),
    ):
        done = dctx("vars", *words)
        assert done.code == 0
        assert "hunter2" not in done.out + done.err
        assert HIDDEN in done.out


def nested(value: Any, secret: Any, name: str) -> Any:
    return {"a": [value, {name: secret, "other": value}]}


@pytest.mark.parametrize("is_shared", [False, True])
@given(
    value=JSON,
    secret=st.text("abcdefghijklmnopqrstuvwxyz0123456789 äß\n\"'\\{}[]:=", min_size=8).map(
        lambda text: f"Zq{text}qZ"
    )
    | st.sampled_from(sorted(FORMATS)).flatmap(
        lambda kind: st.from_regex(FORMATS[kind], fullmatch=True)
    ),
    way=st.sampled_from(["name", "own name", "said", "said deep"]),
)
@settings(slowly, max_examples=12)
def test_a_secret_appears_nowhere_but_when_it_is_revealed(
    here: Path, monkeypatch: pytest.MonkeyPatch, is_shared: bool, value: Any, secret: str, way: str
) -> None:
    if is_shared:
        monkeypatch.setattr(SQLite, "name", SHARED)
        monkeypatch.setenv(KEY, "k" * 32)
    project = load_project(root=str(here))
    clear_variables(project, "again")
    name = "db_password" if way == "own name" else "v"
    whole = (
        secret
        if way in ("own name", "said")
        else nested(value, secret, "password" if way == "name" else "plain")
    )
    set_variable(project, name, whole, f"Because of {secret}", secret=way.startswith("said"))
    set_variable(project, "other", 1, "nothing")
    seen = [told("vars", *words, root=here) for words in SHOWING]
    seen.append(told("vars", "clear", name, "--reason", f"It was {secret}", root=here))
    set_variable(project, name, whole, "again", secret=way.startswith("said"))
    if is_shared:
        with open_store(project) as store:
            seen += [
                repr([tuple(one) for one in entries.variables(store)]),
                repr(entries.changes(store)),
            ]
        seen += [
            file.read_bytes().decode("latin-1")
            for file in (here / ".director" / ".dctx").iterdir()
            if file.is_file()
        ]
    forms = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        secret.encode().decode("latin-1"),
    }
    assert [text for text in seen for form in forms if form in text] == []
    assert json.dumps(value_of(project, name, reveal=True)) == json.dumps(whole)


SHOWING = (
    ("show",), ("show", "v"), ("show", "v", "--json"), ("show", "db_password"), ("show", "--json"),
    ("show", "--history"), ("show", "--history", "--json"), ("set", "other", "2", "--reason", "x"), ("show", "nope"),
)  # fmt: skip


def told(*words: str, root: Path) -> str:
    """All that a command says, on both streams."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        main([*words, "--root", str(root)])
    out.flush()
    return out.buffer.getvalue().decode("utf-8", "replace") + err.getvalue()


def test_a_value_is_json_and_else_a_text(here: Path, dctx: Dctx) -> None:
    for name, text in {
        "a": "[1, 2]",
        "b": "debug@test.com",
        "c": "true",
        "d": '"quoted"',
        "e": "1.50",
    }.items():
        assert dctx("vars", "set", name, text, *WHY).code == 0
    assert dctx("vars", "set", "f", "true", "--string", *WHY).code == 0
    expected = {"a": [1, 2], "b": "debug@test.com", "c": True, "d": "quoted", "e": 1.5, "f": "true"}
    assert values_of(load_project()) == expected
    rows = json.loads(dctx("vars", "show", "--json").out)
    assert {row["name"]: row["value"] for row in rows} == expected


def test_a_text_is_printed_raw_and_the_rest_as_json(here: Path, dctx: Dctx) -> None:
    dctx("vars", "set", "t", "two\nlines", *WHY)
    dctx("vars", "set", "o", '{"ä": [1]}', *WHY)
    assert dctx("vars", "show", "t").out == "two\nlines\n"
    assert json.loads(dctx("vars", "show", "t", "--json").out) == "two\nlines"
    assert dctx("vars", "show", "o").out == '{\n  "ä": [\n    1\n  ]\n}\n'


def test_a_secret_comes_in_by_standard_input_byte_for_byte(here: Path) -> None:
    secret = "\ta\u00e4b\x01\r\nline two  "
    words = ("vars", "set", "x", "-", "--string", "--secret", *WHY)
    assert process(*words, cwd=here, stdin=f"{secret}\n".encode()).code == 0
    assert value_of(load_project(), "x", reveal=True) == secret
    refused = process(*words, cwd=here, stdin=b"\xff\xfe\xfa")
    assert refused.code == 1
    assert "not text in UTF-8" in refused.err


@pytest.mark.parametrize(
    "words",
    [("set", "x", "1"), ("clear", "x")],
)
def test_a_reason_that_is_given_is_not_empty(
    words: tuple[str, ...], here: Path, dctx: Dctx
) -> None:
    done = dctx("vars", *words, "--reason", " ")
    assert (done.code, done.out) == (2, "")
    assert "The reason is empty." in done.err
    assert not (here / ".director" / ".dctx").exists()


def test_without_a_reason_a_script_is_told_once_that_none_is_kept(here: Path, dctx: Dctx) -> None:
    for words in (
        ("set", "x", "1"),
        ("clear", "x"),
        ("set", "x", "2"),
        ("clear", "--all", "--yes"),
    ):
        done = dctx("vars", *words)
        assert done.code == 0 and done.err.count("The reason is kept as 'not given'.") == 1
    changes = json.loads(dctx("vars", "show", "--history", "--json").out)
    assert [change["reason"] for change in changes] == ["not given"] * 4
    assert dctx("vars", "clear", "--all", "--yes").err == ""


@pytest.mark.parametrize(
    ("answer", "reason"), [("The port moved\n", "The port moved"), ("\n", "not given")]
)
def test_at_a_terminal_the_reason_is_asked_for(
    answer: str, reason: str, here: Path, dctx: Dctx
) -> None:
    code, seen = answered_on_terminal(here, answer, "vars", "set", "port", "8080")
    assert code == 0 and "Why this change?" in seen and "- port = 8080" in seen
    assert [
        change["reason"] for change in json.loads(dctx("vars", "show", "--history", "--json").out)
    ] == [reason]
    code, seen = answered_on_terminal(here, "\x04", "vars", "set", "port", "9090")
    assert code == 1 and json.loads(dctx("vars", "show", "port").out) == 8080


@pytest.mark.parametrize(
    "name", ["", "a b", "a\nb", "a\x00b", "\u202ea", "x" * 201, "sk-ant-api03-abcdefgh"]
)
def test_a_name_that_cannot_be_shown_is_refused(name: str, here: Path, dctx: Dctx) -> None:
    done = dctx("vars", "set", name, "1", *WHY)
    assert done.code == 1
    assert "sk-ant" not in done.err
    assert not (here / ".director" / ".dctx").exists()


@pytest.mark.parametrize(
    ("value", "sentence"),
    [("NaN", "is not JSON"), ("[1e999]", "is not JSON"), ("[" * 150 + "]" * 150, "nested deeper"),
     ("[" * 90_000, "nested"),
     (json.dumps("x" * 1_000_001), "too large")],
    ids=["NaN", "Infinity", "deep", "very deep", "large"],
)  # fmt: skip
def test_a_value_that_no_store_takes_is_refused_in_a_sentence(
    value: str, sentence: str, here: Path, dctx: Dctx
) -> None:
    done = dctx("vars", "set", "x", value, *WHY)
    assert done.code == 1
    assert sentence in done.err
    assert len(done.err) < 300
    assert not (here / ".director" / ".dctx").exists()


def test_a_node_has_its_own_variables(here: Path, dctx: Dctx) -> None:
    for name in (
        "node7.emails",
        "node7.count",
        "node70.x",
        "7.y",
        "other",
        "node1/2/3.z",
        "1/2/3.w",
    ):
        set_variable(load_project(), name, 1, "why")
    assert [one.name for one in variables(load_project(), "7")] == [
        "7.y",
        "node7.count",
        "node7.emails",
    ]
    assert [one.name for one in variables(load_project(), "1/2/3")] == ["1/2/3.w", "node1/2/3.z"]
    assert (
        dctx("vars", "--node", "node7").out == "- 7.y = 1\n- node7.count = 1\n- node7.emails = 1\n"
    )
    none = dctx("vars", "show", "--node", "8")
    assert (none.out, none.err) == ("", "dctx: No variable of node 8 is set.\n")


def test_an_unknown_name_gets_near_ones(here: Path, dctx: Dctx) -> None:
    set_variable(load_project(), "node7.emails", 1, "why")
    for words in (("show", "emails"), ("show", "node7.email"), ("clear", "node7.email", *WHY)):
        done = dctx("vars", *words)
        assert (done.code, done.out) == (1, "")
        assert "Did you mean node7.emails?" in done.err
    for words in (("x", "--node", "7"), ("--history", "--node", "7"), ("--reveal",)):
        assert dctx("vars", "show", *words).code == 2


def test_a_secret_by_request_stays_one_until_it_is_cleared(here: Path) -> None:
    project = load_project()
    set_variable(project, "x", "one", "why", secret=True)
    set_variable(project, "x", "two", "why")
    assert (value_of(project, "x"), value_of(project, "x", reveal=True)) == (HIDDEN, "two")
    clear_variable(project, "x", "why")
    set_variable(project, "x", "three", "why")
    assert value_of(project, "x") == "three"


def test_what_only_looked_like_a_secret_does_not_hide_what_follows(here: Path) -> None:
    project = load_project()
    set_variable(project, "x", "sk-ant-api03-abcdefgh", "why")
    assert value_of(project, "x") == HIDDEN
    set_variable(project, "x", "harmless", "why")
    assert value_of(project, "x") == "harmless"


def test_the_old_secret_is_kept_out_of_the_reason_for_a_new_one(here: Path, dctx: Dctx) -> None:
    project = load_project()
    set_variable(project, "pin_code", "4711", "first")
    assert (
        set_variable(project, "pin_code", "4712", "4711 was seen by others").reason
        == "[hidden] was seen by others"
    )
    dctx("vars", "clear", "--all", "--yes", "--reason", "4712 too")
    assert "471" not in dctx("vars", "show", "--history").out


def test_history_tells_every_change_and_why(here: Path, dctx: Dctx) -> None:
    dctx("vars", "set", "a", "1", "--reason", "first")
    dctx("vars", "set", "b", '"two"', "--reason", "second")
    dctx("vars", "clear", "a", "--reason", "third")
    found = json.loads(dctx("vars", "show", "--history", "--json").out)
    assert [(one["number"], one["name"], one["shown"], one["reason"]) for one in found] == [
        (1, "a", "1", "first"),
        (2, "b", '"two"', "second"),
        (3, "a", None, "third"),
    ]
    last = dctx("vars", "show", "a", "--history", "--last", "1").out.splitlines()[-1].split()
    assert (last[0], last[-3:]) == ("3", ["a", "cleared", "third"])
    assert dctx("vars", "show", "--history", "--last", "0").code == 2
    assert dctx("vars", "show", "nope", "--history").out == ""


def test_clearing_everything_asks_or_is_told(here: Path, dctx: Dctx) -> None:
    for name in ("a", "b"):
        set_variable(load_project(), name, 1, "why")
    assert dctx("vars", "clear", "--all", *WHY).code == 1
    assert len(variables(load_project())) == 2
    assert dctx("vars", "clear", "--all", "--yes", *WHY).out == "Cleared 2 variables.\n"
    assert dctx("vars", "clear", "--all", *WHY).out == "Cleared 0 variables.\n"
    for words in ((), ("a", "--all")):
        assert dctx("vars", "clear", *words, *WHY).code == 2


@pytest.mark.parametrize(
    "words", [("show",), ("show", "--json"), ("show", "--history"), ("clear", "--all", *WHY)]
)
def test_whoever_only_looks_makes_nothing(words: tuple[str, ...], here: Path, dctx: Dctx) -> None:
    assert dctx("vars", *words).code == 0
    assert not (here / ".director" / ".dctx").exists()
    assert list(Path(os.environ["HOME"]).iterdir()) == []


def test_the_list_for_a_script(here: Path, dctx: Dctx) -> None:
    set_variable(load_project(), "creds", {"password": "x", "n": 1}, "why")
    set_variable(load_project(), "n", 1, "why")
    found = json.loads(dctx("vars", "show", "--json").out)
    assert [(one["name"], one["type"], one["hidden"]) for one in found] == [
        ("creds", "object", True),
        ("n", "number", False),
    ]
    assert found[0]["shown"] == '{password: "[hidden]", n: 1}'
    assert found[0]["updated"].endswith("Z")


def test_what_was_shown_before_is_hidden_when_it_becomes_a_secret(here: Path, dctx: Dctx) -> None:
    project = load_project()
    set_variable(project, "greeting", "only we know", "We say: only we know")
    set_variable(project, "greeting", {"deep": ["hunter2"]}, "Not only we know any more")
    clear_variable(project, "greeting", "hunter2 is over")
    set_variable(project, "other", "hunter3", "stays")
    set_variable(project, "greeting", "hunter4", "From now on", secret=True)
    told = dctx("vars", "show", "--history").out + dctx("vars", "show", "--history", "--json").out
    for secret in ("only we know", "hunter2", "hunter4"):
        assert secret not in told
    assert "hunter3" in told
    found = variable_history(project, "greeting")
    assert [one.reason for one in found] == [
        "We say: [hidden]",
        "Not [hidden] any more",
        "[hidden] is over",
        "From now on",
    ]
    assert [one.stored is None for one in found] == [False, False, True, False]


def test_what_another_made_a_secret_meanwhile_is_not_put_back_into_the_clear(here: Path) -> None:
    project = load_project()
    set_variable(project, "x", "one", "why", secret=True)
    with open_store(project, write=True) as store:
        change = ("x", "two", "I did not know")
        assert _put(store, change, asked=False) == []
        assert len(entries.changes(store)) == 1
    assert value_of(project, "x", reveal=True) == "one"


def test_a_short_secret_is_taken_out_as_a_word_and_the_longest_goes_first() -> None:
    assert without("7 of 17 and 7", ["7"]) == "[hidden] of 17 and [hidden]"
    assert without("hunter22 and hunter2", ["hunter2", "hunter22"]) == "[hidden] and [hidden]"


def test_a_store_that_is_open_serves_many_calls_and_stays_open(
    project: Callable[..., Project],
) -> None:
    made = project({"VISION.md": "# Vision"})
    with open_store(made, write=True) as store:
        set_variable(store, "login", {"password": "hunter2 hunter2"}, "One")
        set_variable(store, "count", 2, "Two")
        assert value_of(store, "login", reveal=True) == {"password": "hunter2 hunter2"}
        made_plan = {"overall_goal": "Go", "current_phase": "", "phases": []}
        assert update_plan(store, made_plan, "First").version.number == 1
        assert store.engine.row("SELECT 1") == (1,)
    assert [one.name for one in variables(made)] == ["count", "login"]
    assert value_of(made, "login", reveal=True) == {"password": "hunter2 hunter2"}
    with pytest.raises(DctxError):
        set_variable(store, "count", 3, "Closed")


def test_a_store_that_was_opened_to_read_takes_nothing(project: Callable[..., Project]) -> None:
    made = project({"VISION.md": "# Vision"})
    with open_store(made) as store, pytest.raises(DctxError, match="no store to write to"):
        set_variable(store, "count", 3, "Why")
