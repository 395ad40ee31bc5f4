"""Commands of skills that need the user's word: given for one project and one content, run alone
and bounded.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, process, write

from director_ctx.clients.skills import shell
from director_ctx.context.settings import consents

Run = Callable[..., Result]
HEAD = "---\nname: probe\ndescription: Looks.\n---\n"


def alive(pid: int) -> bool:
    """Whether a process still does something."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"
    except OSError:
        return False


class Probe:
    """A project with one skill."""

    def __init__(self, root: Path, dctx: Run) -> None:
        self.root, self.dctx = root, dctx

    def write(self, body: str) -> None:
        write(self.root, {"/.claude/skills/probe/SKILL.md": HEAD + body})

    def run(self, *words: str) -> Result:
        return self.dctx("skill", *words, cwd=self.root)

    def trusted(self, body: str, *words: str) -> Result:
        self.write(body)
        assert self.run("trust", "probe", "--yes").code == 0
        return self.run("render", "probe", *words)


@pytest.fixture
def probe(tmp_path: Path, dctx: Run) -> Probe:
    return Probe(tmp_path / "p", dctx)


def test_nothing_runs_before_the_user_said_so_and_nothing_after_it_was_taken_back(
    probe: Probe,
) -> None:
    probe.write("!`echo ran; echo made > F`\n")
    assert "(not available: echo ran" in probe.run("render", "probe").out
    asked = probe.run("trust", "probe")
    assert (
        asked.code == 1
        and "  echo ran; echo made > F\n" in asked.out
        and "nobody can be asked" in asked.err
    )
    assert not (probe.root / "F").exists()
    assert probe.run("trust", "probe", "--yes").code == 0
    assert probe.run("render", "probe").out == "ran\n" and (probe.root / "F").exists()
    assert "Nothing to do" in probe.run("trust", "probe").out
    assert "Taken back" in probe.run("trust", "probe", "--revoke").out
    assert "(not available: " in probe.run("render", "probe").out
    assert "nothing to take back" in probe.run("trust", "probe", "--revoke").out


@pytest.mark.parametrize(
    "named", ["probe", "./.claude/skills/probe/SKILL.md", ".claude/skills/probe/"]
)
def test_the_command_that_allows_a_skill_names_it_as_the_user_did(named: str, probe: Probe) -> None:
    probe.write("!`echo one`\n")
    assert f"; `dctx skill trust {named}` allows it" in probe.run("render", named).err
    assert "changed since" not in probe.run("render", named).err
    assert probe.run("trust", named, "--yes").code == 0
    assert probe.run("render", named).out == "one\n"


def test_what_your_word_would_not_change_does_not_ask_for_it(probe: Probe) -> None:
    done = probe.trusted("!`sh -c $0`\n", "x")
    assert "(not available: " in done.out and "skill trust" not in done.out


def test_a_skill_that_runs_nothing_of_its_own_needs_no_word(probe: Probe) -> None:
    probe.write("!`cat .director/VISION.md`\n")
    assert "nothing that needs your word" in probe.run("trust", "probe").out
    assert not Path(consents.record_path()).exists()


def test_a_changed_skill_asks_again(probe: Probe) -> None:
    assert probe.trusted("!`echo one`\n").out == "one\n"
    probe.write("!`echo two`\n")
    said = "it, or a file that it names, was changed since you allowed it; `dctx skill trust probe` allows it"
    assert said in probe.run("render", "probe").err
    probe.write("!`echo one`\n")
    assert probe.run("render", "probe").out == "one\n"


@pytest.mark.parametrize(
    "command", ["sh ${CLAUDE_SKILL_DIR}/run.sh", "sh scripts/run.sh;", "sh -c 'sh scripts/run.sh'"]
)
def test_a_changed_script_asks_again(probe: Probe, command: str) -> None:
    for folder in (probe.root / ".claude/skills/probe", probe.root / "scripts"):
        folder.mkdir(parents=True)
        (folder / "run.sh").write_text("echo one\n")
    assert probe.trusted(f"!`{command}`\n").out == "one\n"
    changed = probe.root / (".claude/skills/probe" if "SKILL" in command else "scripts") / "run.sh"
    changed.write_text("touch F\n")
    assert (
        "(not available: " in probe.run("render", "probe").out and not (probe.root / "F").exists()
    )


def test_consent_is_for_one_project_and_one_file(probe: Probe, tmp_path: Path) -> None:
    assert probe.trusted("!`echo one`\n").out == "one\n"
    shutil.copytree(probe.root, tmp_path / "copy")
    other = Probe(tmp_path / "copy", probe.dctx)
    assert "(not available: " in other.run("render", "probe").out
    path = tmp_path / "p" / ".claude/skills/other/SKILL.md"
    path.parent.mkdir()
    path.write_text(HEAD.replace("probe", "other") + "!`echo one`\n")
    assert "(not available: " in probe.run("render", "other").out


def test_a_project_cannot_bring_its_own_consent(
    probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe.trusted("!`echo one`\n")
    inside = probe.root / ".state" / "dctx" / "consents.json"
    inside.parent.mkdir(parents=True)
    shutil.copy(consents.record_path(), inside)
    monkeypatch.setenv("XDG_STATE_HOME", str(probe.root / ".state"))
    assert Path(consents.record_path()) == inside
    assert "(not available: " in probe.run("render", "probe").out
    refused = probe.run("trust", "probe", "--yes")
    assert refused.code == 1 and "inside this project" in refused.err


@pytest.mark.parametrize("text", ["", "[]", "{", '{"/": 3}', "[" * 100_000])
def test_a_record_of_consents_that_is_none_allows_nothing(probe: Probe, text: str) -> None:
    probe.trusted("!`echo one`\n")
    Path(consents.record_path()).write_text(text)
    assert "(not available: " in probe.run("render", "probe").out
    assert probe.trusted("!`echo one`\n").out == "one\n"


def test_the_record_is_for_the_user_alone_and_keeps_other_projects(
    probe: Probe, tmp_path: Path
) -> None:
    probe.trusted("!`echo one`\n")
    Probe(tmp_path / "q", probe.dctx).trusted("!`echo two`\n")
    assert os.stat(consents.record_path()).st_mode & 0o077 == 0
    assert set(json.loads(Path(consents.record_path()).read_text())) == {
        str(tmp_path / "p"),
        str(tmp_path / "q"),
    }


def test_it_runs_in_the_project_with_a_clean_environment_and_nothing_to_read(
    probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "SECRET")
    monkeypatch.setenv("DCTX_ROOT", str(probe.root))
    done = probe.trusted("!`env; pwd; cat; echo end`\n")
    names = {line.partition("=")[0] for line in done.out.splitlines() if "=" in line}
    assert names <= {
        "PATH",
        "HOME",
        "LANG",
        "TERM",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_SKILL_DIR",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
        "PYTHONDONTWRITEBYTECODE",
        "DCTX_IN_SKILL",
    }
    assert "TERM=dumb" in done.out and "SECRET" not in done.out
    assert done.out.endswith(f"{probe.root}\nend\n")


def test_it_reads_nothing_of_standard_input(probe: Probe) -> None:
    probe.trusted("!`cat; echo end`\n")
    assert process("skill", "render", "probe", cwd=probe.root, stdin=b"SECRET").out == "end\n"


def test_a_place_that_is_not_known_is_not_left_to_the_shell(probe: Probe) -> None:
    done = probe.trusted("!`echo ${CLAUDE_PLUGIN_ROOT}/x; echo ran`\n")
    assert "${CLAUDE_PLUGIN_ROOT} is not known here" in done.out


def test_an_argument_goes_into_plain_words_only(probe: Probe) -> None:
    text = "x; touch F $(touch F) `touch F` *"
    assert probe.trusted("!`echo $ARGUMENTS b`\n", text).out == f"{text} b\n"
    for body in (
        "!`echo $ARGUMENTS; true`\n",
        "!`sh -c $ARGUMENTS`\n",
        "!`sh -c 'echo $0'`\n",
        "!`eval $0`\n",
        "!`$0`\n",
        "!`xargs $0`\n",
        "!`sh $0`\n",
        "!`/usr/bin/python3 $0`\n",
    ):
        assert "(not available: " in probe.trusted(body, text).out, body
    assert "(not available: " in probe.trusted("!`ls $0`\n", "--", "-la").out
    assert "(not available: " in probe.trusted("!`$0 F`\n", "touch").out
    assert not (probe.root / "F").exists()


def test_consent_is_not_for_what_only_an_argument_asks(probe: Probe) -> None:
    write(probe.root, {"VISION.md": "# Vision\n", "/.env": "SECRET"})
    body = "!`cat .director/VISION.md $0`\n!`echo shown`\n"
    assert probe.trusted(body).out == "# Vision\nshown\n"
    assert "SECRET" not in probe.run("render", "probe", ".env").out


def test_a_dollar_that_no_argument_answers_is_the_commands_own(probe: Probe) -> None:
    assert probe.trusted("!`echo a b | awk '{print $2}'`\n").out == "b\n"
    assert "(not available: " in probe.run("render", "probe", "x y z").out


def test_what_takes_too_long_is_stopped_with_all_its_children(
    probe: Probe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "TIMEOUT", 0.5)
    done = probe.trusted("!`(sleep 3; touch F) & sleep 60`\n")
    assert "it was stopped after" in done.out
    time.sleep(3.2)
    assert not (probe.root / "F").exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_a_grandchild_that_stays_behind_is_ended_and_not_waited_for(probe: Probe) -> None:
    assert probe.trusted("!`sleep 60 & echo $! > pid; echo done`\n").out == "done\n"
    pid = int((probe.root / "pid").read_text())
    assert any(not alive(pid) or time.sleep(0.1) for _ in range(100))


def test_endless_output_is_stopped(probe: Probe) -> None:
    done = probe.trusted("!`yes`\n")
    assert "printed without end" in done.out and len(done.out) < 1_000


def test_what_it_prints_is_escaped_like_everything_else(probe: Probe) -> None:
    done = probe.trusted("!`printf '\\033[31mred\\033[0m\\n</task> \\007\\377x\\r\\ny'`\n")
    assert done.out == "red\n&lt;/task> \N{REPLACEMENT CHARACTER}x\ny\n"


def test_a_command_that_fails_gives_a_note(probe: Probe) -> None:
    assert probe.trusted("!`echo no >&2; exit 3`\n").out.startswith("(not available: ")
    assert probe.trusted("!`echo no >&2; exit 3 || true`\n").out.startswith("(not available: ")
    gone = probe.trusted("!`./gone.sh $0`\n", "x").out
    assert gone.startswith("(not available: ./gone.sh x: ./gone.sh cannot be run")


def test_a_trusted_skill_cannot_render_itself(probe: Probe) -> None:
    called = f"PYTHONPATH='{ROOT}' '{sys.executable}' -m director_ctx skill render probe"
    done = probe.trusted(f"!`{called}`\n")
    assert done.code == 0 and "(not available: " in done.out and "Take it out of there" in done.out


def test_the_rehearsal_shows_trust_and_runs_nothing(probe: Probe) -> None:
    probe.write("!`touch F`\n")
    probe.run("trust", "probe", "--yes")
    (row,) = json.loads(probe.run("render", "probe", "--dry-run", "--json").out)["commands"]
    assert row["leave"] == "trusted" and not (probe.root / "F").exists()


def test_what_is_shown_cannot_hide_anything(probe: Probe) -> None:
    probe.write("!`echo \N{RIGHT-TO-LEFT OVERRIDE}ok`\n```!\necho a\ntouch F\n```\n")
    shown = probe.run("trust", "probe", "--yes").out
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown and "  echo a\n  touch F\n" in shown
