"""LangChain's and headroom's own code on the same input, in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.install import BENCH, Missing, install_packages
from benchmarks.survival.methods import count
from benchmarks.survival.trial import fits, judged
from director_ctx.history.formats import openai_chat
from director_ctx.history.messages.message import measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.survival.reading import Chat
    from benchmarks.survival.trial import Case, Trial

PLACE = BENCH / "conversations"
PACKAGES = ("langchain", "headroom-ai")
OWN_RATIO = ("langchain clear", "headroom")
AT_RATIO = ("langchain trim",)
_WORKER = Path(__file__).with_name("peer_worker.py")
_ALONE = {
    "HF_HUB_OFFLINE": "1",
    "HEADROOM_OFFLINE": "1",
    "HEADROOM_TELEMETRY": "off",
    "DO_NOT_TRACK": "1",
}


class Peers:
    """One process that does whatever is asked of it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [PLACE / "bin" / "python", _WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **_ALONE},
        )

    def ask(self, method: str, chat: Chat, target: int = 0) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        print(
            json.dumps({"method": method, "chat": chat, "target": target}),
            file=self.process.stdin,
            flush=True,
        )
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def find(note: Callable[[str], None]) -> Peers | None:
    """They are installed the first time; who cannot have them is told so, once."""
    try:
        if not PLACE.exists():
            note("installing " + ", ".join(PACKAGES))
            install_packages(PLACE, *PACKAGES)
        return Peers()
    except (Missing, OSError) as error:
        note(f"other projects' code is skipped: {error}")
        return None


def attempts(
    case: Case, peers: Peers, ratios: Sequence[float], note: Callable[[str], None]
) -> Iterator[Trial]:
    chat = case.run.chat[: case.moment.length]
    conversation = openai_chat.decode(chat)
    same = case._replace(conversation=conversation, tokens=measure(conversation.messages, count))
    asked = [(name, 0.0) for name in OWN_RATIO] + [
        (name, ratio) for name in AT_RATIO for ratio in ratios
    ]
    for name, ratio in asked:
        if ratio and not fits(case, ratio):
            continue
        found = peers.ask(name, chat, int(ratio * same.tokens))
        if "chat" in found:
            made = openai_chat.decode(found["chat"]).messages
            yield judged(same, name, ratio, made, found["milliseconds"])
        else:
            note(f"{name}: {found['why_not']}")
