"""The real Gemini CLI, offline: what reaches a session and the agents that it calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_clients import NEXT_TASK, Place, in_progress, sent_whole

from director_ctx.clients.verify.run import ASK, WORK, rules

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def gemini(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place("gemini 0.61.0", tmp_path_factory.mktemp("gemini"), example)
    place.install()
    place.run([ASK], rules("gemini", "director-builder"), ["director-builder"])
    return place


def test_an_agent_of_gemini_is_sent_everything_that_assemble_prints_with_its_prompt_behind(
    gemini: Place,
) -> None:
    printed = gemini.dctx("assemble", "builder", "--no-record")
    sent_whole(gemini.first(WORK, without=[ASK]), printed, WORK, NEXT_TASK)
    assert in_progress(gemini) == []
    assert gemini.ran[0].code == 0 and "hook failed" not in gemini.ran[0].err


def test_a_session_of_gemini_is_told_where_the_project_stands(gemini: Place) -> None:
    said = gemini.first(ASK)
    assert "<hook_context>" in said and "Next task: " in said
