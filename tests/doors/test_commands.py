"""What each command prints, where it prints it, and what it leaves alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import Result, plan, process, step, task, write
from terminals import on_terminal

from director_ctx import __version__, assemble, load_project, next_task
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.context.settings.budget import CHARS
from director_ctx.context.settings.config import parse_config
from director_ctx.context.settings.profiles import PROFILES, SKILLS
from director_ctx.context.settings.tags import TAGS
from director_ctx.doors.cli.contexts.status import MOST_LINES

Run = Callable[..., Result]

LONG = "# Vision\n\n" + "Everything about it matters a great deal. " * 400
SMALL = {
    "VISION.md": "# Vision\nA thing that works.\n",
    **plan({"01-one.md": task("One", "Nothing")}),
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(tmp_path / "small", SMALL)


def tags_in(text: str) -> list[str]:
    return [name for name in re.findall(r"^<(\w+)>$", text, re.MULTILINE) if name in TAGS]


def left_over(folder: Path) -> list[str]:
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.name.endswith(".tmp") or path.name.startswith(".")
    )


# assemble: formats


def test_xml_is_the_default_and_every_section_stands_in_its_tag(example: Path, dctx: Run) -> None:
    result = dctx("assemble", "builder", cwd=example)
    assert result.code == 0
    names = [
        "vision",
        "current_step",
        "decisions",
        "task",
        "codebase",
        "recent_changes",
        "instructions",
    ]
    assert tags_in(result.out) == names
    for name in names:
        assert f"\n</{name}>" in result.out
    assert result.out.endswith("</instructions>\n")
    assert result.out == dctx("assemble", "builder", "--format", "xml", cwd=example).out
    assert result.err == ""


def test_markdown_has_headings_instead_of_tags(example: Path, dctx: Run) -> None:
    result = dctx("assemble", "builder", "-f", "markdown", cwd=example)
    assert result.code == 0
    assert tags_in(result.out) == []
    places = [
        result.out.index(f"# {name}\n")
        for name in ("Vision", "Current step", "Task", "Instructions")
    ]
    assert places == sorted(places)


def test_json_has_exactly_the_promised_shape(example: Path, dctx: Run) -> None:
    result = dctx("assemble", "builder", "--format", "json", "--budget", "2500", cwd=example)
    data = json.loads(result.out)
    assert list(data) == [
        "agent",
        "task",
        "text",
        "sections",
        "reductions",
        "omissions",
        "warnings",
        "budget",
        "counter",
        "stable_prefix_tokens",
    ]
    assert data["agent"] == "builder"
    assert list(data["task"]) == ["ref", "path", "title", "readiness", "goal", "step"]
    assert data["sections"] and data["reductions"] and data["omissions"]
    for section in data["sections"]:
        assert list(section) == ["tag", "tokens", "chars", "sources", "protected", "sha256"]
    for reduction in data["reductions"]:
        assert list(reduction) == ["rung", "tag", "before", "after"]
    for omission in data["omissions"]:
        assert list(omission) == ["what", "why"]
    assert list(data["budget"]) == ["window", "window_from", "limit", "used", "percent", "status"]
    assert data["counter"] == {"name": "chars/4", "exact": False, "band": CHARS.band}
    assert isinstance(data["stable_prefix_tokens"], int) and data["stable_prefix_tokens"] > 0
    assert isinstance(data["warnings"], list)


def test_the_account_in_json_agrees_with_its_text(example: Path, dctx: Run) -> None:
    data = json.loads(dctx("assemble", "builder", "--format", "json", cwd=example).out)
    assert data["text"] == dctx("assemble", "builder", cwd=example).out
    assert data["budget"]["used"] == -(-len(data["text"]) // 4)
    assert data["budget"]["limit"] == 60_000 and data["budget"]["window"] == 200_000
    assert data["budget"]["status"] == "within budget"
    blocks = re.findall(r"^<(\w+)>\n.*?^</\1>$", data["text"], re.MULTILINE | re.DOTALL)
    assert [section["tag"] for section in data["sections"]] == blocks
    for section in data["sections"]:
        block = re.search(
            rf"^<{section['tag']}>\n.*?^</{section['tag']}>", data["text"], re.MULTILINE | re.DOTALL
        )
        assert block and len(block[0]) == section["chars"]
        assert hashlib.sha256(block[0].encode()).hexdigest() == section["sha256"]
        assert section["tokens"] == -(-section["chars"] // 4)
    assert all(
        (example / source).is_file()
        for section in data["sections"]
        for source in section["sources"]
    )


def test_an_agent_without_a_task_has_none_in_json(example: Path, dctx: Run) -> None:
    assert (
        json.loads(dctx("assemble", "interviewer", "--format", "json", cwd=example).out)["task"]
        is None
    )


@pytest.mark.parametrize("agent", list(PROFILES))
def test_the_library_gives_the_text_that_the_command_prints(
    agent: str, example: Path, dctx: Run
) -> None:
    result = dctx("assemble", agent, "--note", "Be quick.", "--budget", "2500", cwd=example)
    found = assemble(load_project(example), agent, note="Be quick.", budget=2500)
    assert result.out == found.text
    printed = json.loads(
        dctx(
            "assemble",
            agent,
            "--note",
            "Be quick.",
            "--budget",
            "2500",
            "--format",
            "json",
            cwd=example,
        ).out
    )
    assert printed == found.as_json()


# assemble: -o


def test_output_goes_whole_into_a_file_and_nothing_to_stdout(
    example: Path, tmp_path: Path, dctx: Run
) -> None:
    expected = dctx("assemble", "builder", cwd=example).out
    result = dctx("assemble", "builder", "-o", str(tmp_path / "context.xml"), cwd=example)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert (tmp_path / "context.xml").read_text() == expected
    assert left_over(tmp_path) == []


def test_json_goes_into_a_file_too(example: Path, tmp_path: Path, dctx: Run) -> None:
    expected = dctx("assemble", "builder", "--format", "json", cwd=example).out
    dctx(
        "assemble", "builder", "--format", "json", "--output", str(tmp_path / "c.json"), cwd=example
    )
    assert (tmp_path / "c.json").read_text() == expected


def test_output_keeps_the_mode_of_a_file_that_is_there(
    example: Path, tmp_path: Path, dctx: Run
) -> None:
    target = tmp_path / "context.xml"
    target.write_text("old")
    target.chmod(0o640)
    assert dctx("assemble", "builder", "-o", str(target), cwd=example).code == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text().startswith("<vision>")


def test_a_new_output_file_gets_the_usual_mode(example: Path, tmp_path: Path, dctx: Run) -> None:
    old = os.umask(0o027)
    try:
        dctx("assemble", "builder", "-o", str(tmp_path / "context.xml"), cwd=example)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "context.xml").stat().st_mode) == 0o640


def test_output_replaces_the_file_instead_of_writing_into_it(
    example: Path, tmp_path: Path, dctx: Run
) -> None:
    target = tmp_path / "context.xml"
    target.write_text("old")
    with target.open() as reader:
        dctx("assemble", "builder", "-o", str(target), cwd=example)
        assert reader.read() == "old", "whoever read the old file sees half of the new one"
    assert target.read_text() != "old"


def test_output_through_a_link_leaves_the_link(example: Path, tmp_path: Path, dctx: Run) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "context.xml").write_text("old")
    link = tmp_path / "link.xml"
    link.symlink_to("real/context.xml")
    assert dctx("assemble", "builder", "-o", str(link), cwd=example).code == 0
    assert link.is_symlink()
    assert (tmp_path / "real" / "context.xml").read_text().startswith("<vision>")
    assert left_over(tmp_path) == left_over(tmp_path / "real") == []


def test_output_to_a_device_or_pipe_writes_straight_into_it(
    example: Path, tmp_path: Path, dctx: Run
) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE) as reader:
        try:
            assert dctx("assemble", "builder", "-o", str(fifo), cwd=example).code == 0
            assert stat.S_ISFIFO(fifo.stat().st_mode)
            assert reader.communicate(timeout=20)[0].startswith(b"<vision>")
        finally:
            reader.kill()


def test_output_to_the_null_device_leaves_the_device(
    example: Path, dctx: Run, null_device: Path
) -> None:
    assert dctx("assemble", "builder", "-o", str(null_device), cwd=example).code == 0
    assert stat.S_ISCHR(null_device.stat().st_mode)
    assert left_over(null_device.parent) == []


@pytest.fixture
def null_device(tmp_path: Path) -> Path:
    """One of our own: a program that went wrong could replace the real one for the whole machine."""
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.open("wb").close()
    except OSError:
        pytest.skip("only root may make a device, and the real one is not risked")
    return device


@pytest.mark.parametrize("place", ["no/such/folder/context.xml", "folder"])
def test_output_that_cannot_be_written_is_one_sentence(
    place: str, example: Path, tmp_path: Path, dctx: Run
) -> None:
    (tmp_path / "folder").mkdir()
    result = dctx("assemble", "builder", "-o", str(tmp_path / place), cwd=example)
    assert (result.code, result.out) == (1, "")
    assert str(tmp_path / place) in result.err and "hint:" in result.err
    assert list(tmp_path.rglob("*")) == [tmp_path / "folder"]


# assemble: budget, warnings, explanation


def test_strict_prints_nothing_and_exits_with_4(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {**SMALL, "VISION.md": LONG})
    result = dctx(
        "assemble", "builder", "--budget", "500", "--strict", "-o", str(tmp_path / "out"), cwd=root
    )
    assert (result.code, result.out) == (4, "")
    assert "over the budget of 500" in result.err and "hint:" in result.err
    assert not (tmp_path / "out").exists()
    piped = dctx("assemble", "builder", "--budget", "500", "--strict", "--format", "json", cwd=root)
    assert (piped.code, piped.out) == (4, "")


def test_strict_is_content_when_cutting_was_enough(example: Path, dctx: Run) -> None:
    result = dctx("assemble", "builder", "--budget", "3060", "--strict", cwd=example)
    assert result.code == 0
    assert result.out.startswith("<vision>")


def test_over_budget_without_strict_prints_all_the_same_and_warns(
    tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, {**SMALL, "VISION.md": LONG})
    result = dctx("assemble", "builder", "--budget", "500", cwd=root)
    assert result.code == 0
    assert LONG.strip() in result.out
    assert re.search(
        r"^dctx: warning: [\d,]+ tokens, over the budget of 500", result.err, re.MULTILINE
    )


def test_what_was_reduced_is_one_line_on_stderr(example: Path, dctx: Run) -> None:
    result = dctx("assemble", "builder", "--budget", "3060", cwd=example)
    used = json.loads(
        dctx("assemble", "builder", "--budget", "3060", "--format", "json", cwd=example).out
    )["budget"]
    assert used["status"] == "reduced"
    assert result.err.count("\n") == 1
    assert result.err.startswith(
        f"dctx: reduced to {used['used']:,} of 3,060 tokens (recent changes: only the newest 3 kept;"
    )
    assert "reduced" not in result.out


def test_explain_says_everything_on_stderr_and_nothing_on_stdout(example: Path, dctx: Run) -> None:
    plain = dctx("assemble", "builder", "--budget", "2980", cwd=example)
    told = dctx("assemble", "builder", "--budget", "2980", "--explain", cwd=example)
    assert told.out == plain.out
    assert told.err.startswith(plain.err)
    for words in (
        "Context for builder for task 2/1/3 (A page for each friend)",
        f"counted by chars/4 (an estimate: {CHARS.band})",
        "codebase: UI (page, form) -> CONVENTIONS, STRUCTURE",
        "  vision: ",
        "never cut, sha256 ",
        "from .director/VISION.md",
        "protected: cut last, sha256 ",
        "Cut, in the order of the ladder:",
        "recent changes: only the newest 5 kept [recent_changes ",
        ".director/codebase/TESTING.md: not needed for this kind of task",
        "Stable prefix: ",
    ):
        assert words in told.err
    data = json.loads(dctx("assemble", "builder", "--format", "json", "--explain", cwd=example).out)
    assert data["agent"] == "builder"


def test_warnings_are_on_stderr_and_in_json(small: Path, dctx: Run) -> None:
    write(small, {"goals/01-first/01-step/tasks/02-two.md": task("Two", "Task 1")})
    expected = "task 1/1/2 is not ready: it needs task 1/1/1 (One), which is not done"
    result = dctx("assemble", "builder", "-t", "2", "--model", "abacus-9", cwd=small)
    assert f"dctx: warning: {expected}\n" in result.err
    assert "'abacus-9' is not in the table" in result.err
    assert "warning" not in result.out
    data = json.loads(dctx("assemble", "builder", "-t", "2", "--format", "json", cwd=small).out)
    assert data["warnings"] == [expected]


def test_issues_come_from_standard_input_or_from_a_file(example: Path, tmp_path: Path) -> None:
    (tmp_path / "report.md").write_bytes("1. Der Fuß fehlt.\r\n".encode())
    piped = process(
        "assemble", "debugger", "--issues", "-", cwd=example, stdin="1. Der Fuß fehlt.\r\n".encode()
    )
    named = process("assemble", "debugger", "--issues", str(tmp_path / "report.md"), cwd=example)
    assert piped.code == named.code == 0
    assert "The issues to fix:\n1. Der Fuß fehlt.\n" in piped.out
    assert piped.out == named.out
    missing = process("assemble", "debugger", "--issues", "nowhere.md", cwd=example)
    assert (missing.code, missing.out) == (1, "")
    assert "--issues nowhere.md: there is no such file" in missing.err


# budget


def test_the_budget_table_shows_each_section_against_its_target(example: Path, dctx: Run) -> None:
    result = dctx("budget", "builder", cwd=example)
    data = json.loads(dctx("assemble", "builder", "--format", "json", cwd=example).out)
    lines = result.out.splitlines()
    assert lines[0] == "Context budget: builder, task 2/1/3 A page for each friend"
    assert lines[1].split() == ["Section", "Tokens", "Share", "Window", "Target"]
    targets = {
        "vision": "to 10%",
        "current_step": "to 5%",
        "decisions": "",
        "task": "to 5%",
        "codebase": "to 8%",
        "recent_changes": "to 5%",
        "instructions": "to 2%",
    }
    used = data["budget"]["used"]
    rows = lines[3 : 3 + len(targets)]
    for row, section in zip(rows, data["sections"], strict=True):
        name = section["tag"].replace("_", " ").capitalize()
        share = f"{section['tokens'] * 100 / used:.0f}%"
        of_window = f"{section['tokens'] * 100 / 200_000:.1f}%"
        pattern = (
            rf"{name} +{section['tokens']:,} +{share} +[█─]{{20}} "
            rf"+{re.escape(of_window)} *{re.escape(targets[section['tag']])}"
        )
        assert re.fullmatch(pattern, row), row
    percent = re.escape(str(data["budget"]["percent"]))
    assert re.fullmatch(rf"Total +{used:,} +100% +█{{20}} +{percent}% +to 30%", lines[-6])
    assert lines[-5:] == [
        "Budget: 60,000 tokens (30% of 200,000), 5% used",
        "Window: 200,000 tokens (default)",
        "Status: within budget",
        "Share: of this context. Window and Target: of the model's window; less is fine.",
        f"Counted by chars/4, an estimate: {CHARS.band}",
    ]


def test_what_takes_more_of_the_window_than_it_should_is_flagged(example: Path, dctx: Run) -> None:
    out = dctx("budget", "builder", "--window", "12000", "--budget", "100%", cwd=example).out
    assert re.search(r"^Codebase .* over 8%$", out, re.MULTILINE)
    assert re.search(r"^Vision .* to 10%$", out, re.MULTILINE)
    assert "\nAbove its target: Codebase, Instructions. " in out
    data = json.loads(
        dctx(
            "budget", "builder", "--window", "12000", "--budget", "100%", "--json", cwd=example
        ).out
    )
    above = [row["tag"] for row in data["sections"] if row["above_target"]]
    assert above == ["codebase", "instructions"]


def test_reference_documents_have_a_target_too(example: Path, dctx: Run) -> None:
    out = dctx("budget", "builder", "--ref", "terminology", cwd=example).out
    assert re.search(r"^Reference .* to 10%$", out, re.MULTILINE)


def test_the_budget_says_what_was_cut_and_when_it_is_not_enough(example: Path, dctx: Run) -> None:
    reduced = dctx("budget", "builder", "--budget", "3060", cwd=example).out
    assert (
        "Status: reduced\n" in reduced
        and "Cut: step: its copy of the decisions dropped\n" in reduced
    )
    over = dctx("budget", "builder", "--budget", "1000", cwd=example)
    assert over.code == 0 and "Status: over budget\n" in over.out


def test_budget_as_json_is_the_account_without_the_text(example: Path, dctx: Run) -> None:
    whole = json.loads(
        dctx("assemble", "planner", "--format", "json", "--window", "32k", cwd=example).out
    )
    del whole["text"]
    account = json.loads(dctx("budget", "planner", "--json", "--window", "32k", cwd=example).out)
    assert account.pop("target_percent") == [20, 30]
    targets = {}
    for row in account["sections"]:
        assert row.pop("above_target") is False
        targets[row["tag"]] = row.pop("target_percent")
    assert targets["vision"] == [5, 10] and targets["gameplan"] is None
    assert account == whole


def test_budget_all_has_a_row_for_every_agent(example: Path, dctx: Run) -> None:
    lines = dctx("budget", "--all", cwd=example).out.splitlines()
    assert lines[0].split() == ["Agent", "Tokens", "Window", "Budget", "Status"]
    rows = lines[2 : 2 + len(PROFILES)]
    assert [row.split()[0] for row in rows] == list(PROFILES)
    assert all("within budget" in row for row in rows)
    assert "Window of deep-researcher, synthesizer: 1,000,000 tokens" in lines
    assert len([line for line in lines if line.startswith("Window of ")]) == 2
    reports = json.loads(dctx("budget", "--all", "--json", cwd=example).out)
    assert [report["agent"] for report in reports] == list(PROFILES)
    alone = json.loads(dctx("budget", "verifier", "--json", cwd=example).out)
    assert reports[list(PROFILES).index("verifier")] == alone


def test_budget_all_says_why_an_agent_can_have_no_context_now(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {"VISION.md": "# Vision\nWords.\n", **plan({"01-one.done.md": task()})})
    result = dctx("budget", "--all", cwd=root)
    assert result.code == 0
    rows = {line.split()[0]: line for line in result.out.splitlines()[2:]}
    assert "Every task in the gameplan is done." in rows["builder"]
    assert "within budget" in rows["planner"]
    reports = {
        report["agent"]: report
        for report in json.loads(dctx("budget", "--all", "--json", cwd=root).out)
    }
    assert reports["builder"] == {
        "agent": "builder",
        "error": "Every task in the gameplan is done.",
    }


def test_what_if_finds_the_smallest_window_in_which_nothing_is_cut(
    example: Path, dctx: Run
) -> None:
    answer = json.loads(dctx("budget", "planner", "--what-if", "--json", cwd=example).out)
    assert list(answer) == [
        "agent",
        "budget",
        "smallest_window",
        "smallest_limit",
        "windows",
        "counter",
    ]
    assert (answer["agent"], answer["budget"]) == ("planner", "30%")
    assert [one["window"] for one in answer["windows"]] == [
        8_000,
        32_000,
        128_000,
        200_000,
        1_000_000,
    ]

    def status_at(window: int) -> str:
        found = json.loads(
            dctx("budget", "planner", "--json", "--window", str(window), cwd=example).out
        )["budget"]
        return str(found["status"])

    assert status_at(answer["smallest_window"]) == "within budget"
    assert status_at(answer["smallest_window"] - 1) == "reduced"
    for one in answer["windows"]:
        real = json.loads(
            dctx("budget", "planner", "--json", "--window", str(one["window"]), cwd=example).out
        )
        assert real["budget"] == {
            "window_from": "--window",
            **{key: one[key] for key in real["budget"] if key in one},
        }
        assert real["reductions"] == one["reductions"]


def test_what_if_as_a_table_names_what_goes(example: Path, dctx: Run) -> None:
    lines = dctx("budget", "planner", "--what-if", cwd=example).out.splitlines()
    assert re.fullmatch(
        r"planner: Nothing is cut from a window of [\d,]+ tokens on, at a budget of 30%\.", lines[0]
    )
    assert lines[1].split() == ["Window", "Budget", "Used", "Status", "What", "goes"]
    assert (
        lines[3].split()[0] == "8,000"
        and "reduced" in lines[3]
        and "codebase: all dropped" in lines[3]
    )
    assert lines[-2].split()[0] == "1,000,000" and lines[-2].endswith("nothing")
    fixed = dctx("budget", "planner", "--what-if", "--budget", "2500", cwd=example).out.splitlines()
    assert re.match(r"planner: Nothing is cut from a budget of [\d,]+ tokens on\.", fixed[0])


# profiles


def test_profiles_as_a_table_has_a_row_and_a_purpose_for_each_agent(
    example: Path, dctx: Run
) -> None:
    lines = dctx("profiles", cwd=example).out.splitlines()
    assert lines[0].split()[:8] == [
        "agent",
        "vision",
        "gameplan",
        "step",
        "task",
        "recent",
        "state",
        "decisions",
    ]
    agents, skills = lines[2 : lines.index("")], lines[lines.index("") + 3 :]
    for line, profile in zip(
        (*agents, *skills), (*PROFILES.values(), *SKILLS.values()), strict=True
    ):
        assert line.startswith(f"{profile.name} ") and line.endswith(profile.purpose)
    assert lines[2].split()[1:10] == [
        "yes",
        "-",
        "yes",
        "yes",
        "yes",
        "-",
        "yes",
        "by-task",
        "by-task",
    ]
    mapper = next(line for line in lines if line.startswith("deep-mapper "))
    assert mapper.split()[1] == "optional"


@pytest.mark.parametrize("name", [*PROFILES, *SKILLS])
def test_a_profile_is_printed_as_yaml_that_dctx_yaml_takes_back_unchanged(
    name: str, example: Path, dctx: Run
) -> None:
    printed = dctx("profiles", name, cwd=example).out
    taken = parse_config(parse_yaml(printed, "dctx.yaml"))
    assert (taken.profiles, taken.skills) == (PROFILES, SKILLS)


ODD_PROFILES = {
    "an extended agent": (
        "copywriter",
        "profiles: {copywriter: {extends: builder, purpose: 'writes: \"all\" # é'}}",
    ),
    "words with marks": (
        "builder",
        "profiles: {builder: {reference: ['a,b', '[x]', '- y', 'é.md', '5']}}",
    ),
    "an emptied list": ("builder", "profiles: {builder: {protect: [], requires: []}}"),
    "a new agent without a purpose": ("own", "profiles: {own: {sections: [vision]}}"),
    "words that YAML reads as something else": (
        "builder",
        "profiles: {builder: {purpose: 'no', reference: ['null', '0x1F', '2024-01-01', '1_000', '12:30']}}",
    ),
    "a name that needs quotes": ("my: agent", "profiles: {'my: agent': {extends: builder}}"),
    "a name that YAML reads as something else": ("on", "profiles: {'on': {extends: builder}}"),
}


@pytest.mark.parametrize(
    ("name", "config"),
    [
        *(pytest.param(*case, id=title) for title, case in ODD_PROFILES.items()),
        pytest.param(
            "builder",
            'profiles: {builder: {purpose: "a\\x7fb"}}',
            id="a control character",
        ),
        pytest.param(
            "builder",
            'profiles: {builder: {purpose: "a\\x85b"}}',
            id="a mark that ends a line",
        ),
    ],
)
def test_a_projects_own_profile_survives_printing_and_reading(
    name: str, config: str, tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path, {"dctx.yaml": config})
    own = parse_config(parse_yaml(config, "dctx.yaml")).profiles[name]
    printed = dctx("profiles", name, cwd=root).out
    assert parse_config(parse_yaml(printed, "dctx.yaml")).profiles[name] == own


def test_profiles_as_json_holds_all_tables(example: Path, dctx: Run) -> None:
    data = json.loads(dctx("profiles", "--json", cwd=example).out)
    assert {"profiles", "task_types", "research_types"} <= set(data)
    assert list(data["profiles"]) == list(PROFILES)
    assert list(data["skills"]) == list(SKILLS)
    assert data["task_types"]["UI"]["files"] == ["CONVENTIONS", "STRUCTURE"]
    tables = {key: data[key] for key in ("task_types", "research_types")}
    assert parse_config(
        {**tables, "profiles": {"builder": _without_name(data["profiles"]["builder"])}}
    ) == parse_config({})
    assert (
        json.loads(dctx("profiles", "Director:Builder", "--json", cwd=example).out)
        == data["profiles"]["builder"]
    )


def _without_name(profile: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in profile.items() if key != "name" and value != []}


def test_profiles_needs_no_project_unless_one_is_named(tmp_path: Path, dctx: Run) -> None:
    result = dctx("profiles", cwd=Path("/"))
    assert result.code == 0 and "builder" in result.out
    named = dctx("profiles", "--root", str(tmp_path), cwd=tmp_path)
    assert (named.code, named.out) == (1, "")


def test_a_profile_that_was_changed_is_marked(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {"dctx.yaml": "profiles: {verifier: {sections: [task]}}"})
    marked = [
        line
        for line in dctx("profiles", cwd=root).out.splitlines()
        if "(this project's own)" in line
    ]
    assert len(marked) == 1 and marked[0].startswith("verifier ")


# status and next


def test_status_shows_bars_counted_from_the_files(example: Path, dctx: Run) -> None:
    out = dctx("status", cwd=example).out
    lines = out.splitlines()
    assert len(lines) <= MOST_LINES
    full, third = "█" * 20, "█" * 7 + "─" * 13
    assert f"Goal 1: A list worth opening every day  {full}  100%  5/5 tasks" in lines
    assert f"Goal 2: A list shared by friends        {third}   33%  2/6 tasks" in lines
    assert re.search(r"^  Step 1: Who saved what +█{10}─{10} +50%  2/4 tasks$", out, re.MULTILINE)
    assert "Next: 2/1/3  A page for each friend" in lines
    assert "2 tasks wait for others: `dctx status --goal 2`" in lines
    assert "1 open question: `dctx doctor`" in lines
    assert "3 records disagree with the files: `dctx doctor`" in lines
    assert "Should the list be reachable" in dctx("doctor", cwd=example).out


def test_status_of_many_goals_says_how_many_are_complete_and_how_many_are_left(
    tmp_path: Path, dctx: Run
) -> None:
    files = {"VISION.md": "# Vision\n\n## Project Name\nShop\n"}
    for number in range(1, 31):
        ending = ".done.md" if number <= 10 else ".md"
        goal = f"goals/{number:02}-goal"
        files[f"{goal}/GOAL.md"] = f"# Goal {number}: Number {number}\n"
        files[f"{goal}/01-step/STEP.md"] = step(1, "Only")
        files[f"{goal}/01-step/tasks/01-task{ending}"] = task("Only")
    lines = dctx("status", cwd=write(tmp_path, files)).out.splitlines()
    assert len(lines) <= MOST_LINES
    assert lines[2] == "Complete: 10 goals"
    assert lines[3].startswith("Goal 11: Number 11  ")
    left = 20 - len([line for line in lines if line.startswith("Goal ")])
    assert f"And {left} goals, not started: `dctx status --json`" in lines


def test_status_says_once_what_is_wrong_with_the_settings_and_tells_of_the_files(
    small: Path, dctx: Run
) -> None:
    (small / ".director" / "dctx.yaml").write_text("model: [a\n")
    result = dctx("status", cwd=small)
    assert result.code == 0 and "Next: " in result.out
    assert result.err.startswith("dctx: .director/dctx.yaml is not valid YAML (line ")
    assert result.err.count("dctx.yaml") == 1 and "plan" not in result.err


def test_status_of_one_goal_goes_down_to_its_tasks(example: Path, dctx: Run) -> None:
    out = dctx("status", "--goal", "2", cwd=example).out
    assert "Goal 1" not in out
    assert "    [x] 2. " in out and "    [ ] 3. A page for each friend\n" in out
    assert "(waits: it needs step 2/1 (Who saved what), which is not complete)" in out
    data = json.loads(dctx("status", "-g", "shared", "--json", cwd=example).out)
    assert [goal["number"] for goal in data["goals"]] == [2]
    missing = dctx("status", "--goal", "9", cwd=example)
    assert (missing.code, missing.out) == (1, "")


def test_status_as_json_has_numbers_and_places(example: Path, dctx: Run) -> None:
    data = json.loads(dctx("status", "--json", cwd=example).out)
    assert {
        "name",
        "current",
        "goals",
        "next",
        "questions",
        "staleness",
        "mismatches",
        "notes",
        "templates",
    } <= set(data)
    assert data["name"] == "Reading List"
    assert data["current"]["ref"] == "2/1/3"
    assert [(goal["done"], goal["total"], goal["state"]) for goal in data["goals"]] == [
        (5, 5, "complete"),
        (2, 6, "in progress"),
    ]
    assert list(data["goals"][0]["steps"][0]) == [
        "number",
        "title",
        "path",
        "state",
        "done",
        "total",
        "review",
    ]
    upcoming = json.loads(dctx("next", "--json", cwd=example).out)
    assert data["next"] == upcoming
    assert data["questions"][0]["path"] == ".director/VISION.md"


def test_next_names_the_task_its_file_and_the_ground(example: Path, dctx: Run) -> None:
    result = dctx("next", cwd=example)
    lines = result.out.splitlines()
    assert result.code == 0
    assert lines[0] == "2/1/3  A page for each friend"
    assert lines[1] == "Goal 2: A list shared by friends, step 1: Who saved what"
    assert (example / lines[2]).is_file()
    assert lines[3].startswith("Ready: the first open task in order; everything before it is done.")
    assert "  2/2/2  Download as a spreadsheet file (it needs nothing first)" in lines
    assert next_task(load_project(example)).state == "ready"


def test_next_exits_with_5_when_all_is_done_and_6_when_nothing_is_ready(
    tmp_path: Path, dctx: Run
) -> None:
    done = write(tmp_path / "done", plan({"01-one.done.md": task()}))
    result = dctx("next", cwd=done)
    assert (result.code, result.out) == (5, "Everything in the gameplan is done.\n")
    waiting = write(tmp_path / "waiting", plan({"01-one.md": task(needs="Goal 7")}))
    result = dctx("next", cwd=waiting)
    assert result.code == 6
    assert (
        "Nothing is ready" in result.out and "it needs Goal 7, which does not exist" in result.out
    )
    empty = write(tmp_path / "empty", {"VISION.md": "# Vision\nx\n"})
    assert dctx("next", "--json", cwd=empty).code == 6
    assert dctx("assemble", "builder", cwd=done).code == 5
    assert dctx("assemble", "builder", cwd=waiting).code == 6


def test_status_of_a_project_without_goals_says_so(small: Path, tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path / "bare", {"VISION.md": "# Vision\nx\n"})
    result = dctx("status", cwd=root)
    assert result.code == 0
    assert "No goals are planned yet." in result.out


def test_the_version_is_the_packages(dctx: Run, tmp_path: Path) -> None:
    for flag in ("--version", "-V"):
        result = dctx(flag, cwd=tmp_path)
        assert (result.code, result.out, result.err) == (0, f"dctx {__version__}\n", "")


# init


def test_init_makes_a_folder_once_and_never_overwrites(tmp_path: Path, dctx: Run) -> None:
    first = dctx("init", "--root", ".", cwd=tmp_path)
    assert first.code == 0 and "a new project (greenfield)" in first.out
    vision = tmp_path / ".director" / "VISION.md"
    vision.write_text("mine")
    (tmp_path / ".director" / "STATE.md").unlink()
    second = dctx("init", cwd=tmp_path)
    assert second.code == 0 and ".director/STATE.md" in second.out
    assert vision.read_text() == "mine"
    assert dctx("init", cwd=tmp_path).out == "Nothing was missing; nothing was changed.\n"
    assert dctx("status", cwd=tmp_path).code == 0
    assert dctx("assemble", "interviewer", cwd=tmp_path).code == 0


def test_init_sees_code_and_asks_before_nesting(tmp_path: Path, dctx: Run) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    assert "a project with code (brownfield)" in dctx("init", "--root", ".", cwd=tmp_path).out
    (tmp_path / "sub").mkdir()
    refused = dctx("init", cwd=tmp_path / "sub")
    assert refused.code == 1 and "dctx init --root ." in refused.err
    assert not (tmp_path / "sub" / ".director").exists()
    assert dctx("init", "--root", ".", cwd=tmp_path / "sub").code == 0


def test_what_is_told_of_a_part_of_a_context_is_only_that(example: Path, dctx: Run) -> None:
    words = ("assemble", "builder", "--budget", "2980", "--only", "codebase", "--no-record")
    told = dctx(*words, "--explain", cwd=example).err
    part = told[told.index("Context for builder") :]
    assert "Printed of that, in this order:\n  codebase: " in part and "  vision: " not in part
    assert "codebase: UI (page, form)" in part and "[recent_changes " not in part
    assert "Left out:" not in part and "Stable prefix" not in part
    cuts = json.loads(dctx(*words, "--format", "json", cwd=example).out)["reductions"]
    assert all(cut["tag"] == "codebase" for cut in cuts)


# Terminals

COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38;[25];)")


def test_colours_are_for_terminals_only(example: Path) -> None:
    shown = on_terminal(example, "status")
    assert COLOUR.search(shown)
    piped = process("status", cwd=example)
    assert "\x1b" not in piped.out
    assert re.sub(rb"\x1b\[[\d;]*m", b"", shown).replace(b"\r\n", b"\n").decode() == piped.out


def test_no_color_is_heeded_on_a_terminal(example: Path) -> None:
    for arguments in (["status"], ["budget", "builder", "--budget", "1000"]):
        assert COLOUR.search(on_terminal(example, *arguments))
        shown = on_terminal(example, *arguments, env={"NO_COLOR": "1"})
        assert not COLOUR.search(shown)
        assert shown


@pytest.mark.parametrize(
    "arguments", [["assemble", "builder"], ["next", "--json"], ["profiles", "builder"]]
)
def test_what_a_program_may_read_is_plain_on_a_terminal_too(
    arguments: list[str], example: Path
) -> None:
    shown = on_terminal(example, *arguments)
    assert b"\x1b" not in shown
    assert shown.replace(b"\r\n", b"\n").decode() == process(*arguments, cwd=example).out


def test_the_budget_table_on_a_terminal_has_the_same_words(example: Path) -> None:
    shown = re.sub(rb"\x1b\[[\d;]*m", b"", on_terminal(example, "budget", "builder")).decode()
    for word in ("Section", "Target", "Recent changes", "to 30%", "Status: within budget"):
        assert word in shown
