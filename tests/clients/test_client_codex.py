"""The real Codex CLI, offline: what reaches a session and the agents that it spawns, in both ways in
which its models spawn them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from real_clients import (
    NAMED,
    NEXT,
    NEXT_TASK,
    SEARCH,
    Place,
    each_has_its_task,
    four_tasks,
    in_progress,
    sent_whole,
)

from director_ctx import load_project
from director_ctx.clients.verify.run import ASK, WORK, rules
from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof

CODEX = "codex 0.169.0"
TYPE = "director-builder"


def spawning(*calls: ScriptedCall) -> list[AnswerRule]:
    """All in one answer; none of them ends before the last has begun."""
    return [
        AnswerRule(calls=calls, when=ASK, unless="function_call_output"),
        AnswerRule("done", when=ASK, after=2 + len(calls)),
        AnswerRule("done", after=1 + len(calls)),
    ]


def first(prompt: str) -> ScriptedCall:
    return ScriptedCall("multi_agent_v1.spawn_agent", {"message": prompt})


def second(name: str, kind: str = "default") -> ScriptedCall:
    told = {"message": WORK, "agent_type": kind, "task_name": name, "fork_turns": "none"}
    return ScriptedCall("collaboration.spawn_agent", told)


@pytest.fixture(scope="module")
def codex(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(CODEX, tmp_path_factory.mktemp("codex"), example)
    place.install()
    place.run([ASK], rules("codex", TYPE), [TYPE])
    return place


def test_an_agent_of_codex_is_sent_everything_that_assemble_prints_with_its_prompt_behind(
    codex: Place,
) -> None:
    printed = codex.dctx("assemble", "builder", "--no-record")
    sent_whole(codex.first(WORK, without=[ASK]), printed, WORK, NEXT_TASK)
    assert codex.ran[0].code == 0


def test_a_session_of_codex_is_told_where_the_project_stands(codex: Place) -> None:
    said = codex.first(ASK)
    assert said.count("Next task: ") == 1 and "Goal 2: " in said and "Open questions" in said


def test_each_agent_of_codex_has_the_task_that_its_prompt_asks_for(tmp_path: Path) -> None:
    place = Place(CODEX, tmp_path)
    four_tasks(place.root)
    place.install()
    place.run([ASK], spawning(first(NEXT), first(NEXT), first(SEARCH), first(NAMED)))
    each_has_its_task(place, ASK)
    assert in_progress(place) == []
    claims = load_project(root=str(place.root)).claims_before().values()
    assert len(claims) == 3 and all(claim.child for claim in claims)


def test_with_newer_models_the_name_of_a_task_decides_and_nothing_is_cut(tmp_path: Path) -> None:
    place = Place(CODEX, tmp_path)
    what = "\n".join(f"{number}. Größe und Maß: 例えば、これは長い。" for number in range(600))
    four_tasks(place.root, task_3=what)
    place.install()
    calls = (second("task_1_1_3"), second("next_task"), second("search_for_port"))
    place.run([ASK], spawning(*calls), more=["--enable", "multi_agent_v2"])

    printed = place.dctx("assemble", "builder", "--task", "1/1/3", "--only", "task", "--no-record")
    assert len(printed.out.encode()) > 10_000
    said = place.first(WORK, "Task 1/1/3, Paint the door: your prompt names it. ", without=[ASK])
    assert printed.out.rstrip("\n") in said and "truncated output" not in said
    assert place.first(WORK, "Task 1/1/1, Lay the keel: the next one ", without=[ASK])
    without = [ASK, "Task 1/1/"]
    assert "<instructions>" not in place.first(WORK, without=without)
    assert not any("<instructions>" in one.said for one in place.asked if ASK in one.said)
    assert in_progress(place) == []
