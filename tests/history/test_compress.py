"""`dctx compress`: what comes out, what is said, and what happens when something is in its way."""

from __future__ import annotations

import io
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
from director_ctx.doors.cli.conversations.compress import ProgressLine
from director_ctx.history.compress import keep_patterns
from director_ctx.history.compress.compress import TargetMissed
from director_ctx.history.compress.keep import NotArchived
from director_ctx.history.compress.options import share, whole
from director_ctx.history.compress.progress import DONE
from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import CALL, RESULT, SYSTEM, TEXT, USER, Block, Message
from director_ctx.history.strategies.keep import compiled, keeping
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import NO_RESULT

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A conversation in the folder where everything runs."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run()))
    return path


def shortened(result: Result) -> Any:
    assert result.code == 0, result
    return json.loads(result.out)


def home() -> Path:
    return Path.home() / ".local/state/dctx/store.db"


def shell(command: str) -> Result:
    """Runs a line of bash in which `dctx` is the program."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    line = command.replace("dctx", f"{sys.executable} -m director_ctx")
    done = subprocess.run(["bash", "-c", line], capture_output=True, env=env, check=False)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# What comes out


def test_the_shorter_conversation_is_printed_and_two_sentences_are_said(
    dctx: Run, source: Path
) -> None:
    before = source.read_bytes()
    result = dctx("compress", "run.json", "--strategy", "clear")
    after = shortened(result)
    assert len(after) == len(run()) and len(result.out) < len(before)
    assert "by clear" in result.err and "receipt" in result.err and "Traceback" not in result.err
    assert source.read_bytes() == before


def test_standard_input_is_read_where_no_file_is_named(dctx: Run, source: Path) -> None:
    named = dctx("compress", "run.json", "--strategy", "clear")
    for words in (("--strategy", "clear"), ("-", "--strategy", "clear")):
        piped = process("compress", *words, cwd=Path(), stdin=source.read_bytes())
        assert piped.out == named.out


def test_with_a_target_or_nothing_it_is_hybrid_and_with_a_window_what_looks_at_it(
    dctx: Run,
) -> None:
    for words, name in (
        ("", "hybrid"), ("--set window_size=3", "sliding_window"), ("--ratio 20%", "hybrid"),
        ("--target-tokens 900", "hybrid"), ("--set window_size=3 --strategy auto", "auto"),
    ):  # fmt: skip
        made = json.loads(dctx("compress", "run.json", *words.split(), "--dry-run").out)
        assert made["strategy"] == name


def test_a_target_among_the_settings_is_a_target(dctx: Run) -> None:
    words = ("compress", "run.json", "--set", "target_tokens=900", "--dry-run")
    made = json.loads(dctx(*words).out)
    assert (made["strategy"], made["target"]) == ("hybrid", 900)
    assert json.loads(dctx(*words, "--target-tokens", "700").out)["target"] == 700
    assert json.loads(dctx(*words, "--ratio", "0.5").out)["target"] == made["tokens_in"] // 2


def test_where_things_are_kept_is_said_only_when_something_is(dctx: Run) -> None:
    outside = "Outside of a project, so the store is"
    for words in (("nowhere.json",), ("run.json", "--dry-run"), ("run.json", "--ratio", "1")):
        assert outside not in dctx("compress", *words).err
    made = dctx("compress", "run.json", "--strategy", "clear")
    assert outside in made.err
    Path("short.json").write_text(made.out)
    assert outside not in dctx("restore", "short.json").err


def test_a_dry_run_prints_the_receipt_and_archives_nothing(dctx: Run) -> None:
    made = json.loads(dctx("compress", "run.json", "--strategy", "clear", "-n").out)
    keys = "id format strategy counter target met why_not tokens_in tokens_out cuts"
    assert set(made) == set(keys.split())
    keys = "locator message block kind tool before after action"
    assert set(made["cuts"][0]) == set(keys.split())
    assert made["tokens_in"] - made["tokens_out"] == sum(
        one["before"] - one["after"] for one in made["cuts"]
    )
    assert not home().exists()


def test_the_receipt_is_written_beside_the_result(dctx: Run) -> None:
    result = dctx("compress", "run.json", "--strategy", "clear", "--receipt", "r.json")
    receipt = json.loads(Path("r.json").read_text())
    assert receipt["id"][:12] in result.err and f"{len(receipt['cuts'])} blocks cut" in result.err


def test_the_difference_shows_what_the_model_reads(dctx: Run) -> None:
    result = dctx("compress", "run.json", "--strategy", "clear", "--diff")
    assert (
        "@@ message 3, tool, result bash: " in result.out and "-What the tool said 0." in result.out
    )
    assert "+[… result of bash" in result.out and not home().exists()


def test_what_a_terminal_would_obey_is_not_shown(dctx: Run) -> None:
    odd = "\x1b]0;title\x07\x1b[2J\x9b31m\u202eturned\u2066\x08\r\x00\x7f\tend"
    made = [
        *user(odd),
        *(one for n in range(9) for one in acted(f"ls{odd}", {"n": odd}, f"{odd} {n}\n" * 99)),
        *said(odd),
    ]
    Path("odd.json").write_text(json.dumps(made))
    for words in (
        ("compress", "odd.json", "--set", "window_size=3", "--diff"),
        ("history", "show", "odd.json", "--full"),
    ):
        shown = dctx(*words).out
        assert "turned" in shown and "\tend" in shown
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize(
    "line",
    ["dctx compress run.json --receipt other", "dctx compress --receipt run.json < run.json",
     "cat run.json | dctx compress --receipt run.json"],
)  # fmt: skip
def test_a_receipt_never_takes_the_place_of_its_source(line: str, source: Path) -> None:
    before = source.read_bytes()
    os.link(source, Path("other"))
    done = shell(line)
    assert done.code == 2 and "the history itself" in done.err and not done.out
    assert source.read_bytes() == before and not home().exists()


def test_a_receipt_that_cannot_be_written_is_said_before_anything_is_kept(dctx: Run) -> None:
    for place in ("nowhere/r.json", ".", "r/"):
        result = dctx("compress", "run.json", "--set", "window_size=3", "--receipt", place)
        assert result.code == 1 and not result.out and "hint" in result.err and not home().exists()


def test_what_needs_no_cut_is_printed_to_the_byte(dctx: Run) -> None:
    odd = '[ {"role" : "user", "content": "hi", "n": 1e2} ]\n\n'
    Path("a.json").write_text(odd)
    result = dctx("compress", "a.json", "--ratio", "0.5")
    assert result.out == odd and "Nothing was cut" in result.err and "was not met" in result.err
    assert not home().exists()


def test_an_unreachable_target_gives_the_smallest(dctx: Run, source: Path) -> None:
    result = dctx("compress", "run.json", "--target-tokens", "5")
    assert result.code == 0 and len(result.out) < len(source.read_text())
    assert "The target of 5 tokens was not met: what is protected alone has" in result.err
    with pytest.raises(TargetMissed, match="not met"):
        director_ctx.compress(run(), target_tokens=5, strict=True)
    assert director_ctx.compress(run(), target_tokens=2000, strict=True).receipt.met


def test_another_format_comes_out_on_demand_and_is_known_again(dctx: Run, source: Path) -> None:
    words = ("--strategy", "clear", "--to", "anthropic")
    other = dctx("compress", "run.json", *words)
    Path("other.json").write_text(other.out)
    assert "tool_result" in other.out
    again = dctx("compress", "other.json", "--strategy", "clear")
    assert again.out == other.out
    assert dctx("restore", "other.json").out == source.read_text()


@pytest.mark.parametrize("form", FORMATS)
def test_in_another_format_the_task_is_still_the_users_first_message(form: str, dctx: Run) -> None:
    asked = [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "Fix it. " * 99},
    ]
    Path("a.json").write_text(json.dumps([*asked, *run()[1:]]))
    result = dctx("compress", "a.json", "--ratio", "0.2", "--to", form)
    first, second = read(result.out.encode(), form).messages[:2]
    assert (first.role, first.blocks[0].text) == (SYSTEM, asked[0]["content"])
    assert (second.role, second.blocks[0].text) == (USER, asked[1]["content"])
    assert ("has no system prompt" in result.err) == (form == "claude-code")


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in {"openai-chat"}])
def test_what_only_its_own_program_took_is_mended_for_another_provider(
    form: str, dctx: Run
) -> None:
    ended = [*run(1)[:2], {"role": "exit", "content": "The patch."}]
    Path("a.json").write_text(json.dumps(ended))
    assert dctx("doctor", "a.json").code == 0
    result = dctx("compress", "a.json", "--to", form)
    there = read(result.out.encode(), form)
    assert check(there) == [] and "The patch." in result.out and NO_RESULT in result.out
    assert f"Mended for {form}: The call bash" in result.err


def test_the_format_of_claude_code_may_be_called_as_the_client_is(dctx: Run) -> None:
    words = ("--strategy", "clear", "--to")
    made = [dctx("compress", "run.json", *words, name).out for name in ("claude", "claude-code")]
    assert made[0] == made[1]
    Path("s.jsonl").write_text(made[0])
    same = dctx(
        "compress",
        "s.jsonl",
        "--from",
        "claude",
        "--set",
        "window_size=9999",
        "--to",
        "claude",
    )
    assert same.out and "words of the client" not in same.err


def test_utf16_and_a_mark_at_the_start_are_read(dctx: Run, source: Path) -> None:
    for encoding in ("utf-16", "utf-8-sig"):
        source.write_bytes(json.dumps(run()).encode(encoding))
        once = dctx("compress", "run.json", "--strategy", "clear")
        assert len(shortened(once)) == len(run())
        Path("once.json").write_text(once.out)
        assert dctx("compress", "once.json", "--strategy", "clear").out == once.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--ratio 2", "not a share"), ("--ratio 20", "Did you mean 20%?"), ("--ratio no", "not a share"),
        ("--ratio 0", "not a share"), ("--ratio nan", "not a share"), ("--target-tokens 0", "no number"),
        ("--ratio 0.2 --target-tokens 9", "exclude"), ("--strategy foo", "There is no strategy 'foo'."),
        ("--keep (", "no regular expression"), ("--keep (a+)+b", "take for ever"),
        ("--set keep=x", "--keep says it"), ("--set ratio=0.2", "--ratio says it"),
        ("--set windw_size=3", "windw_size"), ("--set window_size=-3", "window_size"),
    ],
)  # fmt: skip
def test_a_mistake_on_the_command_line_is_said_before_anything_is_read(
    words: str, said: str, dctx: Run
) -> None:
    result = dctx("compress", "nowhere.json", *words.split())
    assert result.code == 2 and said in result.err and not result.out


def test_a_file_that_the_shell_emptied_is_explained(source: Path) -> None:
    done = shell("dctx compress run.json > run.json")
    assert done.code == 1 and "A shell empties the file behind >" in done.err


def test_numbers_and_shares_are_read_as_people_write_them() -> None:
    assert (whole("20k", ""), whole("20,000", ""), whole("20_000", "")) == (20_000,) * 3
    assert (share("20%"), share("0.2"), share("1")) == (0.2, 0.2, 1.0)


def test_what_auto_chose_is_said_and_the_receipt_says_auto(dctx: Run) -> None:
    done = dctx(
        "compress", "run.json", "--strategy", "auto", "--ratio", "0.2", "--receipt", "r.json"
    )
    assert "by auto: hybrid, " in done.err
    assert json.loads(Path("r.json").read_text())["strategy"] == "auto"


# What is said


def test_why_a_target_was_not_met_is_what_is_protected_or_the_strategy(dctx: Run) -> None:
    words = ("compress", "run.json", "--dry-run", "--target-tokens", "5")
    assert json.loads(dctx(*words).out)["why_not"].startswith("what is protected alone has ")
    wide = json.loads(dctx(*words, "--strategy", "sliding_window", "--set", "window_size=60").out)
    why = f"sliding_window cannot cut more than to {wide['tokens_out']:,}; "
    assert wide["why_not"].startswith(why)
    assert wide["why_not"].endswith(" tokens are protected.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--target-tokens 900000", "they are within the target of 900,000."),
        ("--set window_size=900", "sliding_window finds nothing to cut."),
        ("--strategy hybrid", "they are within the target of 20,000."),
        ("--strategy auto", " by auto: nothing: "),
        (
            "--strategy auto --ratio 1",
            "Nothing was cut of 2,734 tokens: they are within the target",
        ),
        (
            "--set enabled=false",
            "Nothing was cut of 2,734 tokens.\n",
        ),
        ("--set enabled=false --ratio 0.1", "enabled: false, so everything stays"),
    ],
)
def test_why_nothing_was_cut_is_said(words: str, said: str, dctx: Run, source: Path) -> None:
    made = dctx("compress", "run.json", *words.split())
    assert (made.code, made.out) == (0, source.read_text()) and said in made.err


def test_what_is_not_enabled_leaves_what_is_shorter_as_it_is(dctx: Run) -> None:
    short = dctx("compress", "run.json", "--strategy", "clear").out
    Path("short.json").write_text(short)
    assert dctx("compress", "short.json", "--set", "enabled=false").out == short


def test_a_receipt_is_not_written_where_the_result_goes(dctx: Run) -> None:
    made = dctx("compress", "run.json", "--receipt", "-")
    assert made.code == 2 and not made.out and "/dev/stderr" in made.err and not Path("-").exists()


@pytest.mark.parametrize("words", ["--strategy clear", "--ratio 0.3"])
def test_that_the_original_of_a_shorter_one_is_forgotten_is_said(words: str, dctx: Run) -> None:
    made = dctx("compress", "run.json", "--receipt", "r.json", *words.split())
    Path("short.json").write_text(made.out)
    again = dctx("compress", "short.json", "--ratio", "0.2", "--dry-run")
    assert "It was compressed before" in again.err and "does not have" not in again.err
    dctx("history", "remove", json.loads(Path("r.json").read_text())["id"], "--yes")
    again = dctx("compress", "short.json", "--ratio", "0.9")
    assert "It was shortened before, and the archive does not have " in again.err, again.err


def test_a_large_one_says_on_a_terminal_how_far_it_is_and_wipes_that_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    def said(size: int, stream: io.StringIO) -> str:
        monkeypatch.setattr("sys.stderr", stream)
        progress = ProgressLine(size)
        for done in DONE:
            progress.tell(done)
        progress.end()
        return stream.getvalue()

    seen = said(50_000_000, Terminal()).split("\r\x1b[K")
    assert seen[1] == "dctx: 0%: 50 MB are read …" and seen[-1] == ""
    assert len(seen) == len(DONE) + 3 and "\n" not in "".join(seen)
    assert said(50_000, Terminal()) == "" and said(50_000_000, io.StringIO()) == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("history list --last 0", "--last 0: that is no number above 0."),
        ("history show --tokens .", ". is a folder."),
        ("history show no/such", "no/such: there is no such file."),
        ("compress huge.json", "A number in this history has too many digits to be read."),
        ("compress README.md", "dctx: README.md: This is neither JSON nor JSON lines"),
        ("compress run.json --using no-such-program", "no-such-program could not be run"),
        ("compress run.json --ratio 0.5 --using cksum", "--using names who else may write it"),
        ("compress run.json --from claude-code", "There are no messages of claude-code in this."),
    ],
)
def test_what_is_wrong_is_named(words: str, says: str, dctx: Run) -> None:
    Path("README.md").write_text("# A boat\n")
    digits = "1" * 5_000
    Path("huge.json").write_text(f'[{{"role": "user", "content": "Hi.", "n": {digits}}}]')
    result = dctx(*words.split())
    assert result.code in (1, 2) and not result.out and says in result.err


def test_a_file_that_is_no_history_is_not_written_over(dctx: Run) -> None:
    Path("notes.txt").write_text("Mine.")
    words = ("compress", "run.json", "--ratio", "0.3")
    for flag, what in (("--output", "a history"), ("--receipt", "a receipt")):
        refused = dctx(*words, flag, "notes.txt")
        assert refused.code == 1 and Path("notes.txt").read_text() == "Mine."
        assert f"notes.txt is there already, and is not {what}." in refused.err
        assert f"Name another file with {flag}." in refused.err

    Path("empty.json").write_text("")
    for _ in range(2):
        assert dctx(*words, "-o", "empty.json", "--receipt", "receipt.json").code == 0


# What is kept


def test_patterns_keep_what_they_match(dctx: Run) -> None:
    words = (
        "compress",
        "run.json",
        "--strategy",
        "clear",
        "--keep",
        r"said 3\.",
        "--keep",
        r"said 5\.",
    )
    after = shortened(dctx(*words))
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
    pattern: str, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_patterns, "SEARCH_SECONDS", 0.2)
    Path("xs.json").write_text(
        json.dumps([*user("Go."), *said("x" * 52), *said("x" * 5_000), *said("a" * 5_000), *run()])
    )
    result = dctx("compress", "xs.json", "--strategy", "clear", "--keep", pattern)
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
    assert dctx("compress", "run.json", "--set", "window_size=3").code == 0
    monkeypatch.setattr("director_ctx.history.compress.compress.PATIENCE", 0.2)
    other = sqlite3.connect(home(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    unchanged(dctx("compress", "run.json", "--strategy", "clear"), source)
    other.close()
    assert dctx("compress", "run.json", "--strategy", "clear").code == 0


def test_a_store_that_is_none_prints_the_input_in_its_own_format(dctx: Run, source: Path) -> None:
    home().parent.mkdir(parents=True)
    home().write_bytes(b"no database, but long enough to be taken for one" * 100)
    for to in ("anthropic", "openai-chat"):
        made = dctx("compress", "run.json", "--strategy", "clear", "--to", to)
        unchanged(made, source)
        other = to == "anthropic"
        assert ("converted to anthropic" in made.err and "in openai-chat" in made.err) == other


def test_a_disk_that_is_full_prints_the_input(source: Path) -> None:
    source.write_text(json.dumps(run(400)))
    line = "ulimit -f 100; exec dctx compress run.json --strategy clear"  # of 1,024 bytes in bash
    unchanged(shell(line), source)


def test_an_output_that_is_full_or_closed_is_no_traceback(source: Path) -> None:
    source.write_text(json.dumps(run(400)))
    for end, code in (("> /dev/full", 1), ("| head -c 10", 0), (">&-", 1)):
        line = f"set -o pipefail; dctx compress run.json --strategy clear {end}"
        done = shell(line)
        assert done.code == code and "Traceback" not in done.err, done
    assert process("restore", newest(), cwd=Path()).out == source.read_text()


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
        cwd=Path(),
    )
    assert running.stdout
    first = running.stdout.read(1)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    running.stdout.close()
    assert first == b"[" and running.returncode == -signal.SIGKILL
    assert process("restore", newest(), cwd=Path()).out == source.read_text()


def test_two_at_once_both_succeed(source: Path) -> None:
    line = "dctx compress run.json --strategy clear"
    done = shell(f"{line} > a & {line} > b; code=$?; wait $! && exit $code")
    first, second = (Path(name).read_bytes() for name in "ab")
    assert done.code == 0 and first == second != b""


def test_a_project_has_its_own_archive(dctx: Run, source: Path) -> None:
    root = write(source.parent / "project", {"VISION.md": "# Vision\n"})
    made = dctx("compress", "../run.json", "--strategy", "clear", cwd=root)
    assert made.code == 0 and not home().exists()
    assert (root / ".director/.dctx/store.db").stat().st_mode & 0o077 == 0
    (source.parent / "short.json").write_text(made.out)
    assert dctx("restore", "../short.json").out == source.read_text()
    assert dctx("restore", "short.json", cwd=source.parent).code == 1


def test_what_was_archived_outside_of_projects_is_found_in_one_and_none_of_its_own(
    dctx: Run, source: Path
) -> None:
    made = dctx("compress", "run.json", "--strategy", "clear", "--receipt", "r.json")
    Path("short.json").write_text(made.out)
    receipt = json.loads(Path("r.json").read_text())["id"]
    assert receipt[:12] in dctx("restore", "--list").out
    root = write(source.parent / "project", {"VISION.md": "# Vision\n"})
    for known in ("../short.json", receipt):
        assert dctx("restore", known, cwd=root).out == source.read_text()
    listed = dctx("restore", "--list")
    assert not listed.out and "Nothing was compressed here yet." in listed.err


# The library


def test_the_library_shortens_a_document_and_leaves_it_as_it_was() -> None:
    messages, before = run(), run()
    made = director_ctx.compress(messages, ratio=0.3)
    assert messages == before and made.receipt.met and len(made.document) < len(messages)
    assert director_ctx.restore(made.document) == messages == director_ctx.restore(made.receipt.id)
    data = json.dumps(messages).encode()
    assert director_ctx.restore(director_ctx.compress(data, window=3).data) == data


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"ratios": 1}, "ratios"), ({"ratio": 0.1, "target_tokens": 3}, "exclude"), ({"strategy": "magic"}, "magic"),
        ({"window": 3, "ratio": 0.2}, "ratio takes hybrid"),
        ({"window": 3, "strategy": "clear"}, "clear does not look at it"),
    ],
)  # fmt: skip
def test_the_library_says_what_it_does_not_know(wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        director_ctx.compress(run(), **wishes)


def test_the_library_raises_where_nothing_is_known_or_can_be_kept() -> None:
    with pytest.raises(DctxError, match="knows no compression"):
        director_ctx.restore(run())
    home().mkdir(parents=True)
    with pytest.raises(NotArchived):
        director_ctx.compress(run(), window=3)
    assert director_ctx.compress(run(), window=3, archive=False).receipt.cuts
