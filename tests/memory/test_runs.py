"""The run record: what it says, what it leaves out, and that nothing that happens to it matters."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, commit, needs_permissions, plan, task, write
from hypothesis import given
from hypothesis import strategies as st
from recorded_runs import a_run, text_of

from director_ctx import assemble, load_project
from director_ctx.base.system.write import write_whole
from director_ctx.memory.runs import forget, record, storage
from director_ctx.memory.runs.run import RunSection, parse_run, run_line
from director_ctx.memory.runs.storage import read_runs, read_text

Dctx = Callable[..., Result]
BASE = {
    "VISION.md": "# Vision\nGrüße.\n",
    **plan({"01-one.md": task("One"), "02-two.md": task("Two")}),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and we are in it."""
    monkeypatch.chdir(write(tmp_path / "project", BASE))
    return tmp_path / "project"


def corner(root: Path) -> Path:
    return root / ".director" / ".dctx"


def lines(root: Path) -> list[str]:
    """Without empty ones: who looks while another's line is half there takes it for cut off, and
    begins a new one.
    """
    place = corner(root) / "runs.jsonl"
    return list(filter(None, place.read_text("ascii").split("\n"))) if place.exists() else []


# What is written


def test_an_assembly_is_one_line_that_says_what_the_agent_was_told(root: Path, dctx: Dctx) -> None:
    text = dctx("assemble", "builder", "--task", "2", "--window", "8k").out
    report = json.loads(dctx("budget", "builder", "--task", "2", "--window", "8k", "--json").out)
    (line,) = lines(root)
    run = json.loads(line)
    assert len(run.pop("id")) == 7
    assert (
        abs(
            time.mktime(time.gmtime())
            - time.mktime(time.strptime(run.pop("time"), "%Y-%m-%dT%H:%M:%SZ"))
        )
        < 100
    )
    assert {
        "agent": "builder",
        "task": "1/1/2",
        "status": "within budget",
        "counter": "chars/4",
    }.items() <= run.items()
    assert {name: run[name] for name in ("window", "limit", "used", "percent")} == {
        name: report["budget"][name] for name in ("window", "limit", "used", "percent")
    }
    assert run["sections"] == [
        {name: section[name] for name in ("tag", "tokens", "sha256")}
        for section in report["sections"]
    ]
    assert run["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    vision = text[: text.index("<current_step>")]
    assert run["prefix"] == hashlib.sha256(vision.encode()).hexdigest()
    assert run["reductions"] == []


def test_the_rungs_that_were_taken_are_named_once_each(
    example: Path, tmp_path: Path, dctx: Dctx
) -> None:
    subprocess.run(["cp", "-r", str(example), str(tmp_path / "copy")], check=True)
    arguments = ("builder", "--task", "2/1/4", "--budget", "2900")
    dctx("assemble", *arguments, cwd=tmp_path / "copy")
    cut = json.loads(dctx("budget", *arguments, "--json", cwd=tmp_path / "copy").out)["reductions"]
    run = json.loads(lines(tmp_path / "copy")[-1])
    assert run["reductions"] == list(dict.fromkeys(one["rung"] for one in cut)) != []
    assert run["status"] == "reduced"


def test_every_way_of_delivery_is_recorded(root: Path, tmp_path: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder")
    dctx("assemble", "builder", "--format", "json")
    dctx("assemble", "builder", "--format", "markdown", "-o", str(tmp_path / "out.md"))
    assert len(lines(root)) == 3
    first, second, third = (json.loads(line) for line in lines(root))
    assert first["sha256"] == second["sha256"] != third["sha256"]
    assert len({first["id"], second["id"], third["id"]}) == 3


def test_the_texts_of_the_sections_are_kept_once_each_and_for_their_owner_only(
    root: Path, dctx: Dctx
) -> None:
    text = dctx("assemble", "builder").out
    dctx("assemble", "builder")
    texts = [path for path in (corner(root) / "texts").rglob("*") if path.is_file()]
    first, second = read_runs(str(root))
    assert (first.sections, first.account) == (second.sections, second.account)
    sections = {told.sha256 for told in first.sections}
    assert {path.name for path in texts} == {*sections, first.account}
    assert (
        "\n\n".join(read_text(str(root), told.sha256) or "" for told in first.sections) + "\n"
        == text
    )
    for path in (*texts, corner(root) / "runs.jsonl"):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_git_does_not_see_the_record(root: Path, dctx: Dctx) -> None:
    commit(root, "All of it")
    dctx("assemble", "builder")
    assert lines(root)
    done = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=root, capture_output=True, check=True
    )
    assert done.stdout == b""


# What is not


@pytest.mark.parametrize("words", [("--no-record",), ("--strict", "--budget", "200")], ids=" ".join)
def test_what_is_not_told_or_not_to_be_recorded_leaves_nothing(
    words: tuple[str, ...], root: Path, dctx: Dctx
) -> None:
    dctx("assemble", "builder", *words)
    assert not corner(root).exists()


@pytest.mark.parametrize("value", ["OFF", "0", "no", "false"])
def test_the_environment_can_switch_the_record_off(
    value: str, root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_RECORD", value)
    assert dctx("assemble", "builder").code == 0
    assert not corner(root).exists()
    monkeypatch.setenv("DCTX_RECORD", "on")
    dctx("assemble", "builder")
    assert lines(root)


def test_a_project_can_switch_the_record_off(root: Path, dctx: Dctx) -> None:
    write(root, {"dctx.yaml": "record: false\n"})
    assert dctx("assemble", "builder").code == 0
    assert not corner(root).exists()
    write(root, {"dctx.yaml": "record: true\n"})
    dctx("assemble", "builder")
    assert lines(root)
    write(root, {"dctx.yaml": "record: sometimes\n"})
    assert "record: must be true or false" in dctx("assemble", "builder").err


def test_no_other_command_records(root: Path, dctx: Dctx) -> None:
    for words in (
        ("budget", "builder"),
        ("budget", "--all"),
        ("budget", "builder", "--what-if"),
        ("next",),
    ):
        assert dctx(*words).code == 0
    assert dctx("budget", "--history").code == 0
    assert not corner(root).exists()


def test_a_library_call_records_only_if_it_is_told_to(root: Path) -> None:
    project = load_project(root=str(root))
    assemble(project, "builder")
    assert not corner(root).exists()
    assembly = assemble(project, "builder", record=True)
    assert [run.sha256 for run in read_runs(str(root))] == [
        hashlib.sha256(assembly.text.encode()).hexdigest()
    ]


def test_what_a_reader_did_not_take_is_not_recorded(root: Path) -> None:
    write(root, {"VISION.md": "# Vision\n" + "A long line of words.\n" * 50_000})
    child = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", "assemble", "verifier", "--with", "vision"],
        cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert child.stdout
    child.stdout.read(10)
    child.stdout.close()
    assert child.wait(60) == 0
    assert lines(root) == []


# Where it cannot be written


SPOILED: dict[str, Callable[[Path, Path], object]] = {
    "a file": lambda corner, _: corner.write_text("mine"),
    "a link": lambda corner, elsewhere: (elsewhere.mkdir(), corner.symlink_to(elsewhere)),
    "a dangling link": lambda corner, elsewhere: corner.symlink_to(elsewhere / "nowhere"),
    "a linked record": lambda corner, elsewhere: (
        corner.mkdir(),
        elsewhere.mkdir(),
        (elsewhere / "notes.txt").write_text("mine"),
        (corner / "runs.jsonl").symlink_to(elsewhere / "notes.txt"),
    ),
    "a pipe": lambda corner, _: (corner.mkdir(), os.mkfifo(corner / "runs.jsonl")),
    "a folder": lambda corner, _: (corner / "runs.jsonl").mkdir(parents=True),
}


@pytest.mark.parametrize("spoilt", SPOILED)
def test_a_record_that_cannot_be_is_not_missed(spoilt: str, root: Path, dctx: Dctx) -> None:
    whole = dctx("assemble", "builder", "--no-record")
    SPOILED[spoilt](corner(root), root.parent / "elsewhere")
    result = dctx("assemble", "builder")
    assert (result.code, result.out) == (whole.code, whole.out)
    assert not result.err or (corner(root).is_symlink() and result.err.count("\n") == 1)
    assert not record.add_run(str(root), a_run(), {})
    history = dctx("budget", "--history", "--json")
    assert (history.code, history.out) == (0, "[]\n")
    elsewhere = root.parent / "elsewhere"
    if elsewhere.exists():
        assert {path.name: path.read_text() for path in elsewhere.iterdir()} in (
            {},
            {"notes.txt": "mine"},
        )


@pytest.mark.parametrize("link", ["texts", "texts/*"])
def test_texts_are_not_written_or_forgotten_through_a_link(
    link: str, root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = root.parent / "elsewhere"
    folders = [f"{number:02x}" for number in range(256)]
    for folder in folders:
        (elsewhere / folder).mkdir(parents=True)
    precious = elsewhere / "ab" / ("ab" * 32)
    precious.write_text("mine")
    texts = corner(root) / "texts"
    (texts.parent if link == "texts" else texts).mkdir(parents=True)
    for folder in [""] if link == "texts" else folders:
        (texts / folder).symlink_to(elsewhere / folder)
    monkeypatch.setattr(record, "STRIDE", 1)
    monkeypatch.setattr(record, "MUCH_TEXT", 1)
    assert dctx("assemble", "builder").code == 0
    forget.forget(str(root))
    assert len(lines(root)) == 1
    assert [path for path in elsewhere.rglob("*") if path.is_file()] == [precious]


@needs_permissions
@pytest.mark.parametrize("place", [".director", ".director/.dctx"])
def test_a_folder_that_may_not_be_written_is_read_all_the_same(
    place: str, root: Path, dctx: Dctx
) -> None:
    (root / place).mkdir(exist_ok=True)
    (root / place).chmod(0o500)
    try:
        result = dctx("assemble", "builder")
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("<vision>") and lines(root) == []
    finally:
        (root / place).chmod(0o700)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device here is always full")
def test_a_full_disk_is_not_a_failure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        real = os.write
        monkeypatch.setattr(
            os, "write", lambda target, data: real(full if data.startswith(b"{") else target, data)
        )
        assert not record.add_run(str(root), a_run(), {})
    finally:
        os.close(full)


def test_garbage_in_the_record_is_passed_over_and_no_line_is_lost_to_it(
    root: Path, dctx: Dctx
) -> None:
    good = run_line(a_run(1))
    odd = json.loads(good)
    odd["sections"][0]["sha256"] = "../../../etc/passwd"
    deep = "[" * 100_000
    record = "\n".join(
        [
            "\x00\xff",
            "{}",
            "[1]",
            '"r"',
            deep,
            json.dumps(odd),
            "9" * 10_000,
            good.strip(),
            '{"id": "r12',
        ]
    )
    corner(root).mkdir()
    (corner(root) / "runs.jsonl").write_text(record)
    dctx("assemble", "builder")
    history = json.loads(dctx("budget", "--history", "--json").out)
    assert [run["used"] for run in history[:1]] == [1001]
    assert len(history) == 2, "a line that was cut short swallows no other"


# Its size


def fill(root: Path, count: int, texts: Callable[[int], dict[str, bytes]] = lambda _: {}) -> None:
    for number in range(count):
        assert record.add_run(str(root), a_run(number), texts(number))


def test_the_record_forgets_its_oldest_lines(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (storage, record):
        monkeypatch.setattr(module, "LARGEST_RECORD", 20_000)
    monkeypatch.setattr(forget, "LARGEST_RECORD", 20_000)
    sizes = []
    for number in range(300):
        record.add_run(str(root), a_run(number), {})
        sizes.append((corner(root) / "runs.jsonl").stat().st_size)
    assert max(sizes) <= 20_000
    kept = [int(run.id[1:], 16) for run in read_runs(str(root))]
    assert kept == list(range(kept[0], 300)) and kept[0] > 0


def test_no_more_runs_are_kept_than_five_hundred(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 520)
    monkeypatch.setattr(forget, "LARGEST_RECORD", 1_000_000)
    (corner(root) / "runs.jsonl").write_bytes(
        b"\n" * 1_000_001 + (corner(root) / "runs.jsonl").read_bytes()
    )
    forget.forget(str(root))
    assert [run.id for run in read_runs(str(root))] == [
        a_run(number).id for number in range(20, 520)
    ]


def test_only_the_texts_of_the_last_runs_are_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(80):
        ((name, data),) = text_of(number).items()
        run = a_run(number, sections=(RunSection("vision", 1, name),))
        assert record.add_run(str(root), run, {name: data})
    forget.forget(str(root))
    kept = {path.name for path in (corner(root) / "texts").rglob("*") if path.is_file()}
    assert kept == {name for number in range(30, 80) for name in text_of(number)}


def test_texts_never_take_more_room_than_they_may(root: Path) -> None:
    most = 0
    for number in range(60):
        ((name, data),) = text_of(number, 900_000).items()
        record.add_run(
            str(root), a_run(number, sections=(RunSection("vision", 1, name),)), {name: data}
        )
        most = max(
            most,
            sum(
                path.stat().st_size
                for path in (corner(root) / "texts").rglob("*")
                if path.is_file()
            ),
        )
    assert most < 20_000_000
    assert read_text(str(root), next(iter(text_of(59, 900_000)))) is not None, "the newest is there"


def test_what_a_killed_process_left_is_cleared_away(root: Path) -> None:
    fill(root, 1, text_of)
    ((name, _),) = text_of(0).items()
    left = [
        corner(root) / ".runs.jsonl.aabbccddeeff.tmp",
        corner(root) / "texts" / name[:2] / f"{name}.aabbccdd.tmp",
    ]
    for path in left:
        path.write_text("half")
    forget.forget(str(root))
    assert all(path.exists() for path in left), "somebody may be writing it"
    for path in left:
        os.utime(path, (1, 1))
    forget.forget(str(root))
    assert not any(path.exists() for path in left)


def test_a_text_that_was_damaged_is_not_shown(root: Path, dctx: Dctx) -> None:
    dctx("assemble", "builder")
    name = read_runs(str(root))[0].sections[0].sha256
    (corner(root) / "texts" / name[:2] / name).write_text("forged")
    assert read_text(str(root), name) is None
    dctx("assemble", "builder")
    assert read_text(str(root), name), "and is written anew by the next run"


# Several at once


WRITER = """
import sys
sys.path.insert(0, {tests!r})
from recorded_runs import a_run, text_of
from director_ctx.memory.runs import forget, record, storage
storage.LARGEST_RECORD = record.LARGEST_RECORD = forget.LARGEST_RECORD = {largest}
record.STRIDE = 1500
first = int(sys.argv[1])
for number in range(first, first + {count}):
    assert record.add_run({root!r}, a_run(number), text_of(number))
"""


def writers(root: Path, count: int, largest: int) -> list[subprocess.Popen[bytes]]:
    script = WRITER.format(
        tests=str(ROOT / "tests" / "support"),
        root=str(root),
        count=count,
        largest=largest,
    )
    return [
        subprocess.Popen(
            [sys.executable, "-c", script, str(first * 100_000)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for first in range(4)
    ]


def test_many_at_once_lose_no_line_and_mix_none(root: Path) -> None:
    for child in writers(root, 50, largest=10**9):
        assert child.wait(60) == 0
    found = [json.loads(line)["id"] for line in lines(root)]
    assert sorted(found) == sorted(
        a_run(first * 100_000 + number).id for first in range(4) for number in range(50)
    )


def test_a_line_that_comes_while_old_ones_are_forgotten_is_brought_over(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 5)
    monkeypatch.setattr(forget, "LARGEST_RECORD", 2_000)

    def meanwhile(place: str, data: bytes) -> None:
        with open(place, "ab") as record:
            record.write(run_line(a_run(99)).encode())
        write_whole(place, data)

    monkeypatch.setattr(forget, "write_whole", meanwhile)
    forget.forget(str(root))
    assert [run.id for run in read_runs(str(root))][-2:] == [a_run(4).id, a_run(99).id]


def test_a_line_that_went_to_the_old_file_is_written_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, 5)
    real, left = os.lseek, [1]

    def meanwhile(descriptor: int, *place: int) -> int:
        if left:
            left.pop()
            forget._shorten(str(corner(root) / "runs.jsonl"))
        return real(descriptor, *place)

    monkeypatch.setattr(os, "lseek", meanwhile)
    assert record.add_run(str(root), a_run(99), {}) and not left
    assert [run.id for run in read_runs(str(root))] == [
        a_run(number).id for number in (*range(5), 99)
    ]


def test_whoever_comes_second_forgets_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    fill(root, 5)
    monkeypatch.setattr(forget, "LARGEST_RECORD", 2_000)
    other = os.open(corner(root), os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    forget.forget(str(root))
    assert len(read_runs(str(root))) == 5
    os.close(other)
    forget.forget(str(root))
    assert len(read_runs(str(root))) < 5


# The line itself


def test_a_line_reads_back_as_the_run_it_was_made_of() -> None:
    run = a_run(7, agent='é\n"\u2028', task="", reductions=("a", "b"))
    line = run_line(run)
    assert line.endswith("\n") and line.count("\n") == 1 and line.isascii()
    assert parse_run(line) == run
    assert json.loads(line)["percent"] == run.percent


@given(
    st.one_of(
        st.binary(),
        st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps),
    )
)
def test_nothing_that_stands_in_a_line_raises(line: bytes | str) -> None:
    assert parse_run(line) is None


@pytest.mark.parametrize("key", sorted({*json.loads(run_line(a_run()))} - {"percent"}))
def test_a_line_with_something_else_in_it_is_no_run(key: str) -> None:
    given = json.loads(run_line(a_run()))
    for odd in (None, True, -1, 1.5, [1], {"a": 1}, "x" * 300):
        assert parse_run(json.dumps({**given, key: odd})) is None


@pytest.mark.parametrize("sha", ["", "ab", "a" * 63, "A" * 64, "/" * 64, "../" + "a" * 61])
def test_what_is_no_hash_is_never_looked_for(sha: str) -> None:
    good = json.loads(run_line(a_run()))
    assert parse_run(json.dumps(good))
    assert (
        parse_run(json.dumps({**good, "sections": [{"tag": "task", "tokens": 1, "sha256": sha}]}))
        is None
    )


# History


def test_history_shows_how_contexts_grew_newest_last(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    for number, (agent, used) in enumerate(
        [("builder", 1000), ("planner", 5000), ("builder", 1312), ("builder", 1312)]
    ):
        record.add_run(
            str(root),
            a_run(number, agent=agent, used=used, task="" if agent == "planner" else "1/1/1"),
            {},
        )
    out = dctx("budget", "--history").out
    assert out == (
        "Run      Time              Agent    Task   Tokens  Growth  Window  Status         Cut\n"
        "-------------------------------------------------------------------------------------\n"
        "r000000  2026-01-02 05:04  builder  1/1/1   1,000            0.5%  within budget\n"
        "r000001  2026-01-02 05:04  planner  -       5,000            2.5%  within budget\n"
        "r000002  2026-01-02 05:04  builder  1/1/1   1,312    +312    0.7%  within budget\n"
        "r000003  2026-01-02 05:04  builder  1/1/1   1,312       0    0.7%  within budget\n"
    )
    only = dctx("budget", "planner", "--history").out.splitlines()
    assert [line.split()[0] for line in only[2:]] == ["r000001"]
    assert dctx("budget", "PLANNER", "--history").out.splitlines() == only
    data = json.loads(dctx("budget", "builder", "--history", "--json").out)
    assert [(run["id"], run["growth"]) for run in data] == [
        ("r000000", None),
        ("r000002", 312),
        ("r000003", 0),
    ]
    monkeypatch.delenv("TZ")
    time.tzset()


def test_history_shows_the_last_twenty_and_json_all(root: Path, dctx: Dctx) -> None:
    fill(root, 25)
    out = dctx("budget", "--history").out.splitlines()
    assert [line.split()[0] for line in out[2:22]] == [a_run(number).id for number in range(5, 25)]
    assert out[2].split()[6] == "+1", "growth is told against a run that is not shown"
    assert out[22:] == ["The last 20 of 25; --json lists them all."]
    assert len(json.loads(dctx("budget", "--history", "--json").out)) == 25


def test_an_empty_history_is_a_sentence(root: Path, dctx: Dctx) -> None:
    result = dctx("budget", "--history")
    assert (result.code, result.out) == (
        0,
        "No context is on record yet; `dctx assemble` puts one there.\n",
    )
    assert dctx("budget", "planner", "--history").out.startswith(
        "No context for planner is on record yet"
    )
    assert dctx("budget", "--history", "--json").out == "[]\n"


@pytest.mark.parametrize(
    "words", [("--all",), ("--what-if",), ("--task", "3"), ("--raw",)], ids=" ".join
)
def test_history_takes_no_option_that_makes_a_context(
    words: tuple[str, ...], root: Path, dctx: Dctx
) -> None:
    result = dctx("budget", "--history", *words)
    assert (result.code, result.out) == (2, "")


def test_a_record_cannot_send_anything_to_the_terminal(root: Path, dctx: Dctx) -> None:
    record.add_run(
        str(root), a_run(1, agent="\x1b[31mred", time="\x07", status="\r\n", task="\x9b"), {}
    )
    out = dctx("budget", "--history").out
    assert "red" in out
    assert all(char.isprintable() or char == "\n" for char in out) and out.count("\n") == 3
