"""Whatever goes out is a request that its provider takes, judged by rules that know nothing of how
it was made.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import write as write_project
from histories import chars4
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)
from provider_rules import Item, Kept, of_langchain, of_model, refused_by_anthropic, refused_pairs

from director_ctx.history.agents.manager import ContextManager
from director_ctx.history.compress.compress import archive_into
from director_ctx.history.compress.decide import decide
from director_ctx.history.compress.options import Wish
from director_ctx.history.compress.put_back import put_back
from director_ctx.history.formats import load
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import THINKING, has_kind
from director_ctx.history.proxy.cut_rule import rule_of
from director_ctx.history.proxy.shorten import Shortening
from director_ctx.history.strategies.config import STRATEGIES, ContextConfig
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import mend
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id

RATIOS = (None, 0.1, 0.5)
HISTORIES = range(3)


def words(random: Random, most: int) -> str:
    names = ("value", "path/a.py", "error", "line")
    return " ".join(f"{random.choice(names)}_{random.randrange(999)}" for _ in range(most))


def answer(random: Random, number: int) -> list[Item]:
    """What a model that reasons sends at once: often a reason, words, calls of functions and of a
    search.
    """
    items: list[Item] = []
    if random.random() < 0.8:
        summary = (
            [{"type": "summary_text", "text": words(random, 12)}] if random.random() < 0.5 else []
        )
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": summary})
    if random.random() < 0.2:
        items.append({"type": "web_search_call", "id": f"ws_{number}", "status": "completed"})
        items.append({"type": "reasoning", "id": f"rs_{number}b", "summary": []})
    if random.random() < 0.5:
        content = [{"type": "output_text", "text": words(random, random.choice((5, 200)))}]
        items.append(
            {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
        )
    for call in range(random.choice((1, 1, 2))):
        path = json.dumps({"path": f"src/{random.randrange(5)}.py"})
        name = f"call_{number}_{call}"
        one = {"type": "function_call", "id": f"fc_{number}_{call}", "call_id": name}
        items.append({**one, "name": "read", "arguments": path})
    return items


def responses(seed: int, turns: int = 24) -> list[Item]:
    """A conversation as the Responses API keeps it."""
    random = Random(seed)
    items: list[Item] = [{"role": "user", "content": "Mend the feed."}]
    for number in range(turns):
        made = answer(random, number)
        items += made
        for item in made:
            if item["type"] == "function_call":
                output = "\n".join(words(random, 8) for _ in range(random.choice((1, 12, 40))))
                items.append(
                    {"type": "function_call_output", "call_id": item["call_id"], "output": output}
                )
        if random.random() < 0.2:
            items.append({"role": "user", "content": words(random, 10)})
    return items


def codex(items: list[Item]) -> bytes:
    """The same as Codex writes it down."""
    lines: list[Any] = [{"type": "session_meta", "payload": {"id": "0"}}]
    lines += [
        {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": item}
        for item in items
    ]
    return "\n".join(map(json.dumps, lines)).encode()


def wish(strategy: str, ratio: float | None, to: str | None = None) -> Wish:
    return Wish(ContextConfig(), chars4, "chars/4", strategy, None, ratio, (), None, to)


def opened() -> Store:
    return Store(SQLite(":memory:"), new_id())


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_parts_a_reason_from_what_it_led_to_and_restore_brings_every_byte_back(
    strategy: str,
) -> None:
    for seed in HISTORIES:
        history = responses(seed)
        data = json.dumps({"model": "m", "input": history}).encode()
        for ratio in RATIOS:
            with opened() as store:
                made = decide(put_back(store, data), wish(strategy, ratio))
                if made.receipt.cuts:
                    archive_into(store, made, "")
                assert Kept(history).refusals(json.loads(made.data)["input"]) == []
                assert put_back(store, made.data).data == data


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_session_of_codex_keeps_them_together_too_also_in_the_other_format(strategy: str) -> None:
    for seed in HISTORIES:
        history = responses(seed)
        earlier = earlier_of(codex(history))
        for ratio in (None, 0.3):
            shorter = decide(earlier, wish(strategy, ratio)).data
            lines = [json.loads(line) for line in shorter.splitlines()]
            items = [line["payload"] for line in lines if line["type"] == "response_item"]
            assert Kept(history).refusals(items) == []
            other = decide(earlier, wish(strategy, ratio, "openai-responses")).data
            assert Kept(history).refusals(items_of(json.loads(other))) == []


def earlier_of(data: bytes) -> Any:
    with opened() as store:
        return put_back(store, data)


def items_of(document: Any) -> list[Item]:
    found: list[Item] = document["input"] if isinstance(document, dict) else document
    return found


def test_a_reason_that_is_cut_takes_the_ids_of_what_it_led_to_along_and_nothing_else() -> None:
    found = 0
    for seed in HISTORIES:
        history = [*responses(seed), {"role": "user", "content": "Is it mended?"}]
        talk = load("openai-responses").decode(history)
        kept = [one for one in talk.messages if not has_kind(one.blocks, THINKING)]
        shorter = load("openai-responses").encode(talk, kept)
        whole = {
            item.get("call_id", ""): item for item in history if item.get("type") == "function_call"
        }
        nameless = [
            item for item in shorter if item.get("type") == "function_call" and "id" not in item
        ]
        found += len(nameless)
        for item in nameless:
            assert {**item, "id": whole[item["call_id"]]["id"]} == whole[item["call_id"]]
    assert found


def broken(history: list[Item], random: Random) -> list[Item]:
    """Without some reasons, without all that some led to, and with a result before its call."""
    left: list[Item] = []
    gone = False
    for item in history:
        reason = item.get("type") == "reasoning" and not item["id"].endswith("b")
        if not of_model(item):
            gone = False
        elif reason and random.random() < 0.2:
            continue
        if not gone:
            left.append(item)
        gone = gone or (reason and random.random() < 0.1)
    call = next(place for place, item in enumerate(left) if item.get("type") == "function_call")
    result = next(
        item for item in left if item.get("call_id") == left[call]["call_id"] and "output" in item
    )
    left.remove(result)
    left.insert(call, result)
    return left


def test_the_check_knows_what_the_provider_refuses_and_what_is_mended_is_taken() -> None:
    for seed in range(20):
        history = responses(seed, 8)
        given = broken(history, Random(seed))
        conversation = read(json.dumps({"model": "m", "input": given}).encode())
        assert Kept(history).refusals(given)
        assert check(conversation)
        mended = json.loads(write(conversation, mend(conversation)))["input"]
        assert Kept(history).refusals(mended) == []
        assert check(read(json.dumps({"model": "m", "input": mended}).encode())) == []


@pytest.mark.parametrize(("given", "rules"), [
    ([{"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "user", "content": "Go on."}], ["lone reason"]),
    ([{"type": "reasoning", "id": "rs_1", "summary": []}], ["lone reason"]),
    ([{"type": "reasoning", "encrypted_content": "x", "summary": []}, {"role": "user", "content": "Go on."}], []),
    ([{"type": "function_call_output", "call_id": "c", "output": "x"},
      {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}], ["early"]),
])  # fmt: skip
def test_each_rule_of_items_has_its_name(given: list[Item], rules: list[str]) -> None:
    conversation = load("openai-responses").decode(
        [{"role": "user", "content": "Mend it."}, *given]
    )
    assert [problem.rule for problem in check(conversation)] == rules


def test_an_id_without_its_reason_is_found_only_where_the_provider_keeps_items() -> None:
    history = responses(1)
    cut = [item for item in history if item.get("id") != "rs_0"]
    assert history != cut
    stored = check(load("openai-responses").decode({"model": "m", "input": cut}))
    before = check(load("openai-responses").decode({"model": "m", "input": history}))
    assert {one.rule for one in stored} == {"no reason"} and len(stored) > len(before)
    alone = {"model": "m", "input": cut, "store": False}
    assert check(load("openai-responses").decode(alone)) == check(read(codex(cut))) == []


def test_a_result_whose_call_the_provider_has_is_where_it_belongs() -> None:
    result = {"type": "function_call_output", "call_id": "c", "output": "x"}
    given = {"previous_response_id": "resp_1", "input": [result]}
    assert check(load("openai-responses").decode(given)) == []


@pytest.mark.parametrize("kind", ["computer", "shell", "apply_patch"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_call_of_any_kind_is_kept_or_cut_with_its_output(kind: str, strategy: str) -> None:
    picture = {"type": "computer_screenshot", "image_url": "data:image/png;base64," + "A" * 4000}
    outputs: dict[str, Any] = {
        "computer": picture,
        "shell": [{"stdout": "x " * 400}],
        "apply_patch": "done " * 200,
    }
    history: list[Item] = [{"role": "user", "content": "Mend it."}]
    for number in range(30):
        name = f"c{number}"
        action = {"operation" if kind == "apply_patch" else "action": {"type": "any"}}
        history.append({"type": f"{kind}_call", "call_id": name, "status": "completed", **action})
        history.append({"type": f"{kind}_call_output", "call_id": name, "output": outputs[kind]})
        said = [{"type": "output_text", "text": "So " * 90}]
        history.append({"type": "message", "role": "assistant", "content": said})
    assert check(load("openai-responses").decode([history[0], history[2], history[1]]))
    earlier = earlier_of(json.dumps(history).encode())
    for ratio in RATIOS:
        shorter = json.loads(decide(earlier, wish(strategy, ratio)).data)
        assert refused_pairs(shorter) == []
        kept = [item["output"] for item in shorter if item.get("type") == f"{kind}_call_output"]
        assert kind == "apply_patch" or all(one == outputs[kind] for one in kept)


def test_every_request_through_the_proxy_is_taken(tmp_path: Path) -> None:
    folder = write_project(tmp_path, {})
    names = ("strategy", "keep", "set_", "dry_run", "counter")
    values = {**dict.fromkeys(names), "target_tokens": "1500", "limit": "3000", "root": str(folder)}
    said: list[str] = []
    cuts = 0
    for seed in range(2):
        shortening = Shortening(rule_of(values), said.append)
        history = responses(seed, 40)
        for end in range(2, len(history) + 1):
            if is_asked(history, end):
                body = json.dumps({"model": "m", "input": history[:end]}).encode()
                sent = json.loads(shortening("/v1/responses", body))["input"]
                assert Kept(history).refusals(sent) == []
        cuts += shortening.savings.cuts
    assert cuts > 5, said


def is_asked(history: list[Item], end: int) -> bool:
    """Whether a client sends a request here: the user spoke, or everything that was asked for is
    answered.
    """
    after = history[end] if end < len(history) else {}
    return not of_model(history[end - 1]) and "output" not in after


def langchain(history: list[Item]) -> list[AnyMessage]:
    """The messages that LangChain makes of such items."""
    messages: list[AnyMessage] = []
    parts: list[Item] = []
    for item in [*history, {"role": "user", "content": "End."}]:
        kind = item.get("type", "message")
        if item.get("role") == "user" or kind == "function_call_output":
            if parts:
                calls = [one for one in parts if one["type"] == "function_call"]
                messages.append(AIMessage(content=parts, tool_calls=list(map(as_call, calls))))
            parts = []
        if item.get("role") == "user":
            messages.append(HumanMessage(item["content"]))
        elif kind == "function_call_output":
            messages.append(ToolMessage(item["output"], tool_call_id=item["call_id"]))
        elif kind == "message":
            parts.append({"type": "text", "text": item["content"][0]["text"], "id": item["id"]})
        else:
            parts.append(item | ({"reasoning": "Hm."} if kind == "reasoning" else {}))
    return messages


def as_call(item: Item) -> Any:
    return {
        "name": item["name"],
        "args": json.loads(item["arguments"]),
        "id": item["call_id"],
        "type": "tool_call",
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_messages_of_langchain_with_such_items_in_them_are_taken(strategy: str) -> None:
    for seed in HISTORIES:
        history = responses(seed)
        given = langchain(history)
        for target in (300, 1200):
            settings = ContextConfig(strategy=strategy, when="always", target_tokens=target)
            made = ContextManager(settings, count=chars4, archive=False).process_messages(given)
            assert Kept(history).refusals(of_langchain(made)) == []
            written = json.dumps(messages_to_dict(given)).encode()
            shorter = decide(earlier_of(written), wish(strategy, None).replace(target=target)).data
            assert (
                Kept(history).refusals(of_langchain(messages_from_dict(json.loads(shorter)))) == []
            )


def anthropic(seed: int, turns: int = 24) -> list[Item]:
    """A run with thoughts that are signed."""
    random = Random(seed)
    messages: list[Item] = [{"role": "user", "content": "Mend the feed."}]
    for number in range(turns):
        name, path = f"t{number}", {"path": f"src/{number % 5}.py"}
        thought = {"type": "thinking", "thinking": words(random, 30), "signature": f"by {name}"}
        call = {"type": "tool_use", "id": name, "name": "read", "input": path}
        said = [{"type": "text", "text": words(random, 8)}] if random.random() < 0.4 else []
        output = "\n".join(words(random, 8) for _ in range(random.choice((1, 12, 40))))
        result = {"type": "tool_result", "tool_use_id": name, "content": output}
        messages.append({"role": "assistant", "content": [thought, *said, call]})
        messages.append({"role": "user", "content": [result]})
        if random.random() < 0.1:
            text = {"type": "text", "text": words(random, 20)}
            messages.append({"role": "assistant", "content": [text]})
            messages.append({"role": "user", "content": words(random, 10)})
    return messages


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_signed_thought_stays_with_its_calls_as_long_as_the_model_is_at_work(
    strategy: str,
) -> None:
    for seed in HISTORIES:
        history = anthropic(seed)
        earlier = earlier_of(json.dumps({"model": "m", "messages": history}).encode())
        for ratio in RATIOS:
            made = json.loads(decide(earlier, wish(strategy, ratio)).data)["messages"]
            assert refused_by_anthropic(made, history) == []
