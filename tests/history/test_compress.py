"""`dctx compress` as a pipe: what comes out, what is said, and what happens when something is in
its way.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, process, write
from histories import acted, said, user
from talks import run, text

import director_ctx
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.history.compress import keep_patterns
from director_ctx.history.compress.compress import TargetMissed
from director_ctx.history.compress.keep import NotArchived
from director_ctx.history.compress.options import share, whole
from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import CALL, RESULT, SYSTEM, TEXT, USER, Block, Message
from director_ctx.history.strategies.keep import compiled, keeping
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import NO_RESULT

Run = Callable[..., Result]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run()))
    return path


def shortened(result: Result) -> Any:
    assert result.code == 0, result
    return json.loads(result.out)


def home() -> Path:
    return Path.home() / ".local/state/dctx/store.db"


def shell(command: str, cwd: Path) -> Result:
    """Runs a line of bash in which `dctx` is the program."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    line = command.replace("dctx", f"{sys.executable} -m director_ctx")
    done = subprocess.run(["bash", "-c", line], capture_output=True, cwd=cwd, env=env, check=False)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# What comes out


def test_the_shorter_conversation_is_printed_and_two_sentences_are_said(
    dctx: Run, source: Path
) -> None:
    before = source.read_bytes()
    result = dctx("compress", str(source), "--strategy", "clear", cwd=source.parent)
    after = shortened(result)
    assert len(after) == len(run()) and len(result.out) < len(before)
    assert "by clear" in result.err and "receipt" in result.err and "Traceback" not in result.err
    assert source.read_bytes() == before


def test_standard_input_is_read_where_no_file_is_named(source: Path) -> None:
    named = process("compress", str(source), "--set", "window_size=4", cwd=source.parent)
    for words in (
        ("compress", "--set", "window_size=4"),
        ("compress", "-", "--set", "window_size=4"),
    ):
        assert process(*words, cwd=source.parent, stdin=source.read_bytes()).out == named.out


def test_with_a_target_or_nothing_it_is_hybrid_and_with_a_window_what_looks_at_it(
    dctx: Run, source: Path
) -> None:
    for words, name in (
        ((), "hybrid"), (("--set", "window_size=3"), "sliding_window"), (("--ratio", "20%"), "hybrid"),
        (("--target-tokens", "900"), "hybrid"), (("--set", "window_size=3", "--strategy", "auto"), "auto"),
    ):  # fmt: skip
        made = json.loads(dctx("compress", str(source), *words, "--dry-run", cwd=source.parent).out)
        assert made["strategy"] == name


def test_a_target_among_the_settings_is_a_target(dctx: Run, source: Path) -> None:
    words = ("compress", str(source), "--set", "target_tokens=900", "--dry-run")
    made = json.loads(dctx(*words, cwd=source.parent).out)
    assert (made["strategy"], made["target"]) == ("hybrid", 900)
    assert json.loads(dctx(*words, "--target-tokens", "700").out)["target"] == 700
    assert json.loads(dctx(*words, "--ratio", "0.5").out)["target"] == made["tokens_in"] // 2


def test_a_window_and_a_target_need_the_name_of_a_strategy() -> None:
    with pytest.raises(UsageProblem, match="ratio takes hybrid"):
        director_ctx.compress(run(), window=3, ratio=0.2)


def test_where_things_are_kept_is_said_only_when_something_is(dctx: Run, source: Path) -> None:
    outside = "Outside of a project, so the store is"
    for words in (("nowhere.json",), (str(source), "--dry-run"), (str(source), "--ratio", "1")):
        assert outside not in dctx("compress", *words, cwd=source.parent).err
    made = dctx("compress", str(source), "--strategy", "clear")
    assert outside in made.err
    (source.parent / "short.json").write_text(made.out)
    assert outside not in dctx("restore", "short.json").err


def test_a_dry_run_prints_the_receipt_and_archives_nothing(dctx: Run, source: Path) -> None:
    made = json.loads(
        dctx("compress", str(source), "--strategy", "clear", "-n", cwd=source.parent).out
    )
    keys = "id format strategy counter target met why_not tokens_in tokens_out cuts"
    assert set(made) == set(keys.split())
    keys = "locator message block kind tool before after action"
    assert set(made["cuts"][0]) == set(keys.split())
    assert made["tokens_in"] - made["tokens_out"] == sum(
        one["before"] - one["after"] for one in made["cuts"]
    )
    assert not home().exists()


def test_the_receipt_is_written_beside_the_result(dctx: Run, source: Path) -> None:
    result = dctx(
        "compress", str(source), "--strategy", "clear", "--receipt", "r.json", cwd=source.parent
    )
    receipt = json.loads((source.parent / "r.json").read_text())
    assert receipt["id"][:12] in result.err and f"{len(receipt['cuts'])} blocks cut" in result.err


def test_the_difference_shows_what_the_model_reads(dctx: Run, source: Path) -> None:
    result = dctx("compress", str(source), "--strategy", "clear", "--diff", cwd=source.parent)
    assert (
        "@@ message 3, tool, result bash: " in result.out and "-What the tool said 0." in result.out
    )
    assert "+[… result of bash" in result.out and not home().exists()


def test_what_a_terminal_would_obey_is_not_shown(dctx: Run, tmp_path: Path) -> None:
    odd = "\x1b]0;title\x07\x1b[2J\x9b31m\u202eturned\u2066\x08\r\x00\x7f\tend"
    made = [
        *user(odd),
        *(one for n in range(9) for one in acted(f"ls{odd}", {"n": odd}, f"{odd} {n}\n" * 99)),
        *said(odd),
    ]
    (tmp_path / "odd.json").write_text(json.dumps(made))
    for words in (
        ("compress", "odd.json", "--set", "window_size=3", "--diff"),
        ("history", "show", "odd.json", "--full"),
    ):
        shown = dctx(*words, cwd=tmp_path).out
        assert "turned" in shown and "\tend" in shown
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize(
    "line",
    ["dctx compress run.json --receipt other", "dctx compress --receipt run.json < run.json",
     "cat run.json | dctx compress --receipt run.json"],
)  # fmt: skip
def test_a_receipt_never_takes_the_place_of_its_source(line: str, source: Path) -> None:
    before = source.read_bytes()
    os.link(source, source.parent / "other")
    done = shell(line, source.parent)
    assert done.code == 2 and "the history itself" in done.err and not done.out
    assert source.read_bytes() == before and not home().exists()


def test_a_receipt_that_cannot_be_written_is_said_before_anything_is_kept(
    dctx: Run, source: Path
) -> None:
    for place in ("nowhere/r.json", ".", "r/"):
        result = dctx(
            "compress", str(source), "--set", "window_size=3", "--receipt", place, cwd=source.parent
        )
        assert result.code == 1 and not result.out and "hint" in result.err and not home().exists()


def test_what_needs_no_cut_is_printed_to_the_byte(dctx: Run, tmp_path: Path) -> None:
    odd = '[ {"role" : "user", "content": "hi", "n": 1e2} ]\n\n'
    (tmp_path / "a.json").write_text(odd)
    result = dctx("compress", "a.json", "--ratio", "0.5", cwd=tmp_path)
    assert result.out == odd and "Nothing was cut" in result.err and "was not met" in result.err
    assert not home().exists()


def test_an_unreachable_target_gives_the_smallest(dctx: Run, source: Path) -> None:
    result = dctx("compress", str(source), "--target-tokens", "5", cwd=source.parent)
    assert result.code == 0 and len(result.out) < len(source.read_text())
    assert "The target of 5 tokens was not met: what is protected alone has" in result.err
    with pytest.raises(TargetMissed, match="not met"):
        director_ctx.compress(run(), target_tokens=5, strict=True)
    assert director_ctx.compress(run(), target_tokens=2000, strict=True).receipt.met


def test_another_format_comes_out_on_demand_and_is_known_again(dctx: Run, source: Path) -> None:
    words = ("--strategy", "clear", "--to", "anthropic")
    other = dctx("compress", str(source), *words, cwd=source.parent)
    (source.parent / "other.json").write_text(other.out)
    assert "tool_result" in other.out
    again = dctx("compress", "other.json", "--strategy", "clear")
    assert again.out == other.out
    assert dctx("restore", "other.json").out == source.read_text()


@pytest.mark.parametrize("form", FORMATS)
def test_in_another_format_the_task_is_still_the_users_first_message(
    form: str, dctx: Run, tmp_path: Path
) -> None:
    asked = [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "Fix it. " * 99},
    ]
    (tmp_path / "a.json").write_text(json.dumps([*asked, *run()[1:]]))
    result = dctx("compress", "a.json", "--ratio", "0.2", "--to", form, cwd=tmp_path)
    first, second = read(result.out.encode(), form).messages[:2]
    assert (first.role, first.blocks[0].text) == (SYSTEM, asked[0]["content"])
    assert (second.role, second.blocks[0].text) == (USER, asked[1]["content"])
    assert ("has no system prompt" in result.err) == (form == "claude-code")


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in {"openai-chat"}])
def test_what_only_its_own_program_took_is_mended_for_another_provider(
    form: str, dctx: Run, tmp_path: Path
) -> None:
    ended = [*run(1)[:2], {"role": "exit", "content": "The patch."}]
    (tmp_path / "a.json").write_text(json.dumps(ended))
    assert dctx("doctor", "a.json", cwd=tmp_path).code == 0
    result = dctx("compress", "a.json", "--to", form, cwd=tmp_path)
    there = read(result.out.encode(), form)
    assert check(there) == [] and "The patch." in result.out and NO_RESULT in result.out
    assert f"Mended for {form}: The call bash" in result.err


def test_the_format_of_claude_code_may_be_called_as_the_client_is(dctx: Run, source: Path) -> None:
    words = ("--strategy", "clear", "--to")
    made = [
        dctx("compress", str(source), *words, name, cwd=source.parent).out
        for name in ("claude", "claude-code")
    ]
    assert made[0] == made[1]
    (source.parent / "s.jsonl").write_text(made[0])
    same = dctx(
        "compress",
        "s.jsonl",
        "--from",
        "claude",
        "--set",
        "window_size=9999",
        "--to",
        "claude",
        cwd=source.parent,
    )
    assert same.out and "words of the client" not in same.err


def test_utf16_and_a_mark_at_the_start_are_read(dctx: Run, tmp_path: Path) -> None:
    for number, encoding in enumerate(("utf-16", "utf-8-sig")):
        path = tmp_path / f"{number}.json"
        path.write_bytes(json.dumps(run()).encode(encoding))
        once = dctx("compress", str(path), "--strategy", "clear", cwd=tmp_path)
        assert len(shortened(once)) == len(run())
        (tmp_path / "once.json").write_text(once.out)
        assert dctx("compress", "once.json", "--strategy", "clear").out == once.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ratio", "2"), "not a share"), (("--ratio", "20"), "Did you mean 20%?"),
        (("--set", "keep=x"), "--keep says it"), (("--set", "ratio=0.2"), "--ratio says it"),
        (("--ratio", "no"), "not a share"), (("--ratio", "0"), "not a share"),
        (("--target-tokens", "0"), "no number"), (("--set", "window_size=-3"), "window_size"),
        (("--ratio", "nan"), "not a share"),
        (("--ratio", "0.2", "--target-tokens", "9"), "exclude"), (("--keep", "("), "no regular expression"),
        (("--keep", "(a+)+b"), "take for ever"), (("--set", "nothing=1"), "nothing"),
        (("--set", "windw_size=3"), "windw_size"),
        (("--strategy", "foo"), "There is no strategy 'foo'."),
    ],
)  # fmt: skip
def test_a_mistake_on_the_command_line_is_said_before_anything_is_read(
    words: tuple[str, ...], said: str, dctx: Run, tmp_path: Path
) -> None:
    result = dctx("compress", "nowhere.json", *words, cwd=tmp_path)
    assert result.code == 2 and said in result.err and not result.out


def test_a_file_that_the_shell_emptied_is_explained(source: Path) -> None:
    done = shell("dctx compress run.json > run.json", source.parent)
    assert done.code == 1 and "A shell empties the file behind >" in done.err


def test_numbers_and_shares_are_read_as_people_write_them() -> None:
    assert (whole("20k", ""), whole("20,000", ""), whole("20_000", "")) == (20_000,) * 3
    assert (share("20%"), share("0.2"), share("1")) == (0.2, 0.2, 1.0)


def test_what_auto_chose_is_said_and_the_receipt_says_auto(dctx: Run, source: Path) -> None:
    words = ("compress", str(source), "--strategy", "auto", "--ratio")
    done = dctx(*words, "0.2", "--receipt", "r.json", cwd=source.parent)
    assert "by auto: hybrid, " in done.err
    assert json.loads((source.parent / "r.json").read_text())["strategy"] == "auto"
    done = dctx(*words, "1", cwd=source.parent)
    assert "Nothing was cut of 2,734 tokens: they are within the target" in done.err


# What is kept


def test_patterns_keep_what_they_match(dctx: Run, source: Path) -> None:
    words = (
        "compress",
        str(source),
        "--strategy",
        "clear",
        "--keep",
        r"said 3\.",
        "--keep",
        r"said 5\.",
    )
    after = shortened(dctx(*words, cwd=source.parent))
    whole = [number for number in range(12) if any(one["content"] == text(number) for one in after)]
    assert {3, 5} <= set(whole) and 4 not in whole


def test_patterns_that_repeat_a_repetition_are_refused_and_others_are_not() -> None:
    for good in (r"a+b+", r"(ab)+", r"(a|b)+", r"(?:\w+\.)?\w+\(", r"x{2,5}", "(a+)?", "(a+){3}"):
        compiled(good)
    for bad in (r"(a+)+", r"(\w+\s*)*", r"((a*))*x", r"(?:a+|b)+", r"(a+){2,}"):
        with pytest.raises(UsageProblem, match="take for ever"):
            compiled(bad)


@pytest.mark.parametrize(
    "pattern",
    ["(a|a)*b", "x{1,30}x{1,30}x{1,30}x{1,30}x{1,30}y", ".*.*.*.*.*.*.*=x"],
)
def test_a_pattern_that_finds_no_end_is_stopped(
    pattern: str, dctx: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_patterns, "SEARCH_SECONDS", 0.2)
    (tmp_path / "xs.json").write_text(
        json.dumps([*user("Go."), *said("x" * 52), *said("x" * 5_000), *said("a" * 5_000), *run()])
    )
    result = dctx("compress", "xs.json", "--strategy", "clear", "--keep", pattern, cwd=tmp_path)
    assert (
        result.code == 2
        and "without an end" in result.err
        and not result.out
        and not home().exists()
    )


def test_the_task_and_the_decisions_of_a_context_are_kept_but_not_in_what_a_tool_said() -> None:
    ours = "Intro.\n<task>\n# Task: Do it\n</task>\n"
    messages = [Message("user", [Block(TEXT, ours)]), Message("tool", [Block(RESULT, ours + "!")])]
    keep = keeping(messages)
    assert keep is not None and keep(ours) and not keep(ours + "!")
    assert keeping([Message("user", [Block(TEXT, "a <task> alone")])]) is None


def test_the_newest_reading_of_a_task_or_step_is_kept() -> None:
    path = '{"file_path": "/p/.director/goals/01-a/02-b/%s"}'
    read = {"old": "tasks/01-c.md", "step": "STEP.md", "new": "tasks/01-c.md", "notes": "notes.md"}
    messages = [
        message
        for text, name in read.items()
        for message in (
            Message("assistant", [Block(CALL, path % name, call=text)]),
            Message("tool", [Block(RESULT, text, call=text)]),
        )
    ]
    keep = keeping(messages)
    assert keep is not None and [text for text in read if keep(text)] == ["step", "new"]


# What is in its way


def unchanged(result: Result, source: Path) -> None:
    assert result.code == 1 and result.out == source.read_text(), result
    assert (
        "Nothing was cut, because the originals could not be kept" in result.err
        and "Traceback" not in result.err
    )


def test_a_locked_store_prints_the_input(
    dctx: Run, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dctx("compress", str(source), "--set", "window_size=3", cwd=source.parent).code == 0
    monkeypatch.setattr("director_ctx.history.compress.compress.PATIENCE", 0.2)
    other = sqlite3.connect(home(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    unchanged(dctx("compress", str(source), "--strategy", "clear"), source)
    other.close()
    assert dctx("compress", str(source), "--strategy", "clear").code == 0


def test_a_store_that_is_none_prints_the_input(dctx: Run, source: Path) -> None:
    home().parent.mkdir(parents=True)
    home().write_bytes(b"no database, but long enough to be taken for one" * 100)
    unchanged(dctx("compress", str(source), "--strategy", "clear", cwd=source.parent), source)


def test_a_disk_that_is_full_prints_the_input(source: Path) -> None:
    source.write_text(json.dumps(run(400)))
    line = "ulimit -f 100; exec dctx compress run.json --strategy clear"  # of 1,024 bytes in bash
    unchanged(shell(line, source.parent), source)


def test_an_output_that_is_full_or_closed_is_no_traceback(source: Path) -> None:
    source.write_text(json.dumps(run(400)))
    for end, code in (("> /dev/full", 1), ("| head -c 10", 0), (">&-", 1)):
        line = f"set -o pipefail; dctx compress run.json --strategy clear {end}"
        done = shell(line, source.parent)
        assert done.code == code and "Traceback" not in done.err, done
    assert process("restore", newest(), cwd=source.parent).out == source.read_text()


def newest() -> str:
    with sqlite3.connect(home()) as connection:
        [(receipt,)] = connection.execute(
            "SELECT receipt FROM dctx_compressions ORDER BY created_at DESC LIMIT 1"
        )
    connection.close()
    return str(receipt)


def test_whoever_is_killed_while_printing_has_archived_everything(source: Path) -> None:
    source.write_text(json.dumps(run(1000)))
    running = subprocess.Popen(
        [sys.executable, "-m", "director_ctx", "compress", "run.json", "--strategy", "clear"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=source.parent,
    )
    assert running.stdout
    first = running.stdout.read(1)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    running.stdout.close()
    assert first == b"[" and running.returncode == -signal.SIGKILL
    assert process("restore", newest(), cwd=source.parent).out == source.read_text()


def test_two_at_once_both_succeed(source: Path) -> None:
    line = "dctx compress run.json --strategy clear"
    done = shell(f"{line} > a & {line} > b; code=$?; wait $! && exit $code", source.parent)
    first, second = ((source.parent / name).read_bytes() for name in "ab")
    assert done.code == 0 and first == second != b""


def test_a_project_has_its_own_archive(dctx: Run, source: Path) -> None:
    root = write(source.parent / "project", {"VISION.md": "# Vision\n"})
    made = dctx("compress", str(source), "--strategy", "clear", cwd=root)
    assert (
        made.code == 0
        and not home().exists()
        and (root / ".director/.dctx/store.db").stat().st_mode & 0o077 == 0
    )
    (source.parent / "short.json").write_text(made.out)
    assert dctx("restore", "../short.json", cwd=root).out == source.read_text()
    assert dctx("restore", "short.json", cwd=source.parent).code == 1


def test_what_was_archived_outside_of_a_project_is_found_in_one(dctx: Run, source: Path) -> None:
    made = dctx("compress", str(source), "--strategy", "clear", cwd=source.parent)
    (source.parent / "short.json").write_text(made.out)
    root = write(source.parent / "project", {"VISION.md": "# Vision\n"})
    assert dctx("restore", "../short.json", cwd=root).out == source.read_text()


# The library


def test_the_library_shortens_a_document_and_leaves_it_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    messages, before = run(), run()
    made = director_ctx.compress(messages, ratio=0.3)
    assert messages == before and made.receipt.met and len(made.document) < len(messages)
    assert director_ctx.restore(made.document) == messages == director_ctx.restore(made.receipt.id)
    data = json.dumps(messages).encode()
    assert director_ctx.restore(director_ctx.compress(data, window=3).data) == data


def test_the_library_says_what_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in ({"ratios": 1}, {"ratio": 0.1, "target_tokens": 3}, {"strategy": "magic"}):
        with pytest.raises(UsageProblem):
            director_ctx.compress(run(), **wrong)
    with pytest.raises(TargetMissed):
        director_ctx.compress(run(), target_tokens=3, strict=True)
    with pytest.raises(DctxError, match="knows no compression"):
        director_ctx.restore(run())


def test_the_library_raises_where_nothing_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home().parent.mkdir(parents=True)
    home().mkdir()
    with pytest.raises(NotArchived):
        director_ctx.compress(run(), window=3)
    assert director_ctx.compress(run(), window=3, archive=False).receipt.cuts


def test_what_is_no_conversation_is_named(tmp_path: Path, dctx: Callable[..., Result]) -> None:
    (tmp_path / "README.md").write_text("# A boat\n")
    result = dctx("compress", "README.md", cwd=tmp_path)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("dctx: README.md: This is neither JSON nor JSON lines")
