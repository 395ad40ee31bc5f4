"""Secrets at rest: what the key opens, what it does not, and where it lies."""

from __future__ import annotations

import json
import os
import select
import stat
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, process, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx import load_project
from director_ctx.base.errors import DctxError
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries
from director_ctx.memory.variables import key_files as keys
from director_ctx.memory.variables.display import SEALED, shown
from director_ctx.memory.variables.sealing import (
    MissingKey,
    as_json,
    fingerprint,
    is_key,
    needed_keys,
    new_key,
    reveal,
    seal,
    was_asked,
)
from director_ctx.memory.variables.sealing_keys import sealing_key
from director_ctx.memory.variables.variables import clear_variable, set_variable, value_of

Dctx = Callable[..., Result]
KEY = urlsafe_b64encode(bytes(range(32))).decode()


def stored(name: str, value: Any, asked: bool = False, key: str = KEY) -> str:
    return seal(name, value, lambda: key, asked).text


def opened(name: str, text: str, key: str = KEY) -> Any:
    return reveal(name, text, lambda mark: key if mark == fingerprint(key) else None)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "work", {"VISION.md": "# Vision\n"}))
    return tmp_path / "work"


def key_files() -> list[Path]:
    return sorted(Path(keys.place()).glob("*"))


def test_only_the_hidden_leaves_are_sealed() -> None:
    text = stored("creds", {"email": "a@b.c", "password": "hunter2", "n": 1})
    found = json.loads(text)
    assert (found["email"], found["n"], list(found["password"])) == ("a@b.c", 1, [SEALED])
    assert "hunter2" not in text
    assert opened("creds", text) == {"email": "a@b.c", "password": "hunter2", "n": 1}


def test_a_value_without_secrets_asks_for_no_key() -> None:
    def refuse() -> str:
        raise AssertionError

    assert seal("x", {"a": ["b", 1, None]}, refuse).text == '{"a": ["b", 1, null]}'


def test_a_secret_does_not_open_under_another_name() -> None:
    with pytest.raises(DctxError, match="belongs to another variable"):
        opened("b", stored("a", "hunter2", asked=True))


def test_a_secret_that_was_changed_does_not_open() -> None:
    text = stored("a", "hunter2", asked=True)
    with pytest.raises(DctxError, match="it was changed"):
        opened("a", text.replace(text[-8:-4], "AAAA"))


def test_another_key_is_named_and_does_not_open() -> None:
    with pytest.raises(MissingKey, match=fingerprint(KEY)):
        opened("a", stored("a", "hunter2", asked=True), new_key())


def test_what_a_newer_version_sealed_is_told() -> None:
    with pytest.raises(DctxError, match="not sealed by this version"):
        opened("a", stored("a", "x", asked=True).replace('"1.', '"9.'))


@pytest.mark.parametrize(
    "own", [{SEALED: "1.found.abc.def"}, {"a": [{SEALED: 1, "b": 2}]}, {SEALED: {SEALED: "x"}}]
)
def test_an_object_of_ones_own_that_looks_sealed_is_sealed_whole(own: Any) -> None:
    text = stored("x", own)
    assert list(json.loads(text)) == [SEALED]
    assert opened("x", text) == own


@given(st.text(), st.booleans())
def test_the_same_secret_never_looks_the_same(secret: str, asked: bool) -> None:
    one, two = (stored("password", f"x{secret}", asked) for _ in range(2))
    assert one != two
    assert needed_keys(one) == {fingerprint(KEY)}
    assert was_asked(one) is asked


def test_half_a_surrogate_pair_is_kept_as_an_escape() -> None:
    assert as_json("\ud800") == '"\\ud800"'
    assert opened("x", stored("x", "\ud800é", asked=True)) == "\ud800é"


@pytest.mark.parametrize("text", ["", "x", "a" * 44, KEY[:-1], f"{KEY}\n", "é" * 44])
def test_what_is_no_key_is_not_taken_for_one(text: str) -> None:
    assert not is_key(text)
    assert is_key(new_key())


def test_the_first_secret_makes_a_key_that_only_its_owner_reads(here: Path) -> None:
    set_variable(load_project(), "x", 1, "why")
    assert key_files() == []
    set_variable(load_project(), "password", "hunter2", "why")
    (file,) = key_files()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert is_key(file.read_text().strip())
    assert here not in file.parents


def test_every_later_secret_has_the_same_key(here: Path) -> None:
    for name in ("a_token", "b_token"):
        set_variable(load_project(), name, "hunter2", "why")
    with open_store(load_project()) as store:
        assert len(set().union(*(needed_keys(one.sealed) for one in entries.variables(store)))) == 1


def test_many_first_secrets_at_once_make_one_key(here: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    words = [("vars", "set", f"token{n}", "hunter2", "--reason", "why") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda one: process(*one, cwd=here), words))
    assert [one.code for one in done] == [0] * 6
    (file,) = key_files()
    assert len(file.read_text().split()) == 1
    assert value_of(load_project(), "token5", reveal=True) == "hunter2"


def test_a_key_inside_the_project_is_neither_made_nor_read(
    here: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(here / "state"))
    done = dctx("vars", "set", "password", "hunter2", "--reason", "why")
    assert done.code == 1
    assert "state folder is inside this project" in done.err
    assert not (here / "state").exists()
    assert keys.all_known(str(here)) == []


def test_the_environment_gives_the_key(
    here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DCTX_KEY", KEY)
    set_variable(load_project(), "password", "hunter2", "why")
    assert key_files() == []
    monkeypatch.delenv("DCTX_KEY")
    with pytest.raises(MissingKey, match=fingerprint(KEY)):
        value_of(load_project(), "password", reveal=True)
    (tmp_path / "team.key").write_text(f"{KEY}\n")
    monkeypatch.setenv("DCTX_KEY_FILE", str(tmp_path / "team.key"))
    assert value_of(load_project(), "password", reveal=True) == "hunter2"


@pytest.mark.parametrize(
    ("variable", "value"), [("DCTX_KEY", "hunter2"), ("DCTX_KEY_FILE", "/nonexistent/team.key")]
)
def test_an_environment_that_gives_no_key_is_told_without_its_value(
    variable: str, value: str, here: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    monkeypatch.setenv(variable, value)
    done = dctx("vars", "set", "password", "Zq7", "--reason", "why")
    assert done.code == 1
    assert variable in done.err
    assert "hunter2" not in done.err
    assert "Zq7" not in done.err


def test_without_the_key_everything_but_revealing_works(here: Path, dctx: Dctx) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    set_variable(load_project(), "page", "inbox", "why")
    (file,) = key_files()
    mark = fingerprint(file.read_text().strip())
    file.unlink()
    assert dctx("vars", "list").out == '- page = "inbox"\n- password = "[hidden]"\n'
    got = dctx("vars", "get", "password")
    assert got.out == "[hidden]\n" and "--reveal" in got.err
    assert "--reveal" not in dctx("vars", "get", "page").err
    assert dctx("vars", "history").code == 0
    assert dctx("vars", "set", "page", "outbox", "--reason", "why").code == 0
    for words in (("get", "password", "--reveal"), ("set", "token", "x", "--reason", "why")):
        done = dctx("vars", *words)
        assert done.code == 1
        assert f"key {mark}, which is not on this machine" in done.err
        assert "dctx store key --import" in done.err
    assert key_files() == []
    clear_variable(load_project(), "password", "the key is lost")
    assert dctx("vars", "set", "token", "x", "--reason", "why").code == 0


def test_a_teammate_takes_the_key_and_opens_what_was_sealed(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dctx: Dctx
) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    exported = dctx("store", "key", "--export").out
    assert is_key(exported.strip())
    (tmp_path / "team.key").write_text(exported)
    monkeypatch.setenv("HOME", str(tmp_path / "other home"))
    assert dctx("vars", "get", "password", "--reveal").code == 1
    taken = dctx("store", "key", "--import", str(tmp_path / "team.key"))
    assert fingerprint(exported.strip()) in taken.out
    assert exported.strip() not in taken.out
    assert dctx("vars", "get", "password", "--reveal").out == "hunter2\n"


def test_taking_a_key_keeps_the_one_that_was_there(here: Path, dctx: Dctx, tmp_path: Path) -> None:
    set_variable(load_project(), "a_token", "old", "why")
    (tmp_path / "team.key").write_text(KEY)
    assert dctx("store", "key", "--import", str(tmp_path / "team.key")).code == 0
    set_variable(load_project(), "b_token", "new", "why")
    (file,) = key_files()
    assert file.read_text().split()[0] == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [value_of(load_project(), name, reveal=True) for name in ("a_token", "b_token")] == [
        "old",
        "new",
    ]
    told = json.loads(dctx("store", "key", "--json").out)
    assert told["fingerprint"] == fingerprint(KEY)
    assert (
        sorted((one["variables"], one["changes"], one["here"]) for one in told["needed"])
        == [(1, 1, True)] * 2
    )


@pytest.mark.parametrize("text", ["", "hunter2", f"{KEY} {KEY}"])
def test_a_file_without_a_key_is_not_taken(
    text: str, here: Path, tmp_path: Path, dctx: Dctx
) -> None:
    (tmp_path / "team.key").write_text(text)
    done = dctx("store", "key", "--import", str(tmp_path / "team.key"))
    assert done.code == 1
    assert "hunter2" not in done.err
    assert key_files() == []


def test_a_key_is_shown_only_by_its_fingerprint(here: Path, dctx: Dctx) -> None:
    assert dctx("store", "key").out == "There is no key here yet; the first secret makes a key.\n"
    set_variable(load_project(), "password", "hunter2", "why")
    (file,) = key_files()
    key = file.read_text().strip()
    for words in ((), ("--json",)):
        done = dctx("store", "key", *words)
        assert fingerprint(key) in done.out
        assert key not in done.out
    assert dctx("store", "key", "--export", "--import", "x").code == 2


def test_a_key_is_never_written_to_a_terminal(here: Path) -> None:
    pty = pytest.importorskip("pty")
    set_variable(load_project(), "password", "hunter2", "why")
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "director_ctx", "store", "key", "--export"]
    done = subprocess.run(command, stdout=inner, stderr=subprocess.PIPE, check=False)
    shown, _, _ = select.select([outer], [], [], 0)
    os.close(inner)
    os.close(outer)
    assert (done.returncode, shown) == (1, [])
    assert b"not shown on a terminal" in done.stderr


def test_a_key_file_that_cannot_be_read_is_not_replaced(here: Path) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    (file,) = key_files()
    file.unlink()
    file.mkdir()
    clear_variable(load_project(), "password", "why")
    with pytest.raises(DctxError, match="Could not write"):
        set_variable(load_project(), "password", "hunter2", "why")
    assert file.is_dir()


def test_the_key_follows_when_the_project_gets_a_workflow_id(here: Path) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    write(here, {"dctx.yaml": "workflow_id: 3f2504e0-4f89-41d3-9a0c-0305e82c3301\n"})
    assert value_of(load_project(), "password", reveal=True) == "hunter2"
    set_variable(load_project(), "token", "new", "why")
    with open_store(load_project()) as store:
        assert len(set().union(*(needed_keys(one.sealed) for one in entries.variables(store)))) == 1


def test_no_display_needs_cryptography(here: Path) -> None:
    set_variable(load_project(), "password", "hunter2", "why")
    run = "from director_ctx.doors.cli.main import main\nmain(['vars', 'list'])\n"
    script = f"import sys\n{run}print('cryptography' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=here
    )
    assert done.stdout == '- password = "[hidden]"\nFalse\n'


def test_odd_tokens_are_shown_hidden_and_open_with_a_sentence() -> None:
    for token in ("", "1", "1.found", "1.found.abc.", "1.found.abc.é", 5, None, {"a": 1}):
        text = json.dumps({SEALED: token})
        assert shown("x", text) == '"[hidden]"'
        with pytest.raises(DctxError):
            opened("x", text)
        with pytest.raises(DctxError):
            reveal("x", text, lambda _: KEY)


def test_threads_that_need_a_first_key_at_once_get_the_same(here: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    set_variable(load_project(), "x", 1, "why")
    together = Barrier(8)

    def ask(_: int) -> str:
        with open_store(load_project()) as store:
            together.wait()
            return sealing_key(store, str(here))

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
