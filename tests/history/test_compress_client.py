"""A session of the real Claude Code, shortened on disk: it goes on with the shorter one, and all of
it comes back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from real_clients import Place

from director_ctx.clients.verify.scripted_model import AnswerRule
from director_ctx.clients.verify.scripted_wires import ScriptedCall

pytestmark = pytest.mark.proof

TEXT = "\n".join(f"line {number} of a long file" for number in range(900))
NAMES = ("claude 2.1.197", "claude 2.1.326")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_call(place: Place, name: str) -> ScriptedCall:
    return ScriptedCall("Read", {"file_path": str(place.root / name)})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words", [("--strategy", "clear", "--set", "keep_results=1"), ("--ratio", "0.4")]
)
def test_a_shortened_session_goes_on_and_everything_comes_back(
    name: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    place = Place(name, tmp_path)
    for number in range(4):
        (place.root / f"file{number}.txt").write_text(f"file {number}\n{TEXT}")
    rules = [
        AnswerRule(
            calls=(read_call(place, f"file{number}.txt"),),
            when=f"Read {number}!",
            unless=f"file {number}\n",
        )
        for number in range(4)
    ]
    place.run([f"Read {number}!" for number in range(4)], [*rules, AnswerRule("I have read it.")])
    [session] = place.home.glob(".claude/projects/*/*.jsonl")
    before = session.read_bytes()
    made = place.dctx("compress", str(session), *words)
    assert made.code == 0, made
    assert "dctx:" in made.out and len(made.out) < len(before) / 1.5
    session.write_text(made.out)
    place.asked.clear()
    place.run(["Now go on."], [AnswerRule("I go on.")])
    said = place.first("Now go on.")
    assert "dctx:" in said and said.count("line 700 of a long file") < 4 and "Read 0!" in said
    back = place.dctx("restore", str(session))
    assert back.code == 0, back
    (tmp_path / "back.jsonl").write_text(back.out)
    whole = lines(tmp_path / "back.jsonl")
    assert whole[: len(before.splitlines())] == [json.loads(line) for line in before.splitlines()]
    assert "Now go on." in back.out and "I go on." in back.out
    session.write_text(back.out)
    place.asked.clear()
    place.run(["And once more."], [AnswerRule("Once more.")])
    said = place.first("And once more.")
    assert (
        all(f"file {number}\\n" in said or f"file {number}\n" in said for number in range(4))
        and "Now go on." in said
    )
    assert said.count("line 700 of a long file") == 4


def read_one(name: str, folder: Path) -> tuple[Place, Path]:
    """A session in which a file was read, and where it is."""
    place = Place(name, folder)
    (place.root / "file.txt").write_text(f"XYZZY\n{TEXT}")
    call = read_call(place, "file.txt")
    place.run(
        ["Read it!", "And now?"],
        [AnswerRule(calls=(call,), when="Read it!", unless="XYZZY"), AnswerRule("I have read it.")],
    )
    [session] = place.home.glob(".claude/projects/*/*.jsonl")
    return place, session


@pytest.mark.parametrize("name", NAMES)
def test_a_fork_of_a_shortened_session_is_known_too(name: str, tmp_path: Path) -> None:
    place, session = read_one(name, tmp_path)
    before = session.read_text()
    made = place.dctx("compress", str(session), "--strategy", "clear", "--set", "keep_results=0")
    session.write_text(made.out)
    place.run(["Now go on."], [AnswerRule("I go on.")], more=("--fork-session",))
    [fork] = [one for one in place.home.glob(".claude/projects/*/*.jsonl") if one != session]
    back = place.dctx("restore", str(fork))
    assert back.code == 0, back
    fork.write_text(back.out)
    place.asked.clear()
    place.run(["And once more."], [AnswerRule("Once more.")])
    said = place.first("And once more.")
    assert "line 700 of a long file" in said and "Now go on." in said and "Read it!" in said
    assert before.count("line 700") == fork.read_text().count("line 700")


@pytest.mark.parametrize("name", NAMES)
def test_a_shortened_copy_under_a_new_id_is_a_session_of_its_own(name: str, tmp_path: Path) -> None:
    place, session = read_one(name, tmp_path)
    before = session.read_text()
    made = place.dctx(
        "compress", session.stem[:8], "--strategy", "clear", "--set", "keep_results=0"
    )
    copy = session.with_name("0b5c2f8e-3c1d-4e6f-8a7b-9c0d1e2f3a4b.jsonl")
    copy.write_text(made.out)
    place.asked.clear()
    place.ran.clear()
    place.run(["Now go on."], [AnswerRule("I go on.")], more=("--resume", copy.stem))
    said = place.first("Now go on.")
    assert "dctx:" in said and "line 700 of a long file" not in said and "Read it!" in said
    assert session.read_text() == before and "I go on." in copy.read_text()
