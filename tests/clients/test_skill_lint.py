"""What `dctx skill lint` finds in skills, and what it mends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.clients.skills.files import shipped_names
from director_ctx.clients.skills.injections import INERT, attached, find
from director_ctx.clients.skills.mending import mended_body

Run = Callable[..., Result]
HEAD = "---\nname: probe\ndescription: Looks.\nallowed-tools: Bash(dctx *)\n---\n"


@pytest.fixture
def lint(tmp_path: Path, dctx: Run) -> Callable[..., list[dict[str, object]]]:
    """The findings in one skill of the project."""

    def make(
        text: str, *options: str, files: dict[str, str] | None = None
    ) -> list[dict[str, object]]:
        write(tmp_path, {**(files or {}), "/.claude/skills/probe/SKILL.md": text})
        done = dctx("skill", "lint", "probe", "--json", *options, cwd=tmp_path)
        (one,) = json.loads(done.out)
        assert done.code == int(any(finding["level"] == "error" for finding in one["findings"]))
        found: list[dict[str, object]] = one["findings"]
        return found

    return make


def test_nothing_is_wrong_with_a_good_skill(lint: Run, tmp_path: Path, dctx: Run) -> None:
    body = (
        "Look:\n\n!`cat .director/STATE.md 2>/dev/null || true`\n!`dctx assemble builder --inject`\n"
        "!`git log --oneline -5 | head -3`\nThen $ARGUMENTS for $HOME.\n"
    )
    assert lint(HEAD + body) == []
    assert dctx("skill", "lint", "probe", cwd=tmp_path).out == "1 skill: nothing is wrong.\n"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build && npm run x",
        "npm ls",
        "python3 x.py",
        "rm -rf build",
        "git push",
        "sh -c 'dctx next'",
    ],
)
def test_no_leave_is_advised_for_what_does_more_than_read(command: str, lint: Run) -> None:
    advice = " ".join(str(one["advice"]) for one in lint(f"{HEAD}!`{command}`\n"))
    assert "May it really run" in advice and "Bash(" not in advice


@pytest.mark.parametrize(
    ("command", "leave"),
    [
        ("dctx next --inject", "Bash(dctx *)"),
        ("python3 -m director_ctx next --inject", "Bash(python3 -m director_ctx *)"),
    ],
)
def test_leave_for_our_own_commands_is_advised_and_then_enough(
    command: str, leave: str, lint: Run
) -> None:
    head = HEAD.replace("allowed-tools: Bash(dctx *)\n", "")
    (finding,) = lint(f"{head}!`{command}`\n")
    assert finding["advice"] == f"Add it to allowed-tools: {leave}."
    assert lint(f"{HEAD.replace('Bash(dctx *)', leave)}!`{command}`\n") == []


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ("", "there is no frontmatter"),
        ("---\nname: [\n---\n", "is not valid YAML"),
        ("---\n- a\n---\n", "is not a table"),
        ("---\ndescription: x\n---\n", "The name is not one of a skill"),
        ("---\nname: Probe\ndescription: x\n---\n", "The name is not one of a skill"),
        ("---\nname: a--b\ndescription: x\n---\n", "The name is not one of a skill"),
        (f"---\nname: {'a' * 65}\ndescription: x\n---\n", "The name is not one of a skill"),
        ("---\nname: other\ndescription: x\n---\n", "the folder is probe"),
        ("---\nname: probe\n---\n", "There is no description"),
        (f"---\nname: probe\ndescription: {'x' * 1025}\n---\n", "1,025 characters"),
        ("---\nname: probe\ndescription: a <b> c\n---\n", "has < or > in it"),
        (f"---\nname: probe\ndescription: x\ncompatibility: {'x' * 501}\n---\n", "more than 500"),
    ],
)
def test_the_open_standard_is_kept(head: str, says: str, lint: Run) -> None:
    errors = [finding for finding in lint(head + "Text.\n") if finding["level"] == "error"]
    assert len(errors) == 1 and says in str(errors[0]["says"]) and errors[0]["line"] == 1


def test_keys_of_one_client_are_noted_and_unknown_ones_warned_of(lint: Run) -> None:
    found = lint("---\nname: probe\ndescription: x\nargument-hint: y\nautor: z\n---\nText.\n")
    assert [(one["level"], "`argument-hint`" in str(one["says"])) for one in found] == [
        ("note", True),
        ("warning", False),
    ]


@pytest.mark.parametrize(
    ("line", "level", "says"),
    [
        ("Vision: !cat .director/VISION.md 2>/dev/null || true", "error", "No client carries out"),
        ("See `!dctx next --inject`", "error", "No client carries out"),
        ("<x>!`dctx next --inject`</x>", "error", "is not carried out"),
        ("!`cat .director/VISION.md`", "warning", "where the file is missing"),
        ("!`cat .director/VISION.md 2>/dev/null`", "warning", "where the file is missing"),
        ("!`dctx next`", "warning", "Add --inject"),
        ("!`python3 x.py || true`", "warning", "May it really run each time"),
        ("!`cat $CLAUDE_PLUGIN_ROOT/x || true`", "error", "cannot check $CLAUDE_PLUGIN_ROOT"),
        ("!`dctx next $(date) --inject`", "error", "cannot check $("),
        ("!`dctx task show $ARGUMENTS --inject`", "warning", "becomes part of a command line"),
        ("!`cat .director/long.md || true`", "warning", "prints 40,000 characters"),
        ("x\n" * 500, "warning", "lines"),
        ("", "warning", "no text"),
    ],
)
def test_what_a_client_would_do_with_it_is_said(
    line: str, level: str, says: str, lint: Run
) -> None:
    found = lint(f"{HEAD}{line}\n", files={"long.md": "x" * 40_000})
    assert [one["level"] for one in found] == [level]
    assert says in f"{found[0]['says']} {found[0]['advice']}"


def test_a_finding_names_its_line_in_the_file(lint: Run) -> None:
    (finding,) = lint(f"{HEAD}\n\nA\n\n!`dctx next`\n")
    assert finding["line"] == 10


def test_fix_mends_the_forms_shows_them_and_keeps_the_rest(tmp_path: Path, dctx: Run) -> None:
    body = "Vision: !cat .director/VISION.md\r\nSee `!dctx next --inject`.\r\n<x>!`dctx status --inject`</x>\r\n\r\n"
    text = b"\xef\xbb\xbf" + (HEAD.replace("\n", "\r\n") + body).encode()
    write(tmp_path, {"/.claude/skills/probe/SKILL.md": text})
    path = tmp_path / ".claude/skills/probe/SKILL.md"
    path.chmod(0o640)
    done = dctx("skill", "lint", "--fix", cwd=tmp_path)
    better = (
        "Vision: !`cat .director/VISION.md 2>/dev/null || true`\r\nSee !`dctx next --inject`.\r\n"
        "<x> !`dctx status --inject`</x>\r\n\r\n"
    )
    assert path.read_bytes() == text.replace(body.encode(), better.encode())
    assert path.stat().st_mode & 0o777 == 0o640
    assert done.code == 0 and "-Vision: !cat" in done.out and "+Vision: !`cat" in done.out
    assert "was mended" not in dctx("skill", "lint", "--fix", cwd=tmp_path).out


def test_what_fix_shows_has_its_tabs_and_no_line_ends_of_another_system(
    tmp_path: Path, dctx: Run
) -> None:
    text = f"{HEAD}\nSee\t`!dctx next --inject`.\n".replace("\n", "\r\n")
    write(tmp_path, {"/.claude/skills/probe/SKILL.md": text})
    shown = dctx("skill", "lint", "--fix", cwd=tmp_path).out
    assert "\n  -See\t`!dctx next --inject`.\n  +See\t!`dctx next --inject`.\n" in shown, shown


def test_fix_leaves_what_is_not_the_projects_unless_it_is_named(tmp_path: Path, dctx: Run) -> None:
    write(tmp_path, {})
    mine = Path.home() / ".claude/skills/mine/SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text(HEAD.replace("probe", "mine") + "See `!dctx next --inject`\n")
    assert dctx("skill", "lint", "--fix", cwd=tmp_path).code == 1
    assert "`!dctx" in mine.read_text()
    assert dctx("skill", "lint", "mine", "--fix", cwd=tmp_path).code == 0
    assert "!`dctx" in mine.read_text()


def test_fix_does_not_touch_what_it_cannot_give_back(tmp_path: Path, dctx: Run) -> None:
    text = HEAD.encode() + b"See `!dctx next`\r\n\xff\n"
    write(tmp_path, {"/.claude/skills/probe/SKILL.md": text})
    done = dctx("skill", "lint", "--fix", cwd=tmp_path)
    assert done.code == 1 and "Mend it by hand" in done.err
    assert (tmp_path / ".claude/skills/probe/SKILL.md").read_bytes() == text


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, dctx: Run) -> None:
    write(
        tmp_path,
        {
            "/.claude/skills/probe/SKILL.md": b"\0\0\0\0",
            "/.claude/skills/good/SKILL.md": HEAD + "x\n",
        },
    )
    done = dctx("skill", "lint", cwd=tmp_path)
    assert done.code == 1 and "is not a text" in done.out


def test_what_is_right_has_no_line_and_all_have_one_together(tmp_path: Path, dctx: Run) -> None:
    bad = HEAD.replace("probe", "bad") + "!`dctx next`\nSee `!dctx next`\n"
    write(
        tmp_path,
        {"/.claude/skills/probe/SKILL.md": HEAD + "x\n", "/.claude/skills/bad/SKILL.md": bad},
    )
    *found, last = dctx("skill", "lint", cwd=tmp_path).out.splitlines()
    assert found and not any("skills/probe" in line or "dctx/skills" in line for line in found)
    count = 2 + len(shipped_names())
    assert last == f"{count} skills: 1 error, {sum('warning:' in line for line in found)} warnings."


def test_every_skill_of_our_own_is_without_a_fault(tmp_path: Path, dctx: Run) -> None:
    write(tmp_path, {})
    rows = json.loads(dctx("skill", "lint", "--json", cwd=tmp_path).out)
    assert rows and all(not row["findings"] for row in rows)


PIECES = st.sampled_from(
    [
        "!cat .director/x",
        "`!dctx next`",
        "!`git log`",
        "(",
        ">",
        " ",
        "\n",
        ": ",
        "`",
        "```",
        "!",
        "text",
        "```!\n",
        "- ",
        "x",
    ]
)


@given(body=st.lists(PIECES, max_size=12).map("".join))
def test_a_mended_body_has_nothing_inert_that_is_found_and_stays_mended(body: str) -> None:
    once = mended_body(body)
    twice = mended_body(once)
    assert mended_body(twice) == twice
    others = body.replace("`!dctx next`", "")
    # Where a mark stands behind a command, it may begin one with what follows, or end the one before.
    is_clear = "`!" not in others and "`" not in others.replace("!`git log`", "")
    if is_clear:
        assert not [one for one in find(once) if one.form in INERT] and not attached(once)


def test_commands_that_share_characters_are_not_written_twice() -> None:
    assert mended_body("!`a (!`b`\n") == "!`a (!`b`\n"
