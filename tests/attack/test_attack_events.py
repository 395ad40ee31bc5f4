"""Hostile events for `dctx hook`: exit 0, an answer in its client's form or none, nothing of a file
that they name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import process, write
from events import Attack, every_attack
from guarded import Hung, guarded
from hook_answers import inside, is_an_answer
from hook_events import BASE

from director_ctx.clients.table import COMPACT

CANARY = "CANARY-51c0"
MOST_SECONDS = 10.0
"""Of the processor, for one answer; alone, none takes a tenth of it."""
SAMPLE = 200
"""Every so many-th attack is made on a process of its own, too."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside a file that events name, and that nobody may read or write."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text(
        json.dumps({"usage": CANARY, "text": CANARY}) + "\n"
    )
    root = write(tmp_path / "a" / "project", BASE)
    monkeypatch.chdir(root)
    monkeypatch.setenv("DCTX_RECORD", "off")
    return root


def wrong(attack: Attack, code: int, said: bytes) -> str:
    """What is wrong with an answer, or nothing."""
    if code != 0:
        return f"exit {code}"
    if CANARY.encode() in said:
        return "it tells what is in a file that the event named"
    if not said:
        return ""
    try:
        answer = json.loads(said)
    except ValueError:
        return "it is no JSON"
    return "" if is_an_answer(attack.event, answer) else f"it is no answer: {said[:300]!r}"


def told(attack: Attack) -> tuple[int, bytes]:
    """What the hook says inside of this process; a code of its own for one that takes too long."""
    start = time.process_time()
    try:
        with guarded():
            code, said = inside(attack.data, *attack.words)
    except Hung:
        return -1, b""
    return (code, said) if time.process_time() - start < MOST_SECONDS else (-2, said)


def test_no_hostile_event_harms_a_run(root: Path, figure: Callable[[str, str], None]) -> None:
    # What is about to be compacted is kept by a process apart, so those are made on processes only.
    attacks = [attack for attack in every_attack() if attack.kind != COMPACT]
    answered, bad = 0, []
    for attack in attacks:
        code, said = told(attack)
        answered += bool(said)
        if reason := wrong(attack, code, said):
            bad.append((reason, attack.words, attack.data[:500]))

    figure("Hostile events", f"{len(bad)} of {len(attacks)} harm a run ({answered} are answered)")
    assert bad == [] and answered > len(attacks) // 10
    assert CANARY in (root.parent.parent / "outside" / "secret").read_text()


def test_no_hostile_event_harms_a_process(root: Path, figure: Callable[[str, str], None]) -> None:
    sample = [
        attack
        for attack in list(every_attack())[::SAMPLE]
        if not any("\0" in word for word in attack.words)
    ]
    bad = []
    for attack in sample:
        result = process("hook", *attack.words, cwd=root, stdin=attack.data)
        reason = wrong(attack, result.code, result.out.encode())
        if reason or result.err:
            bad.append((reason, result.err, attack.words, attack.data[:500]))

    figure("Hostile events, as processes", f"{len(bad)} of {len(sample)} harm a run")
    assert bad == [] and sample
