"""Secrets in a store that others read: what the key of the team opens, and what it does not."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, write
from filled_stores import FILE, carried

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id
from director_ctx.memory.variables import entries
from director_ctx.memory.variables.display import SEALED, SECRET, shown
from director_ctx.memory.variables.sealing import KEY, SHARED, as_json, in_file, reveal, sealer
from director_ctx.memory.variables.variables import clear_variable, set_variable, value_of

Dctx = Callable[..., Result]
OF_THE_TEAM = "k" * 32


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "work", {"VISION.md": "# Vision\n"}))
    return tmp_path / "work"


@pytest.fixture
def shared(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in a team that has a key; no server is needed to see what would go into one."""
    monkeypatch.setattr(SQLite, "name", SHARED)
    monkeypatch.setenv(KEY, OF_THE_TEAM)
    return here


def rows(root: Path) -> str:
    """All that stands in a store about variables."""
    with open_store(load_project(root=str(root))) as store:
        return str([*entries.variables(store), *entries.changes(store)])


def sealed(name: str, value: Any, asked: bool = False) -> str:
    with Store(SQLite(":memory:"), new_id()) as store:
        return sealer(store)(name, in_file(value, asked))


def test_a_file_of_ones_own_has_values_as_they_are_and_hides_them_where_they_are_shown(
    here: Path, dctx: Dctx
) -> None:
    assert dctx("vars", "set", "password", "hunter2", "--reason", "why").out == (
        '- password = "[hidden]"\n'
    )
    dctx("vars", "set", "greeting", "only we know", "--secret", "--reason", "why")
    assert dctx("vars", "show").out == '- greeting = "[hidden]"\n- password = "[hidden]"\n'
    assert "hunter2" in rows(here) and "only we know" in rows(here)
    assert dctx("vars", "show", "greeting", "--reveal").out == "only we know\n"
    assert dctx("vars", "show", "password", "--reveal").out == "hunter2\n"
    assert stat.S_IMODE((here / FILE).stat().st_mode) == 0o600


def test_a_file_needs_no_cryptography(
    here: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    dctx("vars", "set", "password", "hunter2", "--reason", "why")
    assert dctx("vars", "show", "password", "--reveal").out == "hunter2\n"


def test_of_a_shared_value_only_the_hidden_parts_are_sealed(shared: Path) -> None:
    value = {"email": "a@b.c", "password": "hunter2", "n": [1, None]}
    set_variable(load_project(), "creds", value, "It was hunter2")
    with open_store(load_project()) as store:
        found = json.loads(entries.variables(store)[0].stored)
    assert (found["email"], found["n"], list(found["password"])) == ("a@b.c", [1, None], [SEALED])
    assert "hunter2" not in rows(shared)
    assert value_of(load_project(), "creds", reveal=True) == value
    assert value_of(load_project(), "creds")["password"] == "[hidden]"


def test_a_secret_that_was_asked_for_is_sealed_whole_and_so_is_all_that_it_ever_was(
    shared: Path, dctx: Dctx
) -> None:
    set_variable(load_project(), "greeting", ["Zq7"], "It begins as Zq7")
    set_variable(load_project(), "greeting", "Zq8", "Something else", secret=True)
    set_variable(load_project(), "greeting", "Zq9", "Then Zq9 in the place of Zq8")
    assert not [word for word in ("Zq7", "Zq8", "Zq9") if word in rows(shared)]
    assert value_of(load_project(), "greeting", reveal=True) == "Zq9"
    assert dctx("vars", "show").out == '- greeting = "[hidden]"\n'


def test_a_value_without_secrets_asks_for_no_key(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY)
    assert sealed("x", {"a": ["b", 1, None]}) == '{"a": ["b", 1, null]}'


def test_a_secret_does_not_open_under_another_name(shared: Path) -> None:
    with pytest.raises(DctxError, match="cannot be opened"):
        reveal("b", sealed("a", "hunter2", asked=True))


def test_a_secret_that_was_changed_does_not_open(shared: Path) -> None:
    text = sealed("a", "hunter2", asked=True)
    with pytest.raises(DctxError, match="cannot be opened"):
        reveal("a", text.replace(text[-10:-6], "AAAA"))


@pytest.mark.parametrize(
    ("key", "said"), [(None, "need a key of 32 characters"), ("short", "need a key of 32"), ("o" * 40, "another key")]
)  # fmt: skip
def test_without_the_key_of_the_team_everything_but_secrets_works(
    key: str | None, said: str, shared: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    set_variable(load_project(), "page", "inbox", "why")
    monkeypatch.delenv(KEY)
    if key:
        monkeypatch.setenv(KEY, key)
    assert dctx("vars", "show").out == '- page = "inbox"\n- password = "[hidden]"\n'
    assert dctx("vars", "show", "password").out == "[hidden]\n"
    assert dctx("vars", "set", "page", "outbox", "--reason", "why").code == 0
    # With another key, each teammate would have half of the secrets.
    for words in (("show", "password", "--reveal"), ("set", "token", "x1y2", "--reason", "why")):
        done = dctx("vars", *words)
        assert done.code == 1 and said in done.err, done
    clear_variable(load_project(), "password", "the key is lost")
    assert (dctx("vars", "set", "token", "x", "--reason", "why").code == 0) is (
        said == "another key"
    )


def test_without_cryptography_the_extra_is_named(
    shared: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    done = dctx("vars", "set", "password", "hunter2", "--reason", "why")
    assert done.code == 1 and "pip install 'director-ctx[postgres]'" in done.err


def test_what_was_kept_in_a_file_is_sealed_where_it_comes_into_a_shared_store(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = new_id()
    with Store(SQLite(":memory:"), workflow) as own, Store(SQLite(":memory:"), workflow) as team:
        with monkeypatch.context() as alone:
            alone.setattr(SQLite, "name", "sqlite")
            set_variable(own, "password", "hunter2", "why")
            set_variable(own, "greeting", "only we know", "why", secret=True)
        for added in (2, 0):
            tallies = carried(own, team)
            assert tallies["dctx_variables"].added == added
            assert not [tally.others for tally in tallies.values() if tally.others]
        texts = str([*entries.variables(team), *entries.changes(team)])
        assert "hunter2" not in texts and "only we know" not in texts
        assert value_of(team, "greeting", reveal=True) == "only we know"

        # And out again, into a file: sealed it stays.
        with Store(SQLite(":memory:"), workflow) as copied, monkeypatch.context() as alone:
            carried(team, copied)
            alone.setattr(SQLite, "name", "sqlite")
            assert entries.variables(copied) == entries.variables(team)
            assert value_of(copied, "password") == "[hidden]"
            assert value_of(copied, "password", reveal=True) == "hunter2"


@pytest.mark.parametrize("own", [{SEALED: "x"}, [{SECRET: 1}], {"a": {SEALED: {"b": 1}}}])
def test_what_looks_like_a_secret_of_dctx_cannot_be_set(own: Any, here: Path) -> None:
    with pytest.raises(DctxError, match="what dctx calls a secret itself"):
        set_variable(load_project(), "x", own, "why")
    for harmless in (json.dumps(own), [SEALED, SECRET]):
        set_variable(load_project(), "x", harmless, "why")
        assert value_of(load_project(), "x", reveal=True) == harmless


def test_half_a_surrogate_pair_is_kept_as_an_escape(shared: Path) -> None:
    assert as_json("\ud800") == '"\\ud800"'
    assert reveal("x", sealed("x", "\ud800é", asked=True)) == "\ud800é"


def test_odd_tokens_are_shown_hidden_and_open_with_a_sentence(shared: Path) -> None:
    for token in ("", "1", "1.found.abc.é", 5, None, {"a": 1}):
        text = json.dumps({SEALED: token})
        assert shown("x", text) == '"[hidden]"'
        with pytest.raises(DctxError):
            reveal("x", text)
