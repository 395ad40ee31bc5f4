"""The short way and Typer: one table, the same values, the same answers."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from command_lines import (
    COMMANDS,
    ELSEWHERE,
    JUNK,
    POOLS,
    REMEMBER,
    WRITE,
    lines_of,
)
from conftest import ROOT, Result, process, write
from hypothesis import given, settings
from kept_plans import keep_plan
from talks import run

from director_ctx.base.errors import (
    ALL_DONE,
    BUG,
    FAILED,
    INTERRUPTED,
    NOTHING_READY,
    OK,
    STRICT,
    USAGE,
    DctxError,
)
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.context.settings.request import INPUTS, Request
from director_ctx.context.settings.tags import TAGS
from director_ctx.doors.cli import parse, typer_app
from director_ctx.doors.cli.shared.front import HIDDEN, SUBJECTS, first_words
from director_ctx.doors.cli.shared.menu import GROUPS, find, room
from director_ctx.doors.cli.shared.options import FLAG, LIST, TEXT, Command
from director_ctx.doors.cli.shared.topics import TOPICS
from director_ctx.doors.cli.typer_app import INSTEAD
from director_ctx.history.formats import FORMATS
from director_ctx.history.strategies.config import STRATEGIES, SUMMARY

Run = Callable[..., Result]

ANYTHING = (
    "", " ", "-", "0", "3", "2/1/3", "a=b", "=", "two words", "Zürich", "\udcff", "x\ny", "builder", "-3", "--raw",
)  # fmt: skip


def handler(command: Command) -> Callable[[dict[str, object]], int]:
    """The function that runs it."""
    module = import_module(f"director_ctx.doors.cli.{room(command.name)}.{command.module}")
    call: Callable[[dict[str, object]], int] = getattr(module, command.call)
    return call


@pytest.fixture
def recorded() -> Iterator[list[tuple[str, dict[str, object]]]]:
    """What the handlers of all commands are called with, without running them."""
    seen: list[tuple[str, dict[str, object]]] = []
    with pytest.MonkeyPatch.context() as patch:
        for command in COMMANDS:
            module = import_module(f"director_ctx.doors.cli.{room(command.name)}.{command.module}")

            def note(values: dict[str, object], name: str = command.name) -> int:
                seen.append((name, values))
                return 0

            patch.setattr(module, command.call, note)
        yield seen


@pytest.fixture
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building the app takes longer than all that it does with a line."""
    program = typer_app.program()
    monkeypatch.setattr(typer_app, "program", lambda: program)


@pytest.mark.usefixtures("built_once")
def test_the_short_way_reads_the_same_values_as_typer(
    recorded: list[tuple[str, dict[str, object]]],
) -> None:
    plain = 0

    @settings(max_examples=250, deadline=None)
    @given(lines_of(lambda name: POOLS.get(name, ()) + ANYTHING, JUNK))
    def check(line: list[str]) -> None:
        nonlocal plain
        parsed = parse.parse(line)
        if parsed is None:
            return
        plain += 1
        recorded.clear()
        with contextlib.redirect_stderr(io.StringIO()):
            assert typer_app.run(line) == 0, line
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
    """The example as a copy that may be written to, without what other tests put on record."""
    ignored = shutil.ignore_patterns(".dctx")
    return Path(shutil.copytree(example, tmp_path / "own", symlinks=True, ignore=ignored))


def both_ways(line: list[str], again: Callable[[], object]) -> int | None:
    """The exit code of a plain command line that both ways answer alike; `again` puts things back
    in between.
    """
    parsed = parse.parse(line)
    if parsed is None:
        return None
    command, values = parsed
    call = handler(command)
    short = outcome(lambda: call(values))
    again()
    code, out, said = outcome(lambda: typer_app.run(line))
    assert (code, timeless(out), said) == (short[0], timeless(short[1]), short[2]), line
    return short[0]


def timeless(out: bytes) -> bytes:
    out = re.sub(rb"20\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\dZ)?", b"TIME", out)
    out = re.sub(rb'("(since|until|ended)":)\d+', rb"\1TIME", out)
    return re.sub(rb'([Cc]laim |"(id|claim)": ?")[2-9a-z]{6}\b', rb"\1ID", out)


@pytest.mark.usefixtures("built_once")
def test_both_ways_answer_with_the_same_bytes_and_exit_code(
    own_example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: set[int | None] = set()
    monkeypatch.chdir(own_example)
    monkeypatch.setenv("DCTX_RECORD", "off")
    reading = [
        command for command in COMMANDS if command.name.split()[0] not in (*WRITE, *ELSEWHERE)
    ]
    reading = [command for command in reading if command.name not in REMEMBER]

    @settings(max_examples=80, deadline=None)
    @given(lines_of(lambda name: POOLS.get(name, ("3", "a note")), (), reading))
    def check(line: list[str]) -> None:
        codes.add(both_ways(line, lambda: None))

    check()
    assert {0, 1, 2} <= codes, "the lines are too uniform to say anything"


@pytest.mark.usefixtures("built_once")
def test_both_ways_change_the_folder_alike(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: set[int | None] = set()
    writing = [
        command
        for command in COMMANDS
        if command.name.split()[0] in WRITE and command.name != "init"
    ]
    root, kept = tmp_path / "project", tmp_path / "kept"
    shutil.copytree(example / ".director", kept, ignore=shutil.ignore_patterns(".dctx"))
    root.mkdir()

    def again() -> dict[str, bytes]:
        """The folder as it is now, and then as it was."""
        base = root / ".director"
        files = [path for path in sorted(base.rglob("*")) if path.is_file()]
        now = {path.relative_to(base).as_posix(): timeless(path.read_bytes()) for path in files}
        shutil.rmtree(base, ignore_errors=True)
        shutil.copytree(kept, base)
        return now

    @settings(max_examples=40, deadline=None)
    @given(lines_of(lambda name: POOLS.get(name, ("3", "a note")), (), writing))
    def check(line: list[str]) -> None:
        again()
        monkeypatch.chdir(root)
        made: list[dict[str, bytes]] = []
        codes.add(both_ways(line, lambda: made.append(again())))
        assert not made or again() == made[0], line

    check()
    assert {0, 1} <= codes, "the lines are too uniform to say anything"


@pytest.mark.parametrize("line", [["init"], ["init", "--root", "."]])
def test_both_ways_of_init_make_the_same_folder(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    command, values = parse.parse(line) or pytest.fail("the short way does not take it")
    run_it = handler(command)
    for name, call in (("short", lambda: run_it(values)), ("full", lambda: typer_app.run(line))):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        result = outcome(call)
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        made.append((result, files))
    assert made[0] == made[1]
    assert made[0][1]


def test_a_plain_command_line_takes_the_short_way() -> None:
    for command in COMMANDS:
        for example in command.examples:
            words = shlex.split(plain_part(example)[0])[1:]
            assert parse.parse(words), f"{example} needs Typer, which costs a slow start"


NOT_PLAIN = (
    "", "nope", "assemble builder extra", "assemble builder --help", "assemble -h", "--version",
    "assemble builder --task", "assemble builder --task --raw", "assemble builder --raw=1", "assemble builder -t=3",
    "assemble builder -t3", "assemble builder -- --task",
)  # fmt: skip


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert parse.parse(line.split()) is None


def test_a_repeated_option_adds_to_a_list_and_replaces_a_single_value() -> None:
    parsed = parse.parse(["assemble", "builder", "--ref", "a", "--ref=b", "--task", "1", "-t", "2"])
    assert parsed
    assert parsed[1]["ref"] == ("a", "b")
    assert parsed[1]["task"] == "2"


def test_formats_and_strategies_are_named_where_they_are_asked_for_as_their_tables_have_them(
    dctx: Run,
) -> None:
    tables = {"--from": FORMATS, "--to": FORMATS, "--strategy": (*STRATEGIES, SUMMARY)}
    asked = [
        option
        for command in COMMANDS
        for option in command.options
        # Whose plan is taken over is said by `--from`, too.
        if option.flags[0] in tables and option.values and option.name != "source"
    ]
    for option in asked:
        names = tables[option.flags[0]]
        assert set(option.values) == set(names) and all(name in option.help for name in names)
    assert asked and all(name in help_of(dctx, "compress") for name in FORMATS)


def help_of(dctx: Run, *words: str) -> str:
    result = dctx(*words, "--help")
    assert result.code == 0
    return result.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_shows_every_option_and_every_example_of_the_table(
    command: Command, dctx: Run
) -> None:
    text = help_of(dctx, *command.name.split())
    squeezed = " ".join(text.split())
    assert command.help in squeezed
    listed = {
        word.rstrip(",")
        for line in text.splitlines()
        for word in line.split()[:3]
        if line.startswith("  -")
    }
    for option in command.every_option:
        assert set(option.flags) <= listed, f"{option.name} is missing"
        assert option.help in squeezed
        assert option.kind == FLAG or f"{option.flags[0]} {option.metavar}" in squeezed
    for argument in command.arguments:
        assert argument.help in squeezed
    assert command.examples
    for example in command.examples:
        assert f"    {example}" in text.splitlines()
    flags = {flag for option in command.every_option for flag in option.flags} | {"-h", "--help"}
    assert {word for word in listed if word.startswith("-")} == flags, (
        "help offers what the table has not"
    )


def test_all_help_has_every_command_but_those_that_clients_call(dctx: Run) -> None:
    text = dctx("help", "--all").out
    listed = {line[2:22].strip() for line in text.splitlines() if line[:3].strip()}
    assert {command.name for command in COMMANDS} - set(HIDDEN) <= listed
    assert max(map(len, text.splitlines())) <= 80
    squeezed = " ".join(text.split())
    assert all(command.help in squeezed for command in COMMANDS if command.name in listed)


@pytest.mark.parametrize("name", GROUPS)
def test_the_help_of_a_group_has_its_commands_in_whole_sentences(name: str, dctx: Run) -> None:
    inner = help_of(dctx, name)
    assert GROUPS[name] in " ".join(inner.split())
    for command in COMMANDS:
        first, _, second = command.name.partition(" ")
        if first == name:
            assert f"\n  {second} " in inner
            assert command.help in " ".join(inner.split())


def test_the_first_screen_has_every_first_word_under_a_subject(dctx: Run) -> None:
    named = [word for subject in SUBJECTS for word in subject.words]
    assert sorted(named) == sorted(set(first_words()) - set(HIDDEN))
    lines = dctx("help").out.splitlines()
    assert len(lines) <= 23 and max(map(len, lines)) <= 80
    assert all(re.search(rf"^.{{15}}.*\b{word}\b", "\n".join(lines), re.M) for word in named)


@pytest.mark.parametrize("typed", INSTEAD)
def test_what_people_type_leads_to_the_command_that_they_mean(typed: str, dctx: Run) -> None:
    words = typed.split()
    found = find(words)
    if found and found.name == typed:
        return
    for command in INSTEAD[typed].split(" or "):
        _, *meant = command.split()
        assert meant == ["--version"] or meant[0] in first_words(), command
    done = dctx(*words)
    assert done.code == 2 and f"  hint: {INSTEAD[typed]}\n" in done.err


@pytest.mark.parametrize("words", [("assemble",), ("history",), ("task", "done")])
def test_help_of_a_name_is_its_own_help(words: tuple[str, ...], dctx: Run) -> None:
    assert dctx("help", *words).out == help_of(dctx, *words)


def test_a_command_shows_what_is_used_first_without_a_title(dctx: Run) -> None:
    for name in ("assemble", "budget", "compress"):
        text = help_of(dctx, name)
        untitled = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
        options = [line for line in untitled.splitlines() if line.startswith("  -")]
        assert 6 <= len(options) <= 12, (name, options)
        assert "utput:\n" in text
    assert help_of(dctx, "assemble") == dctx("assemble", "-h").out


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_a_short_text(topic: str, dctx: Run) -> None:
    told = dctx("help", topic)
    assert told.code == 0 and told.out.endswith(TOPICS[topic])
    lines = TOPICS[topic].splitlines()
    assert len(lines) <= 22 and max(map(len, lines)) <= 88


def test_the_topics_name_every_exit_code_and_variable_of_the_environment() -> None:
    for code in (OK, FAILED, USAGE, BUG, STRICT, ALL_DONE, NOTHING_READY, INTERRUPTED):
        assert re.search(rf"^  {code} ", TOPICS["exit-codes"], re.MULTILINE)
    source = "".join(path.read_text() for path in (ROOT / "director_ctx").rglob("*.py"))
    ours = set(re.findall(r'"(DCTX_[A-Z_]*[A-Z])"', source))
    assert ours <= set(re.findall(r"DCTX_[A-Z_]+", TOPICS["environment"]))


def test_without_an_agent_the_builder_is_meant(example: Path, dctx: Run) -> None:
    assert dctx("assemble", cwd=example).out == dctx("assemble", "builder", cwd=example).out
    assert dctx("budget", cwd=example).out == dctx("budget", "builder", cwd=example).out
    assert (
        dctx("assemble", "--format", "json", "--task", "1/1/1", cwd=example).out
        == dctx("assemble", "builder", "--format", "json", "--task", "1/1/1", cwd=example).out
    )
    skill = dctx("assemble", "--skill", "brainstorm", cwd=example)
    assert skill.code == 0 and skill.out != dctx("assemble", cwd=example).out


def test_a_misspelled_model_is_guessed(example: Path, dctx: Run) -> None:
    assert "did you mean gpt-5?" in dctx("budget", "--model", "gpt5", cwd=example).err
    assert "did you mean" not in dctx("budget", "--model", "abacus", cwd=example).err


def plain_part(example: str) -> tuple[str, str]:
    """An example up to what the shell makes of it, and the rest."""
    found = re.search(r"[|<]| > |&&", example)
    return (example[: found.start()], example[found.end() :]) if found else (example, "")


def examples() -> list[tuple[str, str]]:
    """Those of `dctx browser` need one: test_browser_docs.py runs them. A proxy does not end:
    test_proxy.py runs it. Nor does a server of tools: test_mcp_wire.py does. A chat needs a model:
    test_chat_command.py has one.
    """
    shown = [
        command
        for command in COMMANDS
        if not command.name.startswith(("browser ", "history proxy", "mcp", "ui", "chat"))
    ]
    return [(command.name, example) for command in shown for example in command.examples]


def keep_accounts(folder: Path, dctx: Run) -> None:
    """Two contexts on record, under the ids that the examples name."""
    for agent_task in ("3", "4"):
        dctx("assemble", "builder", "--task", f"2/1/{agent_task}", cwd=folder)
    record = folder / ".director" / ".dctx" / "runs.jsonl"
    lines = record.read_text().splitlines()
    named = [
        f'{{"id":"{run}{line[14:]}' for run, line in zip(("r4f2a91", "r77c0d3"), lines, strict=True)
    ]
    record.write_text("\n".join(named) + "\n")


def keep_skills(folder: Path) -> None:
    """A skill in the project and one beside it."""
    for place in (folder / ".claude" / "skills" / "release-notes", folder / "my-skill"):
        place.mkdir(parents=True)
        text = f"---\nname: {place.name}\ndescription: Writes notes.\n---\n\nNotes:\n\n!`git log --oneline`\n"
        (place / "SKILL.md").write_text(text)


def keep_hooks(name: str, folder: Path, words: list[str], dctx: Run) -> None:
    """A client that is used here, and hooks where the example is about those that are there."""
    (Path.home() / ".claude").mkdir()
    if name == "agents verify":
        client = "codex" if "codex" in words else "claude"
        dctx("setup", "--what", "hooks", "--client", client, "--no-verify", "--yes", cwd=folder)
    if "--undo" in words:
        dctx("setup", "--no-verify", "--yes", cwd=folder)
    elif name == "setup" and "--trust" not in words:
        words.append("--no-verify")  # test_setup.py lets it try what it wrote


def keep_store(folder: Path, dctx: Run) -> None:
    """Something to export and import."""
    dctx("vars", "set", "a", "1", "--reason", "Try", cwd=folder)
    dctx("store", "export", "-o", "backup.jsonl", cwd=folder)


def keep_histories(words: list[str], folder: Path, dctx: Run) -> None:
    """Conversations, one of them shortened before; the example's ids become those that it has."""
    talk = run(30)
    (folder / "messages.json").write_text(json.dumps(talk))
    (folder / "broken.json").write_text(
        json.dumps([*talk[:-1], {"role": "user", "content": "And now?"}])
    )
    whole = (
        "compress",
        "messages.json",
        "--strategy",
        "clear",
        "--set",
        "keep_results=99",
        "--to",
        "claude-code",
    )
    (folder / "session.jsonl").write_text(dctx(*whole, cwd=folder).out)
    words_of = ("compress", "session.jsonl", "--strategy", "clear", "--receipt", "receipt.json")
    (folder / "shorter.jsonl").write_text(dctx(*words_of, cwd=folder).out)
    receipt = json.loads((folder / "receipt.json").read_text())
    real = {"4f1c2a9be01d": receipt["id"], "dctx:3f2a9c01b4de": receipt["cuts"][0]["locator"]}
    words[:] = [real.get(word, word) for word in words]


def keep_session(words: list[str], folder: Path, dctx: Run) -> None:
    """A session of a client, which is in the store too, with a summary of what came before."""
    slug = "".join(char if char.isalnum() else "-" for char in str(folder.resolve()))
    place = (
        Path.home() / ".claude" / "projects" / slug / "4f1c0000-0000-4000-8000-000000000000.jsonl"
    )
    place.parent.mkdir(parents=True)
    texts = ("The retry limit is E1234.", "I decided on five instead of three.")
    lines = [
        {"type": role, "cwd": str(folder.resolve()), "uuid": role, "parentUuid": parent,
         "message": {"role": role, "content": text}}
        for role, parent, text in zip(("user", "assistant"), (None, "user"), texts, strict=True)
    ]  # fmt: skip
    place.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    if "import" in words:
        return
    dctx("history", "import", str(place), cwd=folder)
    if "--summaries" in words:
        dctx("history", "summarize", "--yes", cwd=folder)
    # Whoever prints a line of the prompt stands for a client that is not installed.
    words[:] = ["sed -n 1p" if word == "claude -p" else word for word in words]


HISTORIES = (
    "compress",
    "restore",
    "history handover",
    "history import",
)


def set_up(name: str, words: list[str], folder: Path, dctx: Run) -> None:
    """What an example takes for granted."""
    if name in HISTORIES or "messages.json" in words:
        keep_histories(words, folder, dctx)
    if name.startswith("history ") and name.split()[1] != "remove":
        keep_session(words, folder, dctx)
    if name == "init":
        (folder / ".director").mkdir()  # so that nothing above it matters
    if name == "diff" or "--since" in words:
        keep_accounts(folder, dctx)
    if name.startswith("skill "):
        keep_skills(folder)
    if name.startswith("agents ") or name == "setup":
        keep_hooks(name, folder, words, dctx)
    if name.startswith("plan "):
        keep_versions(folder, dctx)
    if name.startswith("vars "):
        keep_variables(folder, dctx)
    if name.startswith("store "):
        keep_store(folder, dctx)


def keep_versions(folder: Path, dctx: Run) -> None:
    """Five versions of a plan, the last of which is that of the folder, and a file of it."""
    keep_plan(folder)
    for status in ("in_progress", "pending") * 2:
        dctx("plan", "set", "2/1/3", status, cwd=folder)
    (folder / "plan.json").write_text(dctx("plan", "show", "--json", cwd=folder).out)


def keep_variables(folder: Path, dctx: Run) -> None:
    """What a node found, and a login."""
    for name, value in {
        "node7.emails": '[{"sender": "a@example.org"}]',
        "gmail_creds": '{"password": "hunter2"}',
    }.items():
        dctx("vars", "set", name, value, "--reason", "First", cwd=folder)


@pytest.mark.parametrize(("name", "example_line"), examples(), ids=lambda value: value)
def test_every_example_in_the_help_works(
    name: str,
    example_line: str,
    own_example: Path,
    tmp_path: Path,
    dctx: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (own_example / "report.md").write_text("1. The footer link is broken.\n")
    (own_example / "outline.md").write_text("# Goal\n## Step\n- [ ] Task\n")
    folder = own_example
    if name == "init":
        folder = tmp_path / "fresh"
        folder.mkdir()
        (folder / "TODO.md").write_text("## One\n- [ ] do it\n")
    line, tail = plain_part(example_line)
    words = shlex.split(line)
    assert words[0] == "dctx"
    # An example may be of another command.
    known = {command.name: command for command in COMMANDS}
    called = known.get(" ".join(words[1:3])) or known[words[1]]
    if any(option.name == "yes" for option in called.options):
        words.append("--yes")
    set_up(name, words, folder, dctx)
    if tail.strip() == "token.txt":
        monkeypatch.setattr(sys, "stdin", _Stream(b"hunter2\n"))
    if tail.strip() == "messages.json":
        monkeypatch.setattr(sys, "stdin", _Stream((folder / "messages.json").read_bytes()))
    result = dctx(*words[1:], cwd=folder)
    assert result.code == (1 if name == "doctor" and "--fix" not in words else 0), result
    assert result.out or "-o" in words or name == "hook"
    if tail.strip().startswith("jq") and "'" not in tail:
        value = json.loads(result.out)
        for key in tail.split()[-1].strip(".").replace("[0]", "0").split("."):
            value = value[int(key) if key.isdigit() else key]
        assert value or name == "doctor"


MISTAKES = (
    "frobnicate", "--frobnicate", "assemble builder extra", "assemble builder --frobnicate",
    "assemble builder --task", "assemble nobody", "assemble --skill nothing", "assemble builder --skill build",
    "assemble brainstorm", "budget --skill nothing", "setup --what rules --yes --client odd", "assemble buildr",
    "assemble builder --budget 30", "assemble builder --budget much", "assemble builder --window wide",
    "assemble builder --format pdf", "assemble builder --layout odd", "assemble builder --input odd=1",
    "assemble builder --input focus", "assemble builder --with odd", "assemble builder --without odd",
    "assemble mapper --input focus=odd", "assemble deep-researcher --input domain=odd",
    "assemble synthesizer --input mode=odd", "budget --all builder", "status --results 1",
    "status --nodes --goal 1", "setup --what odd", "setup --what skills --write plan", "skill show build more",
    "help nothing-of-that-name", "budget nobody", "profiles nobody", "status --json=1", "init --dry-run",
)  # fmt: skip


@pytest.mark.parametrize("line", MISTAKES)
def test_a_usage_error_exits_with_2_and_says_how_to_go_on(
    line: str, example: Path, dctx: Run
) -> None:
    result = dctx(*line.split(), cwd=example)
    assert result.code == 2, result
    assert result.out == ""
    assert "hint:" in result.err or "Try 'dctx" in result.err
    assert "Traceback" not in result.err


def test_a_misspelled_agent_is_guessed(example: Path, dctx: Run) -> None:
    assert "Did you mean builder?" in dctx("assemble", "buildr", cwd=example).err


def complete(dctx: Run, monkeypatch: pytest.MonkeyPatch, words: str, cwd: Path) -> list[str]:
    """What bash is offered for the last of these words."""
    monkeypatch.setenv("_DCTX_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    result = dctx("next", cwd=cwd)  # which is not run
    assert (result.code, result.err) == (0, "")
    return result.out.split()


COMPLETED = (
    ("assemble ", list(PROFILES)),
    ("budget deep", ["deep-researcher", "deep-mapper"]),
    ("profiles bu", ["builder", "build"]),
    ("assemble --skill b", ["blueprint", "build", "brainstorm"]),
    ("assemble builder -t 2/2", ["2/2/1", "2/2/2"]),
    ("assemble builder --with ", list(TAGS)),
    ("assemble builder --without re", [tag for tag in TAGS if tag.startswith("re")]),
    ("budget builder --model gpt-4o", ["gpt-4o"]),
    ("assemble builder --format m", ["markdown", "messages"]),
    ("ne", ["next"]),
    ("task ", ["show", "start", "stop", "done", "remove", "move"]),
    ("add ", ["goal", "step", "task", "idea"]),
    ("add go", ["goal"]),
    ("add goal --ab", ["--about"]),
    ("assemble --goal ", ["1", "2"]),
    ("assemble --step 2", ["2/1", "2/2"]),
    ("help ex", ["exit-codes"]),
    ("history show REA", ["README.md"]),
)


@pytest.mark.parametrize(("words", "offered"), COMPLETED, ids=lambda value: str(value)[:30])
def test_what_may_stand_there_is_completed_and_nothing_is_run(
    words: str, offered: list[str], example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete(dctx, monkeypatch, f"dctx {words}", example) == offered


def test_commands_and_tasks_are_completed(
    example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {command.name.split()[0] for command in COMMANDS}
    assert first - {"hook"} == set(complete(dctx, monkeypatch, "dctx ", example))
    everything = complete(dctx, monkeypatch, "dctx assemble builder --task ", example)
    assert everything[0] == "1/1/1" and "2/1/3" in everything
    unfinished = complete(dctx, monkeypatch, "dctx task done ", example)
    assert (unfinished[0], unfinished[-1]) == ("2/1/3", "2/1/2")


def test_the_projects_own_agents_are_completed(
    own_example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "profiles:\n  butcher: {extends: builder}\n"
    (own_example / ".director" / "dctx.yaml").write_text(own)
    assert complete(dctx, monkeypatch, "dctx assemble bu", own_example) == ["builder", "butcher"]


def test_names_of_variables_sessions_and_plan_tasks_are_completed(
    own_example: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_variables(own_example, dctx)
    keep_plan(own_example)
    keep_session(["import"], own_example, dctx)
    assert complete(dctx, monkeypatch, "dctx vars show node7.", own_example) == ["node7.emails"]
    assert complete(dctx, monkeypatch, "dctx vars set gmail", own_example) == ["gmail_creds"]
    assert "2/1/3" in complete(dctx, monkeypatch, "dctx plan set 2", own_example)
    for command in ("history show", "compress", "doctor"):
        assert complete(dctx, monkeypatch, f"dctx {command} 4f1c", own_example) == [
            "4f1c0000-0000-4000-8000-000000000000"
        ]


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


OWN = {
    "assemble": {"output", "explain", "only", "strict", "no_record", "part", "input", "counter"},
    "budget": {"all", "history", "what_if", "json", "input", "counter"},
}
"""Options that are no keyword of the library under their own name."""


@pytest.mark.parametrize("name", OWN)
def test_an_option_that_shapes_a_context_is_a_field_of_the_request(name: str) -> None:
    command = find([name])
    assert command
    options = {option.name: option.kind for option in command.options}
    assert len(options) <= 28
    fields = {field: Request._defaults.get(field) for field in Request._fields}
    kinds = {False: FLAG, (): LIST}
    shaping = {field for field in options if field not in OWN[name]}
    for field in shaping:
        assert options[field] == kinds.get(fields[field], TEXT), field  # type: ignore[call-overload]
    assert OWN[name] <= set(options)
    left = set(fields) - shaping - {"agent", "format", *INPUTS}
    assert not left, "fields that no option gives"
