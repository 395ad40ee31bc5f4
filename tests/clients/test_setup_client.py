"""A fresh folder, one command, and the real Claude Code, offline: the builder that setup brought is sent
its context, and so is a general-purpose agent whose prompt names a task.
"""

from __future__ import annotations

import os

import pytest
from claude_spawns import SPAWN, VERSIONS, call, spawning
from conftest import git, process
from real_clients import NAMED_TASK, NEXT_TASK, Place, sent_whole

pytestmark = pytest.mark.proof

KIND = "dctx-builder"
WORK = "Do the next task, and say so."


@pytest.fixture(scope="module", params=VERSIONS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Set up from nothing, as somebody would who heard of it a minute ago."""
    place = Place(str(request.param), tmp_path_factory.mktemp("fresh"))
    (place.root / ".director").rmdir()
    git(place.root, "init", "-q")
    return place


def dctx(place: Place, *words: str) -> str:
    """The program, with the client on the PATH; its output."""
    path = os.pathsep.join((os.path.dirname(place.program), os.environ["PATH"]))
    done = process(*words, cwd=place.root, env={"HOME": str(place.home), "PATH": path})
    assert done.code == 0, done
    return done.out


def test_after_setup_an_agent_is_sent_the_builders_context(place: Place) -> None:
    told = dctx(place, "setup", "--client", "claude", "--yes")
    assert "run offline: an agent of type" in told and "FAILED" not in told

    vision = place.root / ".director" / "VISION.md"
    vision.write_text("# Vision\n\nA boat that finds its way home by itself.\n")
    for kind, name in (
        ("goal", "A boat that floats"),
        ("step", "The hull"),
        ("task", "Oak planks"),
    ):
        dctx(place, "add", kind, name)
    again = dctx(place, "setup", "--client", "claude")
    assert f"an agent of type {KIND} was sent the context of `dctx assemble builder`" in again
    assert again.endswith(f"Have a {KIND} agent do the next task.\n")

    printed = place.dctx("assemble", "builder", "--no-record")
    assert "Oak planks" in printed.out and "finds its way home" in printed.out
    place.run([SPAWN], spawning(call(KIND, WORK)))
    sent_whole(place.first(WORK, without=[SPAWN]), printed, WORK, NEXT_TASK)

    named = "Do 1/1/1 and say so."
    place.ran.clear()
    place.run([SPAWN], spawning(call("general-purpose", named), call("general-purpose", "Look.")))
    sent_whole(place.first(named, without=[SPAWN]), printed, named, NAMED_TASK)
    assert "<instructions>" not in place.first("Look.", without=[SPAWN])
