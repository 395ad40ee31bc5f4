"""Real agent clients behind `dctx history proxy`, with a scripted model: they work, and what the model is
sent is shortened.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import process
from proxied import Proxied
from real_clients import found

from director_ctx.clients.verify.offline_clients import Bench
from director_ctx.clients.verify.run import prepare_home, run_offline
from director_ctx.clients.verify.scripted_model import AnswerRule, ModelRequest, ScriptedModel
from director_ctx.clients.verify.scripted_wires import ScriptedCall
from director_ctx.context.settings.budget import count_chars
from director_ctx.history.formats import load
from director_ctx.history.messages.message import measure
from director_ctx.history.proxy.cuts import as_cached, unmarked
from director_ctx.history.valid.check import check

pytestmark = pytest.mark.proof

FILES = 24
PROMPT = "READ THEM ALL"
LIMIT, TARGET = 30_000, 24_000
FREE = "--dangerously-bypass-approvals-and-sandbox"
LOCATED = re.compile(r"dctx:[0-9a-f]{12}")


class Relayed:
    """What a run of a client behind the proxy left."""

    def __init__(
        self,
        client: str,
        folder: Path,
        rules: list[AnswerRule],
        *more: str,
    ) -> None:
        self.root, self.home = folder / "project", folder / "home"
        (self.root / ".director").mkdir(parents=True, exist_ok=True)
        self.home.mkdir()
        for number in range(FILES):
            (self.root / f"file{number}.py").write_text(content(number))
        limits = ("--limit", str(LIMIT), "--target-tokens", str(TARGET))
        with ScriptedModel(rules) as model, Proxied(model.url, self.root, *limits) as proxied:
            bench = Bench(
                client.split(maxsplit=1)[0],
                (found(client),),
                str(self.home),
                str(self.root),
                proxied.url,
            )
            prepare_home(bench)
            self.ran = run_offline(bench, PROMPT, more, seconds=90)
            proxied.end()
            self.said = proxied.said
        self.asked = [one for one in model.conversations if PROMPT in one.said]
        self.cuts = self.said.count(", receipt ")

    def original(self, locator: str) -> str:
        done = process("restore", locator, cwd=self.root)
        assert done.code == 0, done
        return done.out


def content(number: int) -> str:
    return "".join(
        f"value_{number}_{line} = {number * line}  # line {line}\n" for line in range(150)
    )


def reads(*calls: ScriptedCall) -> list[AnswerRule]:
    """One file after the other: the next is read as soon as the one before it was."""
    named = [(call, f"file{number}.py") for number, call in enumerate(calls)]
    return [
        *(AnswerRule(calls=(call,), when=PROMPT, unless=name) for call, name in named),
        AnswerRule("done"),
    ]


def breaks(asked: list[ModelRequest], key: str) -> int:
    """How often a request did not begin with the one before, as the provider's cache sees them."""
    lists = [[as_cached(unmarked(message)) for message in one.body[key]] for one in asked]
    return sum(
        after[: len(before)] != before for before, after in zip(lists, lists[1:], strict=False)
    )


def problems(format: str, asked: list[ModelRequest]) -> list[str]:
    return [str(problem) for one in asked for problem in check(load(format).decode(one.body))]


def size(format: str, one: ModelRequest) -> int:
    tools = count_chars(json.dumps(one.body["tools"], ensure_ascii=False))
    return tools + measure(load(format).decode(one.body).messages, count_chars)


@pytest.fixture(scope="module", params=["claude 2.1.197", "claude 2.1.326"])
def claude(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Relayed:
    rules = reads(
        *(ScriptedCall("Read", {"file_path": f"file{number}.py"}) for number in range(FILES))
    )
    return Relayed(request.param, tmp_path_factory.mktemp("claude"), rules)


@pytest.fixture(scope="module")
def codex(tmp_path_factory: pytest.TempPathFactory) -> Relayed:
    calls = (
        ScriptedCall("exec_command", {"cmd": f"cat file{number}.py"}) for number in range(FILES)
    )
    return Relayed("codex 0.169.0", tmp_path_factory.mktemp("codex"), reads(*calls), FREE)


def test_claude_code_reads_every_file_and_comes_to_its_end(claude: Relayed) -> None:
    result = json.loads(claude.ran.out)
    assert (claude.ran.code, result["is_error"], result["result"]) == (0, False, "done"), claude.ran
    assert result["num_turns"] == FILES + 1


def test_what_its_model_is_sent_is_shortened_and_valid(claude: Relayed) -> None:
    assert (
        claude.cuts > 1 and "Traceback" not in claude.said and "sent as it came" not in claude.said
    ), claude.said
    assert all(size("anthropic", one) <= LIMIT for one in claude.asked)
    assert sum(len(content(number)) for number in range(FILES)) / 4 > LIMIT - TARGET, (
        "or nothing would have to be cut"
    )
    assert problems("anthropic", claude.asked) == []
    assert all(str(one.body).count("'cache_control'") <= 4 for one in claude.asked)


def test_between_two_cuts_each_request_begins_with_the_one_before(claude: Relayed) -> None:
    assert breaks(claude.asked, "messages") == claude.cuts < FILES / 4


def test_what_was_cut_names_its_locators_and_is_in_the_archive(claude: Relayed) -> None:
    said = claude.asked[-1].said
    located = sorted(set(LOCATED.findall(said)))
    assert located
    whole = "".join(claude.original(one) for one in located)
    for number in range(FILES):
        assert f"value_{number}_149 = {number * 149}" in whole + said


def test_codex_comes_to_its_end_and_its_model_is_sent_shortened_valid_requests(
    codex: Relayed,
) -> None:
    assert codex.ran.code == 0 and '"done"' in codex.ran.out, codex.ran
    assert codex.cuts and "sent as it came" not in codex.said, codex.said
    assert problems("openai-responses", codex.asked) == []
    assert all(size("openai-responses", one) <= LIMIT for one in codex.asked)
    assert breaks(codex.asked, "input") == codex.cuts < FILES / 4
    assert LOCATED.search(codex.asked[-1].said)
