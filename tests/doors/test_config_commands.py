"""`dctx config show` and `set`: settings looked at, checked and changed in place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, write

from director_ctx.base.resources import read_shipped
from director_ctx.context.settings.config import SCHEMA_NAME
from director_ctx.upkeep.settings_file import SCHEMA_LINE

Dctx = Callable[..., Result]
COMMENTED = """\
# Agreed in March.
budget: 25%   # of Opus

hooks:  # who gets what
  agents: {planner: planner}   # ours
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, {"VISION.md": "# Vision\n\nA boat.\n"})


def config(root: Path) -> Path:
    return root / ".director" / "dctx.yaml"


def shown(dctx: Dctx, root: Path) -> dict[str, tuple[object, str]]:
    rows = json.loads(dctx("config", "show", "--json", cwd=root).out)["settings"]
    return {row["key"]: (row["value"], row["origin"]) for row in rows}


# Show


def test_every_setting_is_shown_with_its_value_and_its_origin(root: Path, dctx: Dctx) -> None:
    before = shown(dctx, root)
    assert before["budget"] == ("30%", "built in")
    assert before["hooks.session"] == (True, "built in")
    config(root).write_text(f"{COMMENTED}models: {{abacus: {{window: 900}}}}\nmodel: abacus\n")
    after = shown(dctx, root)
    assert after["budget"] == ("25%", "dctx.yaml")
    assert after["hooks.agents.planner"] == ("planner", "dctx.yaml")
    assert after["hooks.session"] == before["hooks.session"]
    assert after["window"] == (900, "model in dctx.yaml")
    assert after["models.abacus"] == ({"window": 900}, "dctx.yaml")
    assert "budget " in dctx("config", "show", cwd=root).out


def test_what_the_environment_says_goes_first_and_a_url_is_not_shown(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_STORE", "postgresql://me:secret@db/team")
    monkeypatch.setenv("DCTX_HOOKS", "off")
    assert shown(dctx, root)["store"][1] == "DCTX_STORE"
    assert shown(dctx, root)["hooks"] == ("off", "DCTX_HOOKS")
    assert "secret" not in dctx("config", "show", cwd=root).out


def test_the_schema_is_printed_as_it_is_shipped(root: Path, dctx: Dctx) -> None:
    assert dctx("config", "show", "--schema", cwd=root).out == read_shipped(
        "templates", SCHEMA_NAME
    )


@pytest.mark.parametrize(
    ("key", "rows"),
    [
        ("budget", ["budget   25%    dctx.yaml"]),
        ("hooks.session", ["hooks.session  true   built in"]),
        ("hooks.agents", ["hooks.agents.planner  planner  dctx.yaml"]),
    ],
)
def test_one_setting_is_shown_or_all_below_a_key(
    key: str, rows: list[str], root: Path, dctx: Dctx
) -> None:
    config(root).write_text(COMMENTED)
    assert dctx("config", "show", key, cwd=root).out.splitlines()[2:] == rows


@pytest.mark.parametrize("key", ["shade", "models.abacus.window"])
def test_a_setting_that_is_not_there_is_a_mistake_of_the_command_line(
    key: str, root: Path, dctx: Dctx
) -> None:
    assert dctx("config", "show", key, cwd=root).code == 2


def test_every_mistake_is_told_in_place_of_the_settings_with_exit_code_one(
    root: Path, dctx: Dctx
) -> None:
    config(root).write_text("budget: 30\nhooks: {sesion: true}\n")
    done = dctx("config", "show", cwd=root)
    assert done.code == 1 and "has 2 mistakes:" in done.out
    assert "  budget: '30' as a budget is unclear" in done.out
    assert "  hooks.sesion: unknown; did you mean session?" in done.out and "From" not in done.out
    answer = json.loads(dctx("config", "show", "--json", cwd=root).out)
    assert len(answer["mistakes"]) == 2


@pytest.mark.parametrize("text", [None, "", COMMENTED])
def test_a_good_file_exits_with_zero(text: str | None, root: Path, dctx: Dctx) -> None:
    if text is not None:
        config(root).write_text(text)
    assert dctx("config", "show", cwd=root).code == 0


def test_a_file_that_is_no_yaml_is_one_mistake(root: Path, dctx: Dctx) -> None:
    config(root).write_text("hooks: [\n")
    done = dctx("config", "show", cwd=root)
    assert done.code == 1 and "has 1 mistake:" in done.out and "not valid YAML" in done.out


# Set


@pytest.mark.parametrize(
    ("key", "value", "after"),
    [
        ("budget", "20%", COMMENTED.replace("25%", "20%")),
        ("model", "opus", f"{COMMENTED}model: opus\n"),
        (
            "hooks.agents.general-purpose",
            "builder",
            COMMENTED.replace("planner}", "planner, general-purpose: builder}"),
        ),
        (
            "hooks.agents.team:cook v1.2",
            "never",
            COMMENTED.replace("planner}", "planner, team:cook v1.2: never}"),
        ),
        ("hooks.session", "false", f"{COMMENTED}  session: false\n"),
        ("window", "200k", f"{COMMENTED}window: 200k\n"),
        ("models.gpt-5.9.window", "9000", f"{COMMENTED}models:\n  gpt-5.9:\n    window: 9000\n"),
        (
            "profiles.builder.sections",
            "[vision, task]",
            f"{COMMENTED}profiles:\n  builder:\n    sections: [vision, task]\n",
        ),
    ],
)
def test_one_value_is_changed_and_everything_else_stays(
    key: str, value: str, after: str, root: Path, dctx: Dctx
) -> None:
    config(root).write_text(COMMENTED)
    done = dctx("config", "set", key, value, cwd=root)
    assert done.code == 0, done
    assert config(root).read_text() == after
    assert dctx("config", "show", cwd=root).code == 0
    again = dctx("config", "set", key, value, cwd=root)
    assert (again.code, again.out) == (0, "Nothing to do: it is so already.\n")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("budget", "30"),
        ("hooks.sesion", "true"),
        ("hooks.session", "perhaps"),
        ("hooks.agents.Explore", "buildr"),
        ("store", "postgresql://me:secret@db/team"),
        ("profiles.builder.protect", "everything"),
        ("workflow_id", "mine"),
    ],
)
def test_what_a_check_would_refuse_is_not_written(
    key: str, value: str, root: Path, dctx: Dctx
) -> None:
    config(root).write_text(COMMENTED)
    done = dctx("config", "set", key, value, cwd=root)
    assert done.code == 1 and "that would be a mistake" in done.err and "secret" not in done.err
    assert config(root).read_text() == COMMENTED


def test_a_file_with_mistakes_is_mended_one_value_at_a_time(root: Path, dctx: Dctx) -> None:
    config(root).write_text("budget: 30\nwindow: wide\n")
    assert dctx("config", "set", "budget", "30%", cwd=root).code == 0
    assert dctx("config", "set", "window", "200k", cwd=root).code == 0
    assert dctx("config", "show", cwd=root).code == 0


def test_a_new_file_has_a_line_for_editors_and_the_schema_beside_it(root: Path, dctx: Dctx) -> None:
    dctx("config", "set", "budget", "20%", cwd=root)
    assert config(root).read_text() == f"{SCHEMA_LINE}budget: 20%\n"
    named = SCHEMA_LINE.partition("$schema=")[2].strip()
    assert (config(root).parent / named).read_text() == read_shipped("templates", SCHEMA_NAME)


def test_a_setting_is_taken_out_again(root: Path, dctx: Dctx) -> None:
    config(root).write_text(COMMENTED)
    assert dctx("config", "set", "hooks.agents.planner", "--remove", cwd=root).code == 0
    assert config(root).read_text() == "# Agreed in March.\nbudget: 25%   # of Opus\n\n"


def test_a_dry_run_shows_the_change_alone(root: Path, dctx: Dctx) -> None:
    config(root).write_text(COMMENTED)
    done = dctx("config", "set", "budget", "20%", "--dry-run", cwd=root)
    assert "+budget: 20%   # of Opus" in done.out and config(root).read_text() == COMMENTED


@pytest.mark.parametrize(
    "words", [("nope", "1"), ("budget",), ("budget", "1", "--remove"), ("hooks.agents.", "builder")]
)
def test_what_is_no_setting_is_a_mistake_of_the_command_line(
    words: tuple[str, ...], root: Path, dctx: Dctx
) -> None:
    assert dctx("config", "set", *words, cwd=root).code == 2
    assert not config(root).exists()


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_out_of_the_project_is_neither_read_nor_written(
    root: Path, tmp_path_factory: pytest.TempPathFactory, dctx: Dctx
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "theirs.yaml"
    outside.write_text("budget: 10%\n")
    config(root).symlink_to(outside)
    done = dctx("config", "set", "budget", "20%", cwd=root)
    assert done.code == 1 and "is a link that leaves the project" in done.err
    assert outside.read_text() == "budget: 10%\n"


@pytest.mark.parametrize(
    "value", ["2001-01-01", "{agents: {x: 2001-01-01}}", ".nan", "{? {a: 1} : 2}"]
)
def test_a_value_that_json_has_no_word_for_is_taken_as_text(
    value: str, root: Path, dctx: Dctx
) -> None:
    config(root).write_text(COMMENTED)
    result = dctx("config", "set", "budget", value, cwd=root)
    assert result.code == 1 and "is not a budget" in result.err
    assert config(root).read_text() == COMMENTED


def test_a_value_below_its_key_leaves_the_end_of_its_line(root: Path, dctx: Dctx) -> None:
    config(root).write_text("budget: |\n  30%\nrecord: true\n")
    assert dctx("config", "set", "budget", "20%", cwd=root).code == 0
    assert config(root).read_text() == "budget: 20%\nrecord: true\n"


def test_a_link_that_leads_nowhere_is_said_and_not_taken_for_written(
    root: Path, dctx: Dctx
) -> None:
    config(root).symlink_to("../nowhere.yaml")
    result = dctx("config", "set", "budget", "20%", cwd=root)
    assert result.code == 1 and "leads nowhere" in result.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("words", [("show",), ("set", "budget", "20%")])
def test_nobody_waits_for_a_pipe_that_is_called_as_the_settings(
    words: tuple[str, ...], root: Path
) -> None:
    os.mkfifo(config(root))
    run = subprocess.run(
        [sys.executable, "-m", "director_ctx.doors.cli.main", "config", *words],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1 and "not a regular file" in run.stderr


# A model that is in no table


def test_a_model_that_nobody_knows_is_set_with_a_warning_and_a_way_out(
    root: Path, dctx: Dctx
) -> None:
    result = dctx("config", "set", "model", "gpt", cwd=root)
    warning = (
        "dctx: warning: the model 'gpt' is not known, so a window of 200,000 tokens is assumed;"
        " did you mean gpt-5?\n"
        "  hint: Its window can be said under `models:`: dctx config set models.gpt.window 128000\n"
    )
    assert result.code == 0 and result.err.startswith(warning)
    checked = dctx("config", "show", cwd=root)
    assert (checked.code, checked.err) == (0, warning)

    assert dctx("config", "set", "models.gpt.window", "128000", cwd=root).code == 0
    assert dctx("config", "show", cwd=root).err == ""


@pytest.mark.parametrize(
    "text", ["model: claude-sonnet-5\n", "model: gpt\nwindow: 100k\n", "", "a: [\n"]
)
def test_a_model_whose_window_is_known_is_not_warned_of(text: str, root: Path, dctx: Dctx) -> None:
    config(root).write_text(text)
    assert dctx("config", "show", cwd=root).err == ""
