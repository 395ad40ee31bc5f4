"""The real Codex CLI, offline: what reaches a session and the agents that it spawns, within what
Codex shows.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit, task, write
from real_clients import Place

from director_ctx.clients.verify.run import ASK, WORK, rules

pytestmark = pytest.mark.proof

CODEX = "codex 0.169.0"
CAP = 10_000
"""Bytes of one answer that Codex shows; it takes the middle out of what is longer."""


@pytest.fixture(scope="module")
def codex(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(CODEX, tmp_path_factory.mktemp("codex"), example)
    place.install()
    place.run([ASK], rules("codex", "director-builder"), ["director-builder"])
    return place


def developer_texts(place: Place, has: str) -> list[str]:
    """What hooks told whoever was asked this: messages of their own, in the order of the hooks."""
    body = next(
        one.body for one in place.asked if has in one.said and (has == ASK or ASK not in one.said)
    )
    items = [item for item in body["input"] if item.get("role") == "developer"]
    return [part["text"] for item in items for part in item["content"]]


def printed(place: Place) -> dict[str, str]:
    found = place.dctx("assemble", "builder", "--no-record", "--format", "json")
    tags = [section["tag"] for section in json.loads(found.out)["sections"]]
    return {
        tag: place.dctx("assemble", "builder", "--no-record", "--only", tag).out.rstrip("\n")
        for tag in tags
    }


def test_an_agent_of_codex_is_told_every_section_whole_and_in_order(codex: Place) -> None:
    said = codex.first(WORK, without=[ASK])
    places = [said.find(text) for text in printed(codex).values()]
    assert len(places) > 5 and -1 not in places
    assert places == sorted(places) and places[-1] < said.rfind(WORK)
    assert codex.ran[0].code == 0


def test_no_answer_is_larger_than_codex_shows(codex: Place) -> None:
    parts = [text for text in developer_texts(codex, WORK) if text.startswith("(Part ")]
    assert len(parts) > 1 and all(len(part.encode()) <= CAP for part in parts)
    assert "Warning: truncated output" not in codex.first(WORK, without=[ASK])


def test_a_session_of_codex_is_told_where_the_project_stands(codex: Place) -> None:
    (told,) = [text for text in developer_texts(codex, ASK) if "Next task: " in text]
    assert "Goal 2: " in told and "Open questions" in told and len(told.encode()) <= CAP


def test_what_is_too_large_for_codex_is_named_and_nothing_is_cut(tmp_path: Path) -> None:
    place = Place(CODEX, tmp_path)
    what = "\n".join(f"{number}. Größe und Maß: 例えば、これは長い。" for number in range(600))
    step = "goals/01-first/01-step"
    write(place.root, {
        "VISION.md": "# Vision\n\nEin Ding für alle.\n" + "Und noch ein Satz, für die Größe.\n" * 150,
        "goals/01-first/GOAL.md": "# Goal 1: First\n", f"{step}/STEP.md": "# Step 1: A step\n",
        f"{step}/tasks/01-large.md": task("Large", what=what),
    })  # fmt: skip
    commit(place.root, "Begin")
    place.install()
    place.run([ASK], rules("codex", "director-builder"), ["director-builder"])
    said = place.first(WORK, without=[ASK])
    texts = printed(place)
    assert len(texts["task"].encode()) > CAP
    assert (
        "dctx assemble builder --task 1/1/1 --only task`" in said
        and texts["task"][:200] not in said
    )
    assert all(text in said for tag, text in texts.items() if tag != "task")
    assert "truncated output" not in said


def test_an_agent_of_a_type_that_nobody_named_is_told_nothing_by_codex(
    example: Path, tmp_path: Path
) -> None:
    place = Place(CODEX, tmp_path, example)
    place.install()
    place.run([ASK], rules("codex", "somebody"), ["somebody"])
    assert "<instructions>" not in place.first(WORK, without=[ASK])


def test_without_hooks_codex_tells_nobody_anything(example: Path, tmp_path: Path) -> None:
    place = Place(CODEX, tmp_path, example)
    place.run([ASK], rules("codex", "director-builder"), ["director-builder"])
    assert "<instructions>" not in place.first(
        WORK, without=[ASK]
    ) and "Next task: " not in place.first(ASK)
