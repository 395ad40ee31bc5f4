"""Push, pull or both, on small and large contexts, in three clients, over three recorded runs.

usage: python -m benchmarks.push_or_pull

Prints the tables of docs/push-or-pull.md. Everything is counted, nothing timed, so one run is enough.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.generate import generate
from director_ctx import Project, assemble, load_project
from director_ctx.base.safe_text import safe
from director_ctx.clients.demo.example import make_example
from director_ctx.context.settings.pulled import NOTES, PUSHED_MINIMUM
from director_ctx.context.settings.tags import DECISIONS, GAMEPLAN, INSTRUCTIONS, PLAN, STATE, TASK
from director_ctx.context.tokens.tokenizers import load
from director_ctx.doors.mcp.methods import INSTRUCTIONS as SERVER_INSTRUCTIONS
from director_ctx.tools.context import shown_context
from director_ctx.tools.service import ToolService
from director_ctx.tools.tool import checked, definition
from director_ctx.tools.tool_sets import SETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Asked = Mapping[str, Any]
    """The arguments of a call of the tool `context`."""

COUNTER = "o200k_base"
PUSH, PULL, ALL, HYBRID, EVERY, REPLACED = (
    "push", "pull", "pull all", "hybrid", "every message", "replaced",
)  # fmt: skip
BEGINNING = (TASK, DECISIONS, GAMEPLAN, STATE, PLAN, INSTRUCTIONS)
"""What the prompt of the pull layout has a builder ask for first, in one call."""
EVERY_NOTE: Mapping[str, Any] = {"codebase": "all", "research": "all", "with_": "research"}


class Client(NamedTuple):
    """How a client shows a server's tools to its model, as measured on 2026-11-19."""

    own: int
    """Tokens of its own prompt and tools."""
    dollars: tuple[float, float, float, float]
    """Of its usual model, for a million tokens: sent, kept by the cache, known to it, answered."""
    defers: bool = False
    """Whether tools are names until the model looks for them, except those that are pinned."""
    shows_instructions: bool = True
    beside: int = 0
    """Tokens of tools of the client's own that come with any server."""
    prefix: str = ""
    connects_as: str = ""


CLIENTS = {
    "claude": Client(
        10_400, (4, 5, 0.2, 20), defers=True, prefix="mcp__dctx__", connects_as="claude-code"
    ),
    "codex": Client(8_000, (2, 2.5, 0.1, 10), beside=324),
    "copilot": Client(10_300, (2, 2.5, 0.1, 10), shows_instructions=False, prefix="dctx-"),
}
"""Claude Code 2.1.326 with claude-opus-5-5, Codex 0.169.0 with gpt-6.1-sol, Copilot CLI 1.0.102 with
claude-sonnet-5-5.
"""


class Turn(NamedTuple):
    """One request and what followed from it, in tokens."""

    answer: int
    results: int


RUNS = (
    """
        754 237+14099 229+653 57+10454 74+5525 436+28 249+32 186+28 210+29 181+28 245+31 226+31 207+28 253+1736
        480+32 194+28 227+33 184+28 62+24 35+275 179+28 325+0
    """,
    """
        3898 89+557 43+39 131+8634 155+9901 63+11683 105+28 1559+937 140+500 61+484 72+2289 71+9216 71+10464
        127+28 117+28 1495+24 270+14 55+278 84+5623 64+3267 339+337 124+422 118+1044 2843+2826 82+158 143+164
        78+434 317+21 609+8 270+28 84+270 431+402 594+541 175+28 61+177 92+247 112+28 325+9 117+2747 477+686
        517+151 154+248 239+305 233+255 221+178 59+265 181+192 118+159 140+562
    """,
    """
        38 115+1523 228+18444 211+20060 71+1130 82+13740 1931+30 86+8639 391+26 472+26 61+1097 308+14 68+1604
        1014+37 141+792 372+14 222+2130 645+70 78+833 75+1135 127+38 42+84 71+5525 2165+38 129+1136 283+38
        188+3159 44+904 234+3254 1100+5 148+16399 201+4205 2520+36 495+35 378+38 75+2510 61+420 340+107 100+3
        58+2094 114+1032 106+897 138+312 96+593 115+690 95+757 292+666 1057+35 125+1 133+968 90+49 553+34 591+35
        55+0 184+119 458+1713 768+1 72+414 587+33 88+42 56+552 613+84 58+27 66+8032 2024+34 69+2465 1748+34
        1580+34 60+2269 83+552 300+7 454+70 837+21 111+911 41+901 73+245 558+5 145+736 910+33 99+2526 2996+34
        52+428 67+552 252+22 111+139 153+1 111+3334 81+811 419+1 143+99 1138+34 58+1259 83+139 161+79 71+1368
        501+33 86+1651 160+1151 146+362 221+3 62+3756
    """,
)
"""Three sessions of Claude Code from public repositories (MIT), counted by o200k_base: what was said before the first
answer, then for each turn the answer and what came back.
"""


def main() -> int:
    head = ("context", "turns", "client", PULL, ALL, HYBRID, REPLACED)
    print(*head, "| tokens of context: every message, replaced", sep="\t")
    with TemporaryDirectory() as folder:
        large = Path(folder) / "large"
        generate(large)
        # As the documents show it, with a git history of its own.
        example = Path(folder) / "example"
        make_example(str(example))
        for root, push in ((example, {}), (large, {}), (large, EVERY_NOTE)):
            project = load_project(root=str(root))
            for text in RUNS:
                begin, *pairs = text.split()
                run = [Turn(*map(int, pair.split("+"))) for pair in pairs]
                for name, client in CLIENTS.items():
                    measurement = Measurement(project, client)
                    base = client.own + int(begin)
                    row = compared(measurement.ways(push), base, run, client)
                    print(f"{measurement.pushed(push):,}", len(run), name, *row, sep="\t")
    return 0


class Way(NamedTuple):
    """How a context reaches an agent, in tokens."""

    first: int = 0
    """What it adds to the first request."""
    asking: Sequence[Turn] = ()
    """Turns before the work begins: a call, and what answers it."""
    each: int = 0
    """What it adds to every message."""
    stays: bool = True
    """Whether what came with a message is still there at the next one."""


class Measurement:
    """A builder's next task, with the tools as one client shows them; nothing is put on record."""

    def __init__(self, project: Project, client: Client) -> None:
        self.project = project
        self.client = client
        self.count = load(COUNTER)
        self.service = ToolService(project.root, project.root, SETS["few"])
        self.usual = assemble(project, "builder", counter=COUNTER)
        """The context of the agent as its profile has it."""

    def pushed(self, push: Mapping[str, Any]) -> int:
        return self.count(assemble(self.project, "builder", counter=COUNTER, **push).text)

    def ways(self, push: Mapping[str, Any]) -> dict[str, Way]:
        assert self.usual.task
        given = {"agent": "builder", "task": self.usual.task["ref"]}
        pushed = self.pushed(push)
        tools = self.tools()
        prompt = self._prompt(()) + tools
        rest = self._section_calls(given, PUSHED_MINIMUM)
        return {
            PUSH: Way(pushed),
            PULL: Way(prompt, self._asking(self._section_calls(given, ()))),
            ALL: Way(prompt, self._asking([given])),
            HYBRID: Way(self._prompt(PUSHED_MINIMUM) + tools, self._asking(rest)),
            EVERY: Way(each=pushed),
            REPLACED: Way(each=pushed, stays=False),
        }

    def tools(self) -> int:
        """What the client puts into the first request because of this server."""
        total = self.client.beside
        for tool in self.service.tools:
            is_pinned = ("anthropic/alwaysLoad", True) in tool.meta
            text = f"{self.client.prefix}{tool.name}"
            if is_pinned or not self.client.defers:
                listed = definition(tool, ())
                text += f" {listed['description']} {_json(listed['inputSchema'])}"
            total += self.count(text)
        if self.client.shows_instructions:
            total += self.count(SERVER_INSTRUCTIONS)
        return total

    def _prompt(self, tags: Sequence[str]) -> int:
        prompt = assemble(self.project, "builder", layout="pull", with_=tags, counter=COUNTER)
        return self.count(prompt.text)

    def _section_calls(self, given: Asked, known: Sequence[str]) -> list[Asked]:
        """A call for each group that has anything in it."""
        calls: list[Asked] = []
        for group in (BEGINNING, NOTES):
            wanted = [tag for tag in group if tag in self.usual.tokens_by_tag and tag not in known]
            if wanted:
                calls.append({**given, "sections": wanted})
        return calls

    def _asking(self, calls: Sequence[Asked]) -> list[Turn]:
        turns = []
        for given in calls:
            for asked, answer in self._pages(given):
                call = f"{self.client.prefix}context {_json(asked)}"
                turns.append(Turn(self.count(call), self.count(answer)))
        return turns

    def _pages(self, given: Asked) -> Iterator[tuple[Asked, str]]:
        """One call after another, until nothing is left."""
        tool = self.service.tool("context")
        assert tool
        asked = dict(given)
        page = 1
        while True:
            values = checked(tool, asked, ())
            answer = safe(shown_context(self.usual, values, self.client.connects_as))
            yield asked, answer
            # The words at the end of a page that has another behind it.
            if "The rest: " not in answer[-1_000:]:
                return
            page += 1
            asked = {**given, "page": page}


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class SentRequest(NamedTuple):
    """One request, by what it costs to send it, and its answer."""

    plain: int
    """New, and taken out again before the next request."""
    written: int
    """New, and kept by the cache."""
    read: int
    """Known to the cache."""
    answer: int


def requests(way: Way, base: int, run: Sequence[Turn]) -> list[SentRequest]:
    """Every request of a run. A request is everything so far, and the cache knows what the one before it had.
    `base` is what each begins with: the client's own prompt and tools, and what the user said first.
    """
    sent: list[SentRequest] = []
    window = base + way.first
    known = 0
    for turn in (*way.asking, *run):
        if way.stays:
            window += way.each
        plain = 0 if way.stays else way.each
        sent.append(SentRequest(plain, window - known, known, turn.answer))
        known = window
        window += turn.answer + turn.results
    return sent


def compared(ways: Mapping[str, Way], base: int, run: Sequence[Turn], client: Client) -> list[str]:
    """What the ways cost against push, and of tokens that a context adds, how many pull sends against others."""
    bare = tokens_sent(requests(Way(), base, run))
    dollars: dict[str, float] = {}
    added: dict[str, int] = {}
    for name, way in ways.items():
        sent = requests(way, base, run)
        added[name] = tokens_sent(sent) - bare
        dollars[name] = sum(
            tokens * price
            for request in sent
            for tokens, price in zip(request, client.dollars, strict=True)
        )
    costs = [
        f"{(dollars[name] / dollars[PUSH] - 1) * 100:+.1f}%"
        for name in (PULL, ALL, HYBRID, REPLACED)
    ]
    contexts = [f"{(added[PULL] / added[name] - 1) * 100:+.0f}%" for name in (EVERY, REPLACED)]
    return [*costs, *contexts]


def tokens_sent(sent: Sequence[SentRequest]) -> int:
    return sum(request.plain + request.written + request.read for request in sent)


if __name__ == "__main__":
    sys.exit(main())
