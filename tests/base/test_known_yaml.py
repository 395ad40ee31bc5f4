"""YAML that was read before: the same values, from the user's own cache and from nowhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import needs_permissions, plan, task, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director_ctx import DctxError, assemble, load_project
from director_ctx.base.system.known_yaml import LARGEST, MOST, parse_known
from director_ctx.base.system.yaml_file import parse_yaml

PATH = ".director/dctx.yaml"
KEYS = st.text("ab:é 1-", max_size=5) | st.integers(0, 9) | st.booleans() | st.none()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.dates()
    | st.binary(max_size=5)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache of this test alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "dctx" / "yaml"


def entries(cache: Path) -> list[Path]:
    return sorted(cache.iterdir()) if cache.is_dir() else []


def without_yaml(text: str) -> str:
    """What is made of the text where PyYAML cannot be imported."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "yaml", None)
        try:
            return repr(parse_known(text, "x"))
        except ImportError:
            return "needs yaml"


def window_of(root: Path) -> int:
    """What a context takes from `dctx.yaml`."""
    return assemble(load_project(root=str(root)), "builder").budget.window


def outcome(read: Callable[[str, str], Any], text: str) -> str:
    try:
        return repr(read(text, PATH))
    except DctxError as error:
        return f"{error.message} {error.hint}"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES, st.booleans())
def test_any_yaml_has_the_same_value_the_first_time_and_the_second(
    cache: Path, value: Any, flow: bool
) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow)
    wanted = outcome(parse_yaml, text)
    assert [outcome(parse_known, text) for _ in range(2)] == [wanted, wanted]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: [",
        "a: &b 1\nc: *b\n",
        "!!python/name:os.system x",
        "\t",
        "a: 1\n---\nb: 2\n",
        "x" * 200_001,
    ],
)
def test_what_is_wrong_is_told_each_time_and_never_kept(text: str, cache: Path) -> None:
    wanted = outcome(parse_yaml, text)
    assert [outcome(parse_known, text) for _ in range(2)] == [wanted, wanted]
    assert not (entries(cache) and wanted.startswith(PATH))


def test_the_second_time_needs_no_pyyaml(cache: Path) -> None:
    text = "budget: 30%\nmodels: {x: {window: 1000}}\nflag: yes\nhalf: 0.5\n"
    assert without_yaml(text) == "needs yaml"
    assert parse_known(text, PATH) == parse_yaml(text, PATH)
    assert without_yaml(text) == repr(parse_yaml(text, PATH))
    assert without_yaml(text + "# another\n") == "needs yaml"


@pytest.mark.parametrize(
    "text", ["a: 2026-01-02", "1: x", "true: x", "null: x", "a: .inf", "a: .nan", "? [a]\n: b"]
)
def test_what_json_cannot_hold_is_read_from_yaml_each_time(text: str, cache: Path) -> None:
    wanted = outcome(parse_yaml, text)
    assert [outcome(parse_known, text) for _ in range(2)] == [wanted, wanted]
    assert entries(cache) == []


def test_a_changed_file_is_seen_at_once(tmp_path: Path, cache: Path) -> None:
    root = write(
        tmp_path / "p", {"VISION.md": "# Vision\nX.\n", **plan({"01-one.md": task("One")})}
    )
    for window in (50_000, 60_000, 50_000, 70_000):
        write(root, {"dctx.yaml": f"window: {window}\n"})
        os.utime(root / ".director" / "dctx.yaml", (1, 1))  # nothing but its text tells
        assert window_of(root) == window
    assert len(entries(cache)) == 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"a"',
        b'{"a"}',
        b'"open',
        b"\xff\xfe",
        b"[" * 100_000,
        b"NaN",
        b'{"a":1}{"b":2}',
        b'{"a":1}' + b" " * LARGEST + b"x",
        b" " * (2 * LARGEST),
    ],
)
def test_an_entry_that_is_no_json_is_made_anew(content: bytes, cache: Path) -> None:
    text = "a: 1\n"
    parse_known(text, PATH)
    (entry,) = entries(cache)
    kept = entry.read_bytes()
    entry.write_bytes(content)
    assert parse_known(text, PATH) == {"a": 1} or content.startswith(b'{"a":1} ')
    assert entry.read_bytes() == kept or content.startswith(b'{"a":1} ')


@pytest.mark.parametrize("kind", ["folder", "pipe", "dangling link", "device"])
def test_an_entry_that_is_no_file_is_passed_over(kind: str, cache: Path, tmp_path: Path) -> None:
    text = "a: 1\n"
    parse_known(text, PATH)
    (entry,) = entries(cache)
    entry.unlink()
    if kind == "folder":
        entry.mkdir()
    elif kind == "pipe":
        os.mkfifo(entry)
    else:
        entry.symlink_to(tmp_path / "nowhere" / "x" if kind == "dangling link" else "/dev/zero")
    assert [parse_known(text, PATH) for _ in range(2)] == [{"a": 1}] * 2


def test_a_cache_keeps_the_last_entries_only(cache: Path) -> None:
    for number in range(MOST + 20):
        parse_known(f"number: {number}\n", PATH)
        for place, entry in enumerate(
            sorted(entries(cache), key=lambda path: path.stat().st_mtime_ns)
        ):
            os.utime(entry, (1_000_000 + place, 1_000_000 + place))
    assert len(entries(cache)) == MOST
    assert without_yaml(f"number: {MOST + 19}\n") == repr({"number": MOST + 19})
    assert without_yaml("number: 0\n") == "needs yaml"


def test_something_foreign_in_the_cache_does_not_make_it_grow(cache: Path) -> None:
    (cache / "foreign").mkdir(parents=True)
    os.utime(cache / "foreign", (1, 1))
    for number in range(MOST + 5):
        parse_known(f"number: {number}\n", PATH)
    assert len(entries(cache)) <= MOST + 1


@needs_permissions
def test_a_cache_that_may_not_be_written_costs_only_time(cache: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o500)
    try:
        assert parse_known("a: 1\n", PATH) == {"a": 1}
    finally:
        cache.chmod(0o700)


@pytest.mark.parametrize("place", ["file", "link to nowhere", "none", "relative"])
def test_without_a_place_for_a_cache_the_values_are_the_same(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    if place == "file":
        folder.write_text("x")
    elif place == "link to nowhere":
        folder.symlink_to("/nowhere/at/all")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder) if place not in ("none", "relative") else "")
    if place in ("none", "relative"):
        monkeypatch.setenv("HOME", "home" if place == "relative" else "")
    assert parse_known("a: 1\n", PATH) == {"a": 1}
    assert not (tmp_path / "home").exists()
    assert not (tmp_path / ".cache").exists()


def test_a_relative_place_for_caches_counts_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_known("a: 1\n", PATH) == {"a": 1}
    assert len(entries(tmp_path / ".cache" / "dctx" / "yaml")) == 1


def test_nothing_in_a_project_is_taken_for_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Not even where the environment names a place relative to it."""
    text = "window: 50000\n"
    parse_known(text, PATH)
    (entry,) = entries(cache)
    root = write(
        tmp_path / "p",
        {"dctx.yaml": text, "VISION.md": "# Vision\nX.\n", **plan({"01-one.md": task()})},
    )
    for folder in (
        ".cache/dctx/yaml",
        "dctx/yaml",
        ".director/.dctx/yaml",
        ".director/.cache/dctx/yaml",
    ):
        forged = root / folder / entry.name
        forged.parent.mkdir(parents=True)
        forged.write_text('{"window": 1234}')
    monkeypatch.chdir(root)
    for home, base in (
        (str(tmp_path), ""),
        (".", ""),
        (".", "."),
        ("", ".cache"),
        (str(tmp_path), ".director/.cache"),
    ):
        monkeypatch.setenv("HOME", home)
        monkeypatch.setenv("XDG_CACHE_HOME", base)
        assert window_of(root) == 50_000


def test_a_cache_is_for_its_user_alone(cache: Path) -> None:
    parse_known("a: 1\n", PATH)
    assert cache.stat().st_mode & 0o777 == 0o700
