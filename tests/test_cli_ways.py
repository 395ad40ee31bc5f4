"""The short way and Typer: one table, the same values, the same answers."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from conftest import Result, process, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.context.profiles import PROFILES
from director_ctx.context.tags import TAGS
from director_ctx.doors.cli import full, light
from director_ctx.doors.cli.menu import commands
from director_ctx.doors.cli.options import FLAG, LIST, Command, Option
from director_ctx.errors import DctxError

COMMANDS = commands()
Run = Callable[..., Result]

ANYTHING = (
    "",
    " ",
    "-",
    "0",
    "3",
    "2/1/3",
    "a=b",
    "=",
    "two words",
    "Zürich",
    "\udcff",
    "x\ny",
    "builder",
    "-3",
    "--raw",
)
POOLS = {
    "agent": ("builder", "planner", "Director:director-debugger", "mapper", "nobody", ""),
    "task": ("3", "2/1/3", "Goal 2 > Step 1 > Task 4", "page", "99", ""),
    "goal": ("1", "2", "9", "worth"),
    "step": ("1", "2", "who", "1/2"),
    "type": ("UI", "api,Testing", "none"),
    "codebase": ("all", "none", "STACK,TESTING", "summary", "nope"),
    "research": ("all", "summary", "stack"),
    "with_": ("gameplan", "state", "nope", "vision,research"),
    "without": ("vision", "recent", "instructions", "nope"),
    "ref": ("terminology", "README.md", "nowhere.md"),
    "issues": ("-", "README.md", "nowhere.md"),
    "changes": ("HEAD~2", "nowhere", "-p"),
    "model": ("gpt-5", "claude-opus-4-1", "abacus"),
    "window": ("200k", "8000", "none"),
    "budget": ("30%", "0.2", "900", "12k", "30", "none"),
    "format": ("xml", "json", "markdown", "pdf"),
    "order": ("seed", "cache", "odd"),
    "layout": ("tags", "odd"),
    "focus": ("tech", "odd"),
    "domain": ("stack", "odd"),
    "mode": ("research", "odd"),
    "compat": ("upstream", "odd"),
    "output": ("out.xml", ".", "no/such/folder/out.xml"),
    "root": (".", "nowhere"),
}
JUNK = ("--", "-", "-x", "--nope", "--nope=1", "-h=1", "extra", "--json=1", "-t3", "-t=3", "--tas", "", "--raw=yes")


def pieces_of(command: Command, pool: Callable[[str], tuple[str, ...]]) -> st.SearchStrategy[list[str]]:
    """One option or argument of a command, in one of the forms in which it can be given."""
    strategies = [st.sampled_from(pool(argument.name)).map(lambda word: [word]) for argument in command.arguments]
    strategies += [option_words(option, pool(option.name)) for option in command.options]
    return st.one_of(strategies)


def option_words(option: Option, pool: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    flags = st.sampled_from(option.flags)
    if option.kind == FLAG:
        return flags.map(lambda flag: [flag])
    both = st.tuples(flags, st.sampled_from(pool))
    return both.map(lambda pair: [*pair]) | both.map(lambda pair: ["=".join(pair)])


def flat(pieces: Iterable[list[str]]) -> list[str]:
    return [word for piece in pieces for word in piece]


def lines_of(pool: Callable[[str], tuple[str, ...]], junk: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    """Whole command lines; an argument first in most, so that many of them are complete."""

    def build(command: Command) -> st.SearchStrategy[list[str]]:
        start = [st.sampled_from(pool(argument.name)).map(lambda word: [word]) for argument in command.arguments]
        wrong = st.sampled_from(junk or ("",)).map(lambda word: [word])
        middle = st.lists(pieces_of(command, pool), max_size=5)
        tail = st.lists(wrong, max_size=1 if junk else 0)
        parts = st.tuples(*start, middle.map(flat), tail.map(flat))
        return parts.map(lambda words: [command.name, *flat(words)])

    return st.sampled_from(COMMANDS).flatmap(build)


def accepted(line: list[str]) -> tuple[Command, dict[str, object]] | None:
    return light.parse(line)


@pytest.fixture
def recorded() -> Iterator[list[tuple[str, dict[str, object]]]]:
    """What the handlers of all commands are called with, without running them."""
    seen: list[tuple[str, dict[str, object]]] = []
    with pytest.MonkeyPatch.context() as patch:
        for command in COMMANDS:
            module = import_module(f"director_ctx.doors.cli.{command.module}")

            def note(values: dict[str, object], name: str = command.name) -> int:
                seen.append((name, values))
                return 0

            patch.setattr(module, "run", note)
        yield seen


def test_the_short_way_reads_the_same_values_as_typer(recorded: list[tuple[str, dict[str, object]]]) -> None:
    plain = 0

    @settings(max_examples=400, deadline=None)
    @given(lines_of(lambda name: POOLS.get(name, ()) + ANYTHING, JUNK))
    def check(line: list[str]) -> None:
        nonlocal plain
        parsed = accepted(line)
        if parsed is None:
            return
        plain += 1
        recorded.clear()
        with contextlib.redirect_stderr(io.StringIO()):
            assert full.run(line) == 0, line
        assert recorded == [(parsed[0].name, parsed[1])]
        assert {name: type(value) for name, value in recorded[0][1].items()} == {
            name: type(value) for name, value in parsed[1].items()
        }

    check()
    assert plain > 50, "the lines are too wild to say anything"


class _Stream(io.TextIOWrapper):
    """A standard stream with bytes beneath it."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")

    def value(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


def outcome(call: Callable[[], int]) -> tuple[int, bytes, str]:
    """Exit code, standard output, and what was said on standard error."""
    out, err = _Stream(), _Stream()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", _Stream(b"The footer is broken.\n"))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = call()
            except DctxError as error:
                return error.exit_code, out.value(), f"{error.message}\n{error.hint}"
    return code, out.value(), err.value().decode()


@pytest.fixture
def own_example(example: Path, tmp_path: Path) -> Path:
    """The example as a copy that may be written to."""
    return Path(shutil.copytree(example, tmp_path / "own", symlinks=True))


def test_both_ways_answer_with_the_same_bytes_and_exit_code(own_example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes: set[int] = set()
    monkeypatch.chdir(own_example)

    @settings(max_examples=120, deadline=None)
    @given(lines_of(lambda name: POOLS.get(name, ("3", "a note")), ()))
    def check(line: list[str]) -> None:
        parsed = accepted(line)
        if parsed is None or parsed[0].name == "init":
            return
        command, values = parsed
        module = import_module(f"director_ctx.doors.cli.{command.module}")
        short = outcome(lambda: module.run(values))
        assert outcome(lambda: full.run(line)) == short, line
        codes.add(short[0])

    check()
    assert {0, 1, 2} <= codes, "the lines are too uniform to say anything"


@pytest.mark.parametrize(
    "line", [["init", "--here"], ["init", "--here", "--brownfield"], ["init", "--here", "--greenfield", "--root", "."]]
)
def test_both_ways_of_init_make_the_same_folder(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    parsed = accepted(line)
    assert parsed
    module = import_module("director_ctx.doors.cli.init")
    for name, call in (("short", lambda: module.run(parsed[1])), ("full", lambda: full.run(line))):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        result = outcome(call)
        files = {
            path.relative_to(tmp_path / name).as_posix(): path.read_bytes()
            for path in sorted((tmp_path / name).rglob("*"))
            if path.is_file()
        }
        made.append((result, files))
    assert made[0] == made[1]
    assert made[0][1]


def test_a_plain_command_line_takes_the_short_way() -> None:
    for command in COMMANDS:
        for example in command.examples:
            words = shlex.split(example.partition("|")[0])[1:]
            assert light.parse(words), f"{example} needs Typer, which costs a slow start"


@pytest.mark.parametrize(
    "line",
    [
        [],
        ["nope"],
        ["assemble"],
        ["assemble", "builder", "extra"],
        ["assemble", "builder", "--help"],
        ["assemble", "-h"],
        ["--version"],
        ["assemble", "builder", "--task"],
        ["assemble", "builder", "--task", "--raw"],
        ["assemble", "builder", "--raw=1"],
        ["assemble", "builder", "-t=3"],
        ["assemble", "builder", "-t3"],
        ["assemble", "builder", "--", "--task"],
    ],
)
def test_what_is_not_plain_is_left_to_typer(line: list[str]) -> None:
    assert light.parse(line) is None


def test_a_repeated_option_adds_to_a_list_and_replaces_a_single_value() -> None:
    parsed = light.parse(["assemble", "builder", "--ref", "a", "--ref=b", "--task", "1", "-t", "2"])
    assert parsed
    assert parsed[1]["ref"] == ("a", "b")
    assert parsed[1]["task"] == "2"


def help_of(dctx: Run, *words: str) -> str:
    result = dctx(*words, "--help")
    assert result.code == 0
    return result.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_every_option_and_every_example_of_the_table(command: Command, dctx: Run) -> None:
    text = help_of(dctx, command.name)
    squeezed = " ".join(text.split())
    assert command.help in squeezed
    listed = {word.rstrip(",") for line in text.splitlines() for word in line.split()[:3] if line.startswith("  -")}
    for option in command.options:
        assert set(option.flags) <= listed, f"{option.name} is missing"
        assert option.help in squeezed
        assert option.kind == FLAG or f"{option.flags[0]} {option.metavar}" in squeezed
    for argument in command.arguments:
        assert argument.help in squeezed
    assert command.examples
    for example in command.examples:
        assert f"    {example}" in text.splitlines()
    flags = {flag for option in command.options for flag in option.flags} | {"-h", "--help"}
    assert {word for word in listed if word.startswith("-")} == flags, "help offers what the table has not"


def test_the_first_help_lists_every_command(dctx: Run) -> None:
    text = help_of(dctx)
    for command in COMMANDS:
        assert f"\n  {command.name} " in text
    assert help_of(dctx, "assemble") == dctx("assemble", "-h").out


def examples() -> list[tuple[str, str]]:
    return [(command.name, example) for command in COMMANDS for example in command.examples]


@pytest.mark.parametrize(("name", "example_line"), examples(), ids=lambda value: value)
def test_every_example_in_the_help_works(
    name: str, example_line: str, own_example: Path, tmp_path: Path, dctx: Run
) -> None:
    (own_example / "report.md").write_text("1. The footer link is broken.\n")
    folder = own_example
    if name == "init":
        folder = tmp_path / "fresh"
        folder.mkdir()
    line, _, tail = example_line.partition("|")
    words = shlex.split(line)
    assert words[0] == "dctx"
    if name == "init":
        (folder / ".director").mkdir()  # so that nothing above it matters
    result = dctx(*words[1:], cwd=folder)
    assert result.code == 0, result
    assert result.out
    if tail.strip().startswith("jq"):
        value = json.loads(result.out)
        for key in tail.split()[-1].strip(".").split("."):
            value = value[key]
        assert value


@pytest.mark.parametrize(
    "line",
    [
        ["frobnicate"],
        ["--frobnicate"],
        ["assemble"],
        ["assemble", "builder", "extra"],
        ["assemble", "builder", "--frobnicate"],
        ["assemble", "builder", "--task"],
        ["assemble", "nobody"],
        ["assemble", "buildr"],
        ["assemble", "builder", "--budget", "30"],
        ["assemble", "builder", "--budget", "much"],
        ["assemble", "builder", "--window", "wide"],
        ["assemble", "builder", "--format", "pdf"],
        ["assemble", "builder", "--layout", "odd"],
        ["assemble", "builder", "--order", "odd"],
        ["assemble", "builder", "--compat", "odd"],
        ["assemble", "builder", "--type", "odd"],
        ["assemble", "builder", "--with", "odd"],
        ["assemble", "builder", "--without", "odd"],
        ["assemble", "mapper", "--focus", "odd"],
        ["assemble", "deep-researcher", "--domain", "odd"],
        ["assemble", "synthesizer", "--mode", "odd"],
        ["budget"],
        ["budget", "nobody"],
        ["profiles", "nobody"],
        ["status", "--json=1"],
        ["init", "--greenfield", "--brownfield"],
    ],
    ids=" ".join,
)
def test_a_usage_error_exits_with_2_and_says_how_to_go_on(line: list[str], example: Path, dctx: Run) -> None:
    result = dctx(*line, cwd=example)
    assert result.code == 2, result
    assert result.out == ""
    assert "hint:" in result.err or "Try 'dctx" in result.err
    assert "Traceback" not in result.err


def test_a_misspelled_agent_is_guessed(example: Path, dctx: Run) -> None:
    assert "Did you mean builder?" in dctx("assemble", "buildr", cwd=example).err


def test_without_a_command_the_help_is_shown(dctx: Run) -> None:
    result = dctx()
    assert result.code == 2
    assert "Commands:" in result.err + result.out


def complete(dctx: Run, monkeypatch: pytest.MonkeyPatch, words: str, cwd: Path) -> list[str]:
    """What bash is offered for the last of these words."""
    monkeypatch.setenv("_DCTX_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    result = dctx(cwd=cwd)
    assert result.code == 0
    assert result.err == ""
    return result.out.split()


def test_agents_are_completed(example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(dctx, monkeypatch, "dctx assemble ", example) == list(PROFILES)
    assert complete(dctx, monkeypatch, "dctx budget deep", example) == ["deep-researcher", "deep-mapper"]
    assert complete(dctx, monkeypatch, "dctx profiles bu", example) == ["builder"]


def test_the_projects_own_agents_are_completed(own_example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_example / ".director" / "dctx.yaml").write_text("profiles:\n  butcher: {extends: builder}\n")
    assert complete(dctx, monkeypatch, "dctx assemble bu", own_example) == ["builder", "butcher"]


def test_tasks_are_completed(example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = complete(dctx, monkeypatch, "dctx assemble builder --task ", example)
    assert everything[0] == "1/1/1"
    assert "2/1/3" in everything
    assert complete(dctx, monkeypatch, "dctx assemble builder -t 2/2", example) == ["2/2/1", "2/2/2"]


def test_tags_models_and_fixed_values_are_completed(example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(dctx, monkeypatch, "dctx assemble builder --with ", example) == list(TAGS)
    assert complete(dctx, monkeypatch, "dctx assemble builder --without re", example) == [
        tag for tag in TAGS if tag.startswith("re")
    ]
    assert complete(dctx, monkeypatch, "dctx budget builder --model gpt-4o", example) == ["gpt-4o"]
    assert complete(dctx, monkeypatch, "dctx assemble builder --format m", example) == ["markdown"]


def test_completion_never_runs_the_command(example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_DCTX_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "dctx ne")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert dctx("next", cwd=example).out.split() == ["next"]


def test_commands_are_completed(example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(dctx, monkeypatch, "dctx ", example) == [command.name for command in COMMANDS]


@pytest.mark.parametrize("config", ["profiles: [", "budget: 30", None])
def test_completion_is_silent_where_nothing_can_be_read(
    config: str | None, tmp_path: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("/")
    if config is not None:
        folder = write(tmp_path, {"dctx.yaml": config})
    assert complete(dctx, monkeypatch, "dctx assemble bu", folder) == ["builder"]
    assert complete(dctx, monkeypatch, "dctx assemble builder --task ", folder) == []


def test_completion_works_in_a_process_of_its_own(example: Path) -> None:
    env = {"_DCTX_COMPLETE": "complete_bash", "COMP_WORDS": "dctx assemble veri", "COMP_CWORD": "2"}
    # Typer names the variable after the program, so this is how an installed `dctx` is asked.
    result = process(cwd=example, env=env)
    assert (result.code, result.out.split()) == (0, ["verifier"])


def test_every_option_that_repeats_is_a_list_for_the_library() -> None:
    from director_ctx.wiring.options import SEVERAL

    for command in COMMANDS:
        lists = {option.name for option in command.options if option.kind == LIST}
        assert lists <= set(SEVERAL), f"{command.name} passes a list that the library would not take"
