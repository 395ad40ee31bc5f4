"""What a builder is told of the agents around it, and of how commits are written in its repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, commit, git, plan, task, write

Dctx = Callable[..., Result]
VERIFIER = "- Have the `{}` agent check the result."
SYNCER = "- Then hand over to the `{}` agent:"
PLUGIN = '{{"enabledPlugins": {{"{}@market": {}}}}}'
PLAIN = "Its message is one plain sentence saying what now works"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vision = {"VISION.md": "# Vision\n\nA boat.\n"}
    return write(tmp_path / "boat", {**vision, **plan({"01-one.md": task("Hull")})})


def instructions(root: Path, dctx: Dctx) -> str:
    return dctx("assemble", "builder", "--only", "instructions", cwd=root).out


def test_without_such_agents_a_builder_is_told_to_hand_over_to_nobody(
    root: Path, dctx: Dctx
) -> None:
    told = instructions(root, dctx)
    assert "Complete only this task." in told and "{{" not in told
    assert "verifier" not in told and "hand over" not in told


@pytest.mark.parametrize(
    ("path", "text", "verifier", "syncer"),
    [
        (".claude/agents/dctx-verifier.md", "x", "dctx-verifier", ""),
        (".codex/agents/dctx-verifier.toml", "x", "dctx-verifier", ""),
        (".github/agents/director-verifier.agent.md", "x", "director-verifier", ""),
        (".cursor/agents/dctx-syncer.md", "x", "", "dctx-syncer"),
        (".gemini/agents/dctx-verifier-of-mine.md", "x", "", ""),
        (
            ".claude/settings.json",
            PLUGIN.format("director", "true"),
            "director:director-verifier",
            "director:director-syncer",
        ),
        (
            ".claude/settings.local.json",
            PLUGIN.format("dctx", "true"),
            "dctx:verifier",
            "dctx:syncer",
        ),
        (".claude/settings.json", PLUGIN.format("director", "false"), "", ""),
        (".claude/settings.json", PLUGIN.format("directory", "true"), "", ""),
        (".claude/settings.json", '{"enabledPlugins": ["director@x"]}', "", ""),
        (".claude/settings.json", "{", "", ""),
    ],
)
def test_it_hands_over_to_those_that_the_project_has(
    path: str, text: str, verifier: str, syncer: str, root: Path, dctx: Dctx
) -> None:
    write(root, {f"/{path}": text})
    told = instructions(root, dctx)
    for line, name in ((VERIFIER, verifier), (SYNCER, syncer)):
        assert (line.format(name) in told) if name else (line.partition("`")[0] not in told)


def test_what_one_file_switches_on_a_nearer_one_switches_off(root: Path, dctx: Dctx) -> None:
    write(root, {"/.claude/settings.json": PLUGIN.format("director", "true")})
    write(root, {"/.claude/settings.local.json": PLUGIN.format("director", "false")})
    assert "hand over" not in instructions(root, dctx)


def test_after_an_installation_the_verifier_is_named(root: Path, dctx: Dctx) -> None:
    dctx("setup", "--what", "hooks,agents", "--no-verify", "--yes", "--client", "claude", cwd=root)
    assert VERIFIER.format("dctx-verifier") in instructions(root, dctx)
    dctx("setup", "--undo", "--what", "hooks,agents", "--yes", cwd=root)
    assert "verifier" not in instructions(root, dctx)


@pytest.mark.parametrize(
    ("subjects", "told"),
    [
        ((), f"{PLAIN}.\n"),
        (("Add a hull", "Paint it"), f"{PLAIN}, in the style of the repository's log.\n"),
        (
            ("feat: add a hull", "fix(mast)!: hold it", "Paint it"),
            "Its message is a Conventional Commits message, as this repository uses: `feat(scope): …`.\n",
        ),
        (("feat: add a hull", "mast: hold it", "Paint it"), f"{PLAIN}, in the style"),
        (("Blueprint: plan", "pivot: turn", "onboard: begin"), f"{PLAIN}, in the style"),
    ],
)
def test_its_commit_is_written_as_the_repository_writes_them(
    subjects: tuple[str, ...], told: str, root: Path, dctx: Dctx
) -> None:
    git(root, "init", "-q")
    for number, subject in enumerate(subjects):
        commit(root, subject, {f"src/{number}.py": "x\n"})
    assert told in instructions(root, dctx)
