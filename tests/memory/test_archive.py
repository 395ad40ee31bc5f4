"""The archive: originals by their hashes, what was compressed, and what is forgotten, in every
store.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pg
import pytest
from conftest import Result, write
from filled_stores import carried
from hypothesis import given
from hypothesis import strategies as st
from talks import run, text

from director_ctx.base.errors import DctxError
from director_ctx.base.json_bytes import history_of, lines_written, slices, style_of
from director_ctx.doors.cli.conversations import history_remove
from director_ctx.doors.cli.main import main
from director_ctx.memory.archive import originals
from director_ctx.memory.archive.alignment import (
    align,
    expected,
    hash_of,
    likeness,
    mark,
    stand_ins,
    undone,
)
from director_ctx.memory.archive.compressions import (
    CompressionRecord,
    by_id,
    outline_of,
    record,
    summed,
)
from director_ctx.memory.archive.originals import Listing, find, held, keep_in, readable
from director_ctx.memory.store.sqlite import SQLite, make_file
from director_ctx.memory.store.store import Store, new_id, now

if TYPE_CHECKING:
    from director_ctx.memory.store.engine import Engine

ODD = (
    "plain",
    "",
    "Grüße 🎉",
    "a\0b",
    "half \ud83d",
    "two halves \ud83d\ude00",
    "\\u0000",
    '{"names": []}',
    "x" * 300_000,
)


def keep(store: Store, texts: Iterable[str]) -> list[str]:
    """Their hashes."""
    named = {hash_of(text): text for text in texts}
    originals.keep(store, named)
    return list(named)


@pytest.fixture(scope="module", params=("file", pg.POSTGRESQL))
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    if request.param == "postgresql":
        engine: Engine = pg.migrated(request.getfixturevalue("server").database())
    else:
        place = str(tmp_path_factory.mktemp("store") / "store.db")
        make_file(place)
        engine = SQLite(place)
    yield engine
    engine.close()


@pytest.fixture
def store(engine: Engine) -> Store:
    return Store(engine, new_id(), "a project")


@pytest.mark.parametrize("text", ODD)
def test_every_text_comes_back_exactly(store: Store, text: str) -> None:
    [name] = keep(store, [text])
    assert find(store, f"dctx:{name[:12]}") == text
    assert find(store, name) == text


def test_the_same_content_is_kept_once(store: Store) -> None:
    keep(store, ["one", "two", "one"])
    keep(store, ["two", "three"])
    assert held(store.engine, store.workflow) == originals.Held(3, len("onetwothree"))


def test_a_thousand_originals_are_kept_at_once_or_not_at_all(store: Store) -> None:
    texts = [f"text {number}" for number in range(1500)]
    assert len(set(keep(store, texts))) == 1500
    with pytest.raises(ZeroDivisionError):
        store.engine.write(
            store.workflow, lambda writer: (keep_in(writer, store, {hash_of("z"): "z"}), 1 / 0)
        )
    assert held(store.engine, store.workflow).originals == 1500


def test_what_is_not_there_is_none_and_what_is_no_locator_is_said(store: Store) -> None:
    assert find(store, "dctx:000000000000") is None
    for wrong in ("dctx:", "dctx:12", "hello", "dctx:00000000000g"):
        with pytest.raises(DctxError, match="is no locator"):
            find(store, wrong)


def test_two_originals_that_begin_alike_are_said_to_be_two(store: Store) -> None:
    by_start: dict[str, str] = {}
    pair = None
    for number in range(5000):
        text = f"text {number}"
        start = hash_of(text)[:4]
        if start in by_start:
            pair = (by_start[start], text)
            break
        by_start[start] = text
    assert pair
    keep(store, pair)
    with pytest.raises(DctxError, match="2 originals begin like"):
        find(store, f"dctx:{hash_of(pair[0])[:4]}")
    assert find(store, f"dctx:{hash_of(pair[1])[:20]}") == pair[1]


def test_a_listing_gives_back_the_whole_and_each_of_its_blocks(store: Store) -> None:
    parts = ["first\n#2 result of mine", "second 🎉"]
    whole = "#1 call\nfirst\n#2 result of mine\n#2 result bash\nsecond 🎉"
    listing = Listing(("#1 call", "#2 result bash"), tuple(hash_of(part) for part in parts))
    kept = {**{hash_of(part): part for part in parts}, hash_of(whole): listing}
    store.engine.write(store.workflow, lambda writer: keep_in(writer, store, kept))
    locator = f"dctx:{hash_of(whole)[:12]}"
    assert find(store, locator) == whole
    assert [find(store, f"{locator}#{number}") for number in (1, 2)] == parts
    assert (
        find(store, f"{locator}#1-2") == whole
        and find(store, f"{locator}#2-2") == f"#2 result bash\n{parts[1]}"
    )
    for wrong in (
        "#0",
        "#3",
        "#x",
        "#1-3",
        "#2-1",
        "#0-1",
        "#1-",
        "#-2",
        "#1-2-2",
        "#" + "9" * 5000,
    ):
        with pytest.raises(DctxError, match="There is no"):
            find(store, locator + wrong)
    with pytest.raises(DctxError, match="There is no"):
        find(store, f"dctx:{hash_of(parts[0])[:12]}#1")


def test_an_original_that_somebody_changed_is_not_given_out(store: Store) -> None:
    [name] = keep(store, ["as it was"])
    sql = "UPDATE dctx_originals SET content = ? WHERE workflow_id = ? AND hash = ?"
    for content in (
        '"as it never was"',
        "no JSON",
        "[1]",
        '{"names": 3}',
        '{"names": ["0"]}',
        "[" * 100_000,
        "7",
        '{"zlib": "eJw="}',
        '{"zlib": 3}',
    ):
        store.engine.write(
            store.workflow, lambda writer, one=content: writer.run(sql, (one, store.workflow, name))
        )
        for asked in (name, f"{name[:12]}#1"):
            with pytest.raises(DctxError, match=r"damaged|forgotten|There is no"):
                find(store, asked)


def test_of_many_originals_those_are_read_that_can_be(store: Store) -> None:
    made = keep(store, [f"original {number}" for number in range(450)])
    sql = "UPDATE dctx_originals SET content = ? WHERE workflow_id = ? AND hash = ?"
    store.engine.write(
        store.workflow, lambda writer: writer.run(sql, ("no JSON", store.workflow, made[7]))
    )
    twin = made[8][:12] + "0" * 52
    add = "INSERT INTO dctx_originals (workflow_id, hash, kept_at, size, content) VALUES (?, ?, ?, 0, '1')"
    store.engine.write(
        store.workflow, lambda writer: writer.run(add, (store.workflow, twin, now()))
    )
    found = readable(store, [*(f"dctx:{name[:12]}" for name in made), "dctx:000000000000"])
    assert found == {
        f"dctx:{name[:12]}": f"original {place}"
        for place, name in enumerate(made)
        if place not in (7, 8)
    }


def test_a_history_that_only_mentions_a_damaged_original_is_shortened(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(run()))
    words = ("compress", "run.json", "--strategy", "clear")
    assert dctx(*words, "--receipt", "r.json", cwd=tmp_path).code == 0
    locator = json.loads((tmp_path / "r.json").read_text())["cuts"][0]["locator"]
    with sqlite3.connect(Path.home() / ".local/state/dctx/store.db") as connection:
        sql = "UPDATE dctx_originals SET content = 'no JSON' WHERE hash LIKE ?"
        connection.execute(sql, (locator.removeprefix("dctx:") + "%",))
    connection.close()
    other = [{"role": "user", "content": f"What is {locator}?"}, *run()[1:]]
    for one in other:
        one["content"] = str(one["content"] or "").replace("tool said", "other tool said") or None
    (tmp_path / "run.json").write_text(json.dumps(other))
    made = dctx(*words, cwd=tmp_path)
    assert made.code == 0 and "blocks cut" in made.err, made


def test_the_archive_travels_with_an_export_of_the_store(store: Store, tmp_path: Path) -> None:
    keep(store, ODD)
    make_file(str(tmp_path / "other.db"))
    with Store(SQLite(str(tmp_path / "other.db")), store.workflow) as other:
        keep(other, ["plain"])
        taken = carried(store, other)["dctx_originals"]
        assert taken.added == len(ODD) - 1 and not taken.others
        assert [find(other, hash_of(text)) for text in ODD] == list(ODD)


# Histories in slices

TEXTS = [
    '[{"a":1},\n {"b" : 2}]', '{"a": 1e3, "b": 10000000000000000000000}', '{"a": [1, [2, 3]], "b": []}',
    '{\n  "a": [\n    1\n  ]\n}\n', '{"a":1,"a":2}', '{"a": "ü"}', '{"a": "\\u00fc"}', '\ufeff{"a":1}',
    '{"a":1}\n{"b":2}\n', '{"a":1}\n{"b": 2}\n\n{"c"', "", "no JSON", '{"a":1}\r\n{"b":2}\r\n', '[1,2]\n',
    '{"a":"\\ud83d"}\n{"b":"\\u0000 \u2028"}\n', '  [ ]  ', '[\n    {\n        "a": 1\n    }\n]', "[" * 5_000,
    '{"a": [1, 2', '{"a"', '{"a": [1] "b": [2]}',
]  # fmt: skip


@pytest.mark.parametrize("data", [*map(str.encode, TEXTS), b"\xff[1]\n", b'{"a": "\xed\xa0\xbd"}'])
def test_a_history_is_the_bytes_of_its_slices(data: bytes) -> None:
    assert "".join(slices(data)).encode("utf-8", "surrogateescape") == data


@given(st.binary(max_size=40) | st.text('[]{},:"12a \n').map(str.encode))
def test_any_bytes_are_those_of_their_slices(data: bytes) -> None:
    assert "".join(slices(data)).encode("utf-8", "surrogateescape") == data
    history_of(data)


def test_a_history_is_cut_where_the_elements_of_its_longest_list_end() -> None:
    request = b'{"tools": [1], "messages": [{"a": [1, 2, 3]}, 2 , 3], "n": 0}'
    assert slices(request) == [
        '{"tools": [1], "messages": [{"a": [1, 2, 3]}', ", 2", " , 3", '], "n": 0}',
    ]  # fmt: skip
    assert slices(b'{"a":1}\n{"b" :2}\n') == ['{"a":1}\n', '{"b" :2}\n']


def test_the_elements_of_lines_are_their_values_and_lines_are_written_by_their_own_bytes() -> None:
    data = b'{"a":1}\nno JSON\n\n{"b" :2}\n'
    history = history_of(data)
    assert history.is_lines and history.value == [[{"a": 1}], "no JSON", "", [{"b": 2}]]
    assert lines_written(history, style_of(data)) == data
    changed = history.replace(value=[*history.value, [{"c": "\ud83d ü"}]])
    assert lines_written(changed, style_of(data)) == data + '{"c":"\\ud83d ü"}\n'.encode()


def test_what_was_appended_costs_only_what_is_new(store: Store) -> None:
    lines = [json.dumps({"number": n, "text": f"{n} " * 100}) + "\n" for n in range(5_000)]
    sizes = []
    for number, data in enumerate(("".join(lines), "".join([*lines, '{"new": 1}\n']))):
        row = CompressionRecord(
            str(number), "", "", "codex", "clear", "chars/4", None, 9, 1, "", summed({}), ""
        )
        outline = {"original": data.encode(), "alike": None, "ops": []}
        record(store, row, outline, {})
        [known] = by_id(store, str(number))
        assert outline_of(store, known)["original"] == data.encode()
        sizes.append(held(store.engine, store.workflow).originals)
    assert 0 < sizes[1] - sizes[0] < 6 < sizes[0]


# What stands for what


@given(st.lists(st.sampled_from("abcdef"), max_size=20), st.data())
def test_a_shortened_list_with_more_behind_it_comes_back_whole(
    before: list[str], data: st.DataObject
) -> None:
    after: list[str] = []
    place = 0
    while place < len(before):
        kind = data.draw(st.sampled_from(("stays", "changed", "dropped", "digest")))
        if kind == "stays":
            after.append(before[place])
        elif kind == "changed":
            after.append(f"stub {place}")
        elif kind == "digest":
            after.append(f"digest {place}")
            place += data.draw(st.integers(0, 4))
        place += 1
    ops = align([mark(one) for one in before], [mark(one) for one in after])
    more = ["new"] if any(one in before for one in after) or stand_ins(ops) else []
    there, marks = expected(ops, before), [mark(one) for one in [*after, *more]]
    assert likeness(there, marks) == bool(after)
    made, new = undone(ops, there, before, [*after, *more], marks)
    assert new == len(more)
    assert made == ([*before, *more] if after else [])


# Commands


def test_commands_say_what_is_there_and_forget_it(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    source = tmp_path / "run.json"
    source.write_text(json.dumps(run()))
    made = dctx("compress", str(source), "--strategy", "clear", "--receipt", "r.json", cwd=tmp_path)
    assert made.code == 0, made
    receipt = json.loads((tmp_path / "r.json").read_text())
    locator = receipt["cuts"][0]["locator"]
    assert dctx("restore", locator).out == text(0)
    kept = json.loads(dctx("store", "show", "--json").out)
    assert kept["compressions"] == 1 and kept["archived_bytes"] > len(text(0))
    assert "originals in the archive" in dctx("store", "show").out
    report = dctx("history", "remove")
    assert report.code == 0 and " of 1 compression: " in report.out
    asked = dctx("history", "remove", "--all")
    assert asked.code == 1 and "nobody can be asked" in asked.err
    assert dctx("history", "remove", locator, "--yes").code == 0
    gone = dctx("restore", locator)
    assert gone.code == 1 and "The archive has no" in gone.err and "hint" in gone.err
    undo = dctx("restore", receipt["id"])
    assert undo.code == 1 and "were forgotten" in undo.err and not undo.out
    left = json.loads(dctx("history", "remove", "--all", "--dry-run", "--json").out)
    assert left["removed"] is False and left["compressions"] == 1 and left["originals"]
    assert dctx("history", "remove", "--all", "--yes").code == 0
    assert json.loads(dctx("history", "remove", "--json").out) == {
        "originals": 0,
        "bytes": 0,
        "compressions": 0,
    }


@pytest.mark.parametrize("named", ["ID", "--before=2025-06-01"])
def test_forgetting_an_older_compression_leaves_what_a_newer_one_needs(
    named: str, dctx: Callable[..., Result], tmp_path: Path
) -> None:
    source = tmp_path / "run.json"
    source.write_text(json.dumps(run()))
    ids = []
    for kept in ("1", "5"):
        words = ("--strategy", "clear", "--set", f"keep_results={kept}", "--receipt", "r.json")
        assert dctx("compress", str(source), *words, cwd=tmp_path).code == 0
        ids.append(json.loads((tmp_path / "r.json").read_text())["id"])
    with sqlite3.connect(Path.home() / ".local/state/dctx/store.db") as connection:
        connection.execute("UPDATE dctx_originals SET kept_at = '2025-01-01T00:00:00.000000Z'")
        connection.execute(
            "UPDATE dctx_compressions SET created_at = '2025-01-01T00:00:00.000000Z' WHERE receipt = ?",
            ids[:1],
        )
    connection.close()
    assert dctx("history", "remove", named.replace("ID", ids[0]), "--yes").code == 0
    assert dctx("restore", ids[1]).out == source.read_text()
    assert dctx("restore", ids[0]).code == 1
    assert dctx("history", "remove", "--before", "June", "--yes").code == 2


@pytest.mark.parametrize("words", [["--all"], ["--before", "2100-01-01"], []])
def test_what_somebody_compressed_while_the_user_was_asked_is_not_forgotten(
    words: list[str], dctx: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "run.json"
    source.write_text(json.dumps(run()))
    monkeypatch.chdir(tmp_path)

    def compressed(kept: int) -> bool:
        words = ["compress", "run.json", "--strategy", "clear", "--set", f"keep_results={kept}"]
        return main([*words, "--receipt", f"{kept}.json"]) == 0

    assert compressed(1)
    ids = [json.loads((tmp_path / "1.json").read_text())["id"]]

    with monkeypatch.context() as patched:
        patched.setattr(history_remove, "says_yes", lambda _: compressed(5))
        done = dctx("history", "remove", *(words or ids))
    assert (
        done.code == 1 and "Somebody compressed meanwhile" in done.err and "Look again" in done.err
    ), done
    ids.append(json.loads((tmp_path / "5.json").read_text())["id"])
    for made in ids:
        assert dctx("restore", made).out == source.read_text()
    assert dctx("history", "remove", *(words or ids[:1]), "--yes").code == 0


def test_whoever_compresses_into_a_shared_store_is_told(
    dctx: Callable[..., Result], tmp_path: Path, server: pg.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.database()
    pg.migrated(url).close()
    monkeypatch.setenv("DCTX_STORE", url)
    yaml = f"workflow_id: {new_id()}\n"
    write(tmp_path, {"dctx.yaml": yaml, "/run.json": json.dumps(run())})
    words = ("compress", "run.json", "--strategy", "clear")
    made = dctx(*words, cwd=tmp_path)
    assert (
        made.code == 0
        and "whoever uses that may read them" in made.err
        and "history remove" in made.err
    ), made
    assert "may read them" not in dctx(*words, "--dry-run").err
    write(tmp_path, {"dctx.yaml": f"{yaml}hooks: {{archive: true}}\n"})
    made = dctx(*words)
    assert made.code == 0 and "may read them" not in made.err, made
    monkeypatch.setenv("DCTX_STORE", str(tmp_path / "own.db"))
    (tmp_path / ".director/dctx.yaml").unlink()
    made = dctx(*words)
    assert made.code == 0 and "may read them" not in made.err, made
