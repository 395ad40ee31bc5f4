"""The strategies of shortening: what each keeps, what it cuts, and what all of them promise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from browser_runs import browser_run
from histories import Raw, acted, aim, chars4, conversation, runs, said, user
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.history.compress.receipt import cuts
from director_ctx.history.formats import load
from director_ctx.history.messages.message import (
    ADDED,
    CALL,
    IMAGE,
    RESULT,
    THINKING,
    Block,
    Message,
    measure,
)
from director_ctx.history.messages.stubs import called_before, is_cut, is_stub, locator, original
from director_ctx.history.messages.turns import turns
from director_ctx.history.results.snapshot import difference, is_snapshot, reduced
from director_ctx.history.signals.importance import ImportanceScorer
from director_ctx.history.signals.phases import phases
from director_ctx.history.strategies import auto, limits
from director_ctx.history.strategies.shrink import shrink, strategy

OWN = ("sliding_window", "compression", "checkpoint", "pruning", "clear", "auto")
LONG = "\n".join(f"line {n} of what was read" for n in range(200))


def blocks_in(messages: list[Message]) -> list[Block]:
    return [block for message in messages for block in message.blocks]


def texts(messages: list[Message]) -> str:
    return "\n".join(block.text for block in blocks_in(messages))


def tokens(messages: list[Message]) -> int:
    return sum(message.tokens for message in messages)


def calls_in(messages: list[Message]) -> set[str]:
    return {block.call for block in blocks_in(messages)}


def results_in(messages: list[Message]) -> dict[str, Block]:
    return {block.call: block for block in blocks_in(messages) if block.kind == RESULT}


def changed_in(messages: list[Message]) -> list[Block]:
    return [block for block in blocks_in(messages) if block.action]


def shrunk(name: str, raws: list[Raw], **wishes: Any) -> list[Message]:
    return shrink(conversation(raws).messages, name, aim(**wishes))


def reads(count: int, result: str = LONG) -> list[Raw]:
    return [
        one
        for n in range(count)
        for one in acted("read_file", {"path": f"f{n}.py"}, f"{result} {n}", name=f"c{n}")
    ]


# What all of them leave alone

TASK = "The task: " + "".join(f"rule {n} says {n * n}. " for n in range(80))


@pytest.mark.parametrize("name", [*OWN, "hybrid"])
def test_what_a_client_put_in_is_not_what_the_user_said_first(name: str) -> None:
    wrapped = "<system-reminder>\nThe branch is main.\n</system-reminder>"
    both = f"{wrapped}\n{TASK}\n{wrapped}"
    for first, second, stays in (
        (wrapped, TASK, TASK), (both, "Go on.", both), (" ", TASK, " "), (wrapped * 9, "", wrapped * 9)
    ):  # fmt: skip
        run = [*user(first), *(user(second) if second else []), *reads(10)]
        after = shrunk(name, run, target=600, window_size=3)
        assert stays in [block.text for block in blocks_in(after)]


# Turns


def item(call: str) -> Raw:
    return {"type": "function_call", "call_id": call, "name": "shell", "arguments": "{}"}


def output(call: str, text: str) -> Raw:
    return {"type": "function_call_output", "call_id": call, "output": text}


def spoken(role: str, text: str) -> Raw:
    return {"type": "message", "role": role, "content": text}


def test_a_turn_ends_with_the_last_answer_to_its_calls() -> None:
    items = [
        spoken("user", "Go."), item("a"), output("a", "1"), item("b"), item("c"), spoken("user", "Also this."),
        output("b", "2"), spoken("assistant", "And?"), output("c", "3"), output("c", "again"), spoken("user", "Stop."),
        output("a", "late"), item("d"), output("", "nameless"), output("d", "4"),
    ]  # fmt: skip
    rows = turns(load("openai-responses").decode(items).messages)
    assert [(row.start, row.stop) for row in rows] == [
        (0, 1),
        (1, 3),
        (3, 10),
        (10, 11),
        (11, 12),
        (12, 15),
    ]


@pytest.mark.parametrize("name", [*OWN, "hybrid"])
def test_a_message_between_a_call_and_its_result_does_not_part_them(name: str) -> None:
    old = [one for n in range(15) for one in (item(f"c{n}"), output(f"c{n}", f"{LONG} {n}"))]
    last = [
        item("cz"),
        spoken("user", "Meanwhile: " + "word " * 200),
        output("cz", "The last result."),
    ]
    before = load("openai-responses").decode([spoken("user", "Go."), *old, *last])
    total = measure(before.messages, chars4)
    after = shrink(before.messages, name, aim(total // 5, window_size=1))
    assert after[-3:] == before.messages[-3:] and len(after) <= len(before.messages)


# What all of them promise


@settings(max_examples=50, deadline=None)
@given(runs(), st.sampled_from(OWN), st.booleans())
def test_the_same_again_changes_nothing(run: list[Raw], name: str, targeted: bool) -> None:
    format_, before = load("openai-chat"), conversation(run)
    targeted = targeted and name != "auto"  # which leaves a target to hybrid
    wanted = aim(measure(before.messages, chars4) * 6 // 10 if targeted else None)
    once = format_.encode(before, shrink(before.messages, name, wanted))
    again = format_.decode(json.loads(json.dumps(once)))
    measure(again.messages, chars4)
    assert format_.encode(again, shrink(again.messages, name, wanted)) == once


@settings(max_examples=30, deadline=None)
@given(runs(), st.sampled_from(OWN))
def test_what_was_cut_is_named_by_a_locator_in_the_result(run: list[Raw], name: str) -> None:
    before = conversation(run)
    after = shrink(before.messages, name, aim())
    seen = texts(after)
    listed = {id(source) for block in blocks_in(after) for source in block.sources}
    blocks = {one.index: one.blocks for one in before.messages}
    for cut in cuts(before.messages, after):
        source = blocks[cut.message][cut.block]
        assert (
            cut.locator in seen
            or id(source) in listed
            or any(
                locator(source) in original(block).decode()
                for block in blocks_in(after)
                if block.sources
            )
        )


def test_the_input_is_left_as_it_is() -> None:
    run = browser_run()
    for name in OWN:
        shrunk(name, run)
    assert run == browser_run()


# Sliding window


@pytest.mark.parametrize("window", [3, 4])
def test_a_window_keeps_the_first_words_whole_turns_and_a_digest_of_what_was_dropped(
    window: int,
) -> None:
    first, digest, *newest = shrunk(
        "sliding_window", [*user("Mend it."), *reads(30)], window_size=window
    )
    assert first.blocks[0].text == "Mend it."
    assert [block.call for block in blocks_in(newest)] == ["c28", "c28", "c29", "c29"]
    assert (digest.index, digest.role) == (ADDED, "user")
    assert "f3.py" in digest.blocks[0].text and len(digest.blocks[0].sources) == 56


def test_errors_are_found_by_structure_and_not_by_the_word() -> None:
    run = [*user("Go."), *acted("bash", {"command": "make"}, "<returncode>2</returncode>\n" + LONG, name="wrong"),
           *acted("bash", {"command": "ls"}, f"errors.py\n{LONG}", name="fine"), *reads(20)]  # fmt: skip
    calls = set(results_in(shrunk("sliding_window", run)))
    assert "wrong" in calls
    assert "fine" not in calls
    by_word = shrunk("sliding_window", run, error_detection="substring")
    assert "fine" in calls_in(by_word)
    without = shrunk(
        "sliding_window",
        [*run, *acted("bash", {"command": "make -j"}, "fine")],
        preserve_errors=False,
    )
    assert "wrong" not in calls_in(without)


def test_changes_of_state_stay_by_a_list_of_words() -> None:
    run = [
        *user("Go."),
        *acted("click", {"ref": "e1"}, "You are logged in.", name="state"),
        *reads(20),
    ]
    assert "state" in calls_in(shrunk("sliding_window", run))
    other = shrunk("sliding_window", run, preserve_keywords=["paid"])
    assert "state" not in calls_in(other)


def test_screenshots_stay_if_that_is_asked_for() -> None:
    run = [*user("Go."), *acted("take_screenshot", {}, "saved as a.png", name="shot"), *reads(20)]
    assert "shot" in calls_in(shrunk("sliding_window", run))
    other = shrunk("sliding_window", run, preserve_screenshots=False)
    assert "shot" not in calls_in(other)


# Compression

PAGE = """- Page URL: http://a.example/
- Page Title: A
```yaml
- generic [ref=e1]:
  - main [ref=e2]:
    - list [ref=e3]:
      - listitem [ref=e4]:
        - article [ref=e5]:
          - region "Far down" [ref=e6]:
            - paragraph [ref=e7]: a long way down, nothing else
            - paragraph [ref=e8]: costs 17 pounds
            - button "Buy" [ref=e9] [cursor=pointer]
```"""


def test_a_snapshot_loses_what_is_deep_but_nothing_that_can_be_acted_on() -> None:
    assert is_snapshot(PAGE)
    made = reduced(PAGE, 3)
    assert '- button "Buy" [ref=e9]' in made
    assert "costs 17 pounds" in made
    assert "a long way down" not in made
    assert "http://a.example/" in made
    assert "generic" not in made
    assert "costs" not in reduced(PAGE, 3, values=False)


def test_beside_the_content_of_a_page_only_what_can_be_acted_on_stays() -> None:
    page = """- main [ref=e1]:
  - img "a lamp" [ref=e2]
  - paragraph: 17 pounds
- contentinfo [ref=e3]:
  - paragraph: founded in 1901
  - link "Terms" [ref=e4]"""
    assert (
        reduced(page, 3)
        == '- main:\n - paragraph: 17 pounds\n- contentinfo:\n - link "Terms" [ref=e4]'
    )
    assert "a lamp" in reduced(page, 3, aside=True)
    assert "1901" in reduced(page, 3, aside=True)


def test_a_page_that_was_shown_before_becomes_a_difference() -> None:
    page = "\n".join([PAGE, *(f'- link "to {n}" [ref=f{n}]' for n in range(60))])
    other = page.replace("17 pounds", "18 pounds")
    shown = [
        *acted("browser_snapshot", {}, page, name="one"),
        *acted("browser_snapshot", {}, other, name="two"),
    ]
    run = [*user("Go."), *shown, *reads(3, "x")]
    made = results_in(shrunk("compression", run, protect_newest=0))
    assert "costs 17 pounds" in made["one"].text
    assert "+" + "  - paragraph: costs 18 pounds".strip() in made["two"].text.replace("+   -", "+-")
    assert len(made["two"].text) < 500
    assert made["two"].action == "difference"
    whole = shrunk("compression", run, protect_newest=0, snapshot_differences=False)
    assert not any(block.action == "difference" for block in blocks_in(whole))


def test_a_difference_is_given_only_where_it_says_less() -> None:
    assert difference("a\nb\nc\nd", "a\nb\nX\nd\ne\nf\ng\nh\ni") is None
    lines = [f"line {n}" for n in range(50)]
    changed = [*lines[:20], "other", *lines[21:]]
    assert difference("\n".join(lines), "\n".join(changed)) == "@@ -21,1 +21,1 @@\n-line 20\n+other"


def test_console_messages_are_grouped_by_kind_with_counts() -> None:
    lines = [
        *["[LOG] drawn @ app.js:1"] * 30, *["[ERROR] 404 for a.png"] * 2, "[ERROR] no b.png",
        *(f"[info] part {n}" for n in range(4)), *(f"[debug] step {n}" for n in range(4)),
    ]  # fmt: skip
    console = acted("browser_console_messages", {}, "\n".join(lines), name="console")
    run = [*user("Go."), *console, *reads(9, "x")]
    made = shrunk("compression", run, protect_newest=0)
    text = results_in(made)["console"].text
    assert text.startswith("error: 3\n  404 for a.png (2 times)\n  no b.png\n")
    assert "\nlog: 30\n" in text and "\ninfo: 4\n  part 0\n  part 1\n  … 2 more\n" in text
    assert text.partition("\ndebug: 4")[2].startswith("\n[… "), "what is for nobody is counted"
    off = shrunk("compression", run, protect_newest=0, summarize_console=False)
    assert "error: 3" not in texts(off)


def test_long_results_keep_head_tail_and_signals_and_say_what_was_cut() -> None:
    lines = [f"nothing of interest {n}" for n in range(300)]
    lines[150] = "src/box.py:42: AssertionError: lid is open"
    run = [
        *user("Go."),
        *acted("bash", {"command": "make"}, "\n".join(lines), name="long"),
        *reads(5, "x"),
    ]
    made = shrunk("compression", run, protect_newest=0)
    block = results_in(made)["long"]
    assert block.text.startswith("nothing of interest 0\n")
    assert "nothing of interest 299" in block.text
    assert "src/box.py:42: AssertionError: lid is open" in block.text
    assert is_cut(block.text)
    assert f"of {len(chr(10).join(lines)):,} characters cut: dctx restore dctx:" in block.text
    assert len(block.text) < 1200


def test_levels_go_from_nothing_to_half() -> None:
    run = [*user("Go."), *reads(20), *said("I think so. " * 400), *reads(1, "x")]
    sizes = [
        tokens(shrunk("compression", run, compression_level=level))
        for level in ("none", "low", "medium", "high")
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4
    target = sizes[2] - 100
    assert tokens(shrunk("compression", run, target=target)) <= target, "a higher one is taken"


def test_words_of_the_user_are_never_compressed() -> None:
    run = [*user("Go. " * 900), *reads(3), *user("And then. " * 900), *reads(2)]
    made = shrunk("compression", run, compression_level="high")
    assert [one.blocks[0].text for one in made if one.role == "user"] == [
        "Go. " * 900,
        "And then. " * 900,
    ]


def test_the_newest_results_stay_whole() -> None:
    run = [*user("Go."), *reads(6), *said("Done.")]
    made = shrunk("compression", run, protect_newest=2600)
    whole = [call for call, block in results_in(made).items() if not block.action]
    assert whole == ["c4", "c5"]


# Clearing


def test_old_results_are_cleared_and_their_stubs_name_the_call() -> None:
    made = shrunk("clear", [*user("Go."), *reads(8)])
    results = list(results_in(made).values())
    assert [is_stub(block.text) for block in results] == [True] * 5 + [False] * 3
    assert 'result of read_file {"path": "f0.py"}' in results[0].text
    assert made[1].blocks[0].text == '{"path": "f0.py"}'


def test_excluded_tools_keep_their_results_and_little_is_not_worth_it() -> None:
    run = [*user("Go."), *reads(8)]
    assert not changed_in(shrunk("clear", run, exclude_tools=["read_file"]))
    assert not changed_in(shrunk("clear", run, clear_at_least=100_000))
    assert len(changed_in(shrunk("clear", run, keep_results=6))) == 2


def shots(count: int, text: str = "seen") -> list[Raw]:
    """Calls whose results hold an image, after one of the user's own."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    made = [{"role": "user", "content": [{"type": "text", "text": "Go."}, image]}]
    for n in range(count):
        call, result = acted("screenshot", {"page": n}, "", name=f"c{n}")
        made += [call, {**result, "content": [{"type": "text", "text": text}, image]}]
    return [*made, *said("Done.")]


def images(messages: list[Message]) -> int:
    return sum(block.kind == IMAGE for one in messages for block in one.blocks)


def test_images_in_old_results_are_cleared_where_screenshots_need_not_stay() -> None:
    before = conversation(shots(6))
    assert images(shrunk("clear", shots(6))) == 7
    made = shrink(before.messages, "clear", aim(preserve_screenshots=False))
    assert images(made) == 4 and images(made[:1]) == 1
    stubs = [block.text for block in blocks_in(made) if "image of" in block.text]
    begin = '[… image of screenshot {"page": 1}, PNG, 1 KB: dctx:'
    assert len(stubs) == 3 and stubs[1].startswith(begin)
    cut = list(cuts(before.messages, made))
    assert {(one.kind, one.action) for one in cut} == {("image", "cleared")}
    assert [one.message for one in cut] == [2, 4, 6]
    assert locator(before.messages[2].blocks[1]) == cut[0].locator in stubs[0]
    without = {"preserve_screenshots": False, "exclude_tools": ["screenshot"]}
    assert images(shrunk("clear", shots(6), **without)) == 7


def test_a_result_and_its_image_that_were_cleared_are_read_as_cleared() -> None:
    before = conversation(shots(6, LONG))
    made = shrink(before.messages, "clear", aim(preserve_screenshots=False))
    again = load("openai-chat").decode(load("openai-chat").encode(before, made))
    measure(again.messages, chars4)
    text = again.messages[2].blocks[0].text
    assert is_stub(text) and "image of" in text
    assert shrink(again.messages, "clear", aim(preserve_screenshots=False)) == again.messages


SAID = (
    ("I look.\n```bash\nls -F src\n```", "ls -F src"),
    ("First\n```\nold\n```\nthen\n```\nopen a.py\n```\nand wait.", "open a.py"),
    ("Now.\n<command>\npython a.py\n</command>", "python a.py"),
    (
        "```py\nx = 1\n```\n<execute_bash>pip install -e .[dev]</execute_bash>",
        "pip install -e .(dev)",
    ),
    ("```bash\nnobody closed it", "nobody closed it"),
    ("``` make test ```", "make test"),
    ("cat a.py\nand so on", "cat a.py"),
)


@pytest.mark.parametrize("answer, wanted", SAID)
def test_without_calls_a_stub_names_the_command_that_was_said(answer: str, wanted: str) -> None:
    one = [{"role": "assistant", "content": answer}, {"role": "user", "content": LONG}]
    made = shrunk("clear", [*user("Go."), *(one * 6)])
    begins = f"[… result of {wanted}, {len(LONG):,} characters: dctx restore dctx:"
    assert made[2].blocks[0].text.startswith(begins)


def test_a_result_is_of_the_call_with_its_id_and_of_the_newest_where_ids_are_missing() -> None:
    old = [
        {"role": "assistant", "content": "x", "function_call": {"name": "find", "arguments": "{}"}},
        {"role": "function", "name": "find", "content": LONG},
    ]
    messages = conversation(user("Go."), old, reads(1), said("Now I wait.")).messages
    found = called_before(messages)
    assert [found[id(messages[place].blocks[0])] for place in (2, 4)] == [
        "find {}",
        'read_file {"path": "f0.py"}',
    ]


# Checkpoints


def test_a_checkpoint_says_where_the_run_stands() -> None:
    made = shrunk("checkpoint", browser_run())
    text = made[2].blocks[0].text
    assert [one.role for one in made[:3]] == ["system", "user", "assistant"]
    assert text.startswith(
        "Previous phases completed. Current state:\n\nPhase: checkout\nURL: https://shop.example.org/"
    )
    assert "\nPage: Shop /\n" in text
    assert "Completed: login, cart, logged in, cart updated" in text
    assert "Successfully completed 4 objectives. Currently on Shop / page." in text
    assert text.endswith("Continuing with the next phase...")
    assert made[3].blocks[0].text == "Now let's go to the checkout."


def test_a_checkpoint_of_code_has_no_address() -> None:
    run = [
        *user("Mend it."),
        *reads(9),
        *acted("bash", {"command": "git commit -m 'Mend the lid'"}, "[main 1a2b3c4]"),
        *reads(2),
    ]
    text = shrunk("checkpoint", run)[1].blocks[0].text
    assert "URL:" not in text
    assert "commit 'Mend the lid'" in text


def test_a_request_beside_results_begins_a_phase_and_a_checkpoint_without_objectives_counts_none() -> (
    None
):
    document: list[dict[str, Any]] = [{"role": "user", "content": "Do A in a.py."}]
    for step in range(12):
        call = {"type": "tool_use", "id": f"t{step}", "name": "Read", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": f"t{step}", "content": LONG}
        asked = [{"type": "text", "text": "Now do B in b.py."}] if step == 7 else []
        document += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [answer, *asked]},
        ]
    before = (
        load("anthropic").decode([*document, {"role": "assistant", "content": "Done."}]).messages
    )
    measure(before, chars4)
    made = shrink(before, "checkpoint", aim())
    said = made[1].blocks[0].text
    assert (
        said.startswith("Previous phases completed.")
        and "objective" not in said
        and "\n\n\n" not in said
    )
    assert [block.call for block in blocks_in(made) if block.kind == CALL] == [
        f"t{n}" for n in range(7, 12)
    ]


def test_a_checkpoint_does_not_come_between_a_call_and_what_follows_it() -> None:
    run = [
        *user("Mend it."),
        *reads(9),
        acted("bash", {"command": "submit"}, "")[0],
        *user("It was submitted."),
    ]
    made = shrunk("checkpoint", run)
    assert [one.role for one in made] == ["user", "assistant", "assistant", "user"]
    assert made[2].blocks[-1].kind == "call"


def test_a_checkpoint_stands_where_the_phase_begins_so_that_the_same_again_changes_nothing() -> (
    None
):
    run = [
        *user("Mend it."),
        *reads(1),
        *(user("Please go on.") * 14),
        *reads(1),
        *user("Please go on."),
    ]
    before = conversation(run)
    once = shrink(before.messages, "checkpoint", aim())
    assert len(once) < len(run)
    after = conversation(load("openai-chat").encode(before, once))
    assert shrink(after.messages, "checkpoint", aim()) == after.messages


@pytest.mark.parametrize(
    "end",
    [
        acted("bash", {"command": "pytest"}, "== 12 passed in 3 s =="),
        acted("bash", {"command": "git commit -m x"}, "ok"),
        acted("TodoWrite", {"todos": [{"content": "Mend the lid", "status": "completed"}]}, "ok"),
    ],
)
def test_phases_end_where_something_was_reached(end: list[Raw]) -> None:
    run = [*user("Mend it."), *reads(9), *end, *reads(3)]
    made = shrunk("checkpoint", run)
    assert len(made) == 1 + 1 + 6
    assert len(shrunk("checkpoint", run, auto_checkpoint=False)) == len(run)
    no_end = acted("bash", {"command": "git checkout -b lid"}, "ok")  # also a word of shops
    run = [*user("Mend it."), *reads(9), *no_end, *reads(3)]
    assert len(shrunk("checkpoint", run)) == len(run)


def test_a_phase_that_is_told_begins_where_it_was_told() -> None:
    run = [*user("Mend it."), *reads(9)]
    assert len(shrunk("checkpoint", run)) == len(run)
    made = shrunk("checkpoint", run, phase="polish")
    assert len(made) == 1 + 1 + 2
    assert "Phase: polish" in made[1].blocks[0].text


def test_a_checkpoint_is_no_larger_than_it_may_be() -> None:
    todo = [
        {"content": f"a thing of some length that was done, number {n}", "status": "completed"}
        for n in range(200)
    ]
    run = [*user("Mend it."), *reads(9), *acted("TodoWrite", {"todos": todo}, "ok"), *reads(3)]
    made = shrunk("checkpoint", run, max_checkpoint_size=200)
    assert 100 < made[1].tokens <= 200
    assert "dctx:" in made[1].blocks[0].text


# Pruning


def test_scores_are_between_0_and_1_and_errors_matter_more() -> None:
    scorer = ImportanceScorer(aim().config)
    messages = conversation(
        user("Go."), acted("bash", {"command": "make"}, "Exit code 2"), acted("read", {}, "a")
    ).messages
    scores = [scorer.of_turn([message], since=9) for message in messages]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] == 1
    assert scores[2] > scores[4]
    assert scorer.of_turn(messages[4:5], since=0) > scorer.of_turn(messages[4:5], since=50)


def test_turns_below_the_threshold_go_and_those_around_errors_stay() -> None:
    run = [*user("Go."), *reads(131)]
    run[82]["content"] = "Exit code 2"
    made = shrunk("pruning", run, merge_similar=False, importance_threshold=0.2)
    kept = {one.index for one in made}
    assert set(range(77, 87)) <= kept and not kept & {3, 4, 71, 72}
    assert len(made) < 60
    assert len(shrunk("pruning", run, merge_similar=False, importance_threshold=0.0)) == len(run)


def test_an_eighth_of_the_limit_comes_before_the_next_try_or_less_near_the_target() -> None:
    assert limits.step(limit=8_000, target=1_000) == 1_000
    assert limits.step(limit=8_000, target=7_000) == 250
    assert limits.step(limit=4, target=3) == 1


def test_of_turns_that_matter_as_much_the_later_ones_stay() -> None:
    wishes = [f"Wish {n}: {LONG}" for n in range(6)]
    run = [*user("Go."), *(raw for wish in wishes for raw in user(wish)), *reads(1)]
    total = tokens(conversation(run).messages)
    made = shrunk("pruning", run, target=total * 2 // 3, merge_similar=False)
    stay = [wish in texts(made) for wish in wishes]
    assert True in stay and False in stay and stay == sorted(stay)


def test_a_phase_that_nobody_named_ends_only_after_so_many_turns() -> None:
    def starts(**wishes: Any) -> list[int]:
        messages = conversation(run).messages
        return [phase.start for phase in phases(messages, turns(messages), aim(**wishes))]

    commit = acted("bash", {"command": "git commit -m 'Mend it'"}, "1 file changed", name="commit")
    run = [*user("Go."), *reads(1), *commit, *reads(3)]
    assert starts(phase_turns=3) == [0, 3]
    assert starts(phase_turns=4) == [0]
    assert starts(phase_turns=3, auto_checkpoint=False) == [0]


def test_with_a_target_what_matters_least_goes_first() -> None:
    old = acted("read_file", {"path": "old.py"}, LONG, name="old")
    run = [*user("Go."), *old, *acted("edit_file", {"path": "a.py"}, LONG, name="edit"), *reads(9)]
    total = tokens(conversation(run).messages)
    made = shrunk("pruning", run, target=total * 3 // 4, merge_similar=False)
    calls = calls_in(made)
    assert tokens(made) <= total * 3 // 4
    assert "old" not in calls
    assert "edit" in calls


def test_neighbours_that_are_nearly_the_same_are_merged() -> None:
    run = [
        *user("Go."),
        *acted("status", {}, LONG, name="one"),
        *acted("status", {}, LONG + "\nand one more", name="two"),
        *said("Done."),
    ]
    made = {name: block.text for name, block in results_in(shrunk("pruning", run)).items()}
    assert made["one"].startswith("[… nearly the same as the next of status: dctx restore dctx:")
    assert made["two"] == LONG + "\nand one more"
    other = shrunk("pruning", run, merge_similar=False)
    assert not changed_in(other)


# The adaptive choice


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ([*user("Go."), *reads(3)], ""),
        ([*user("Go."), *reads(60)], "clear"),
        (browser_run(9), "checkpoint"),
        (
            [*user("Go."), *[one for _ in range(60) for one in said("I think so. " * 200)]],
            "pruning",
        ),
    ],
)
def test_the_choice_follows_from_numbers_and_says_why(run: list[Raw], wanted: str) -> None:
    messages = conversation(run).messages
    choice = auto.choose(messages, aim())
    assert choice.name == wanted
    assert auto.reason(messages, aim()).startswith((wanted or "nothing") + ": ")
    assert any(char.isdigit() for char in choice.why)


# What was shortened before


def rewritten(name: str, raws: list[Raw], **wishes: Any) -> list[Raw]:
    """The result as it is written."""
    before = conversation(raws)
    return json.loads(
        json.dumps(load("openai-chat").encode(before, shrink(before.messages, name, aim(**wishes))))
    )


def test_a_text_that_was_shortened_is_not_shortened_again() -> None:
    once = rewritten("compression", [*user("Go."), *reads(4), *said("Done.")], protect_newest=0)
    assert is_cut(once[2]["content"])
    again = {"protect_newest": 0, "compression_level": "high", "max_result_chars": 300}
    assert not changed_in(shrunk("compression", once, **again))


def test_a_digest_outlives_the_window_that_made_it() -> None:
    once = rewritten("sliding_window", [*user("Go."), *reads(30)], window_size=4)
    more = [one for n in range(30) for one in acted("look", {}, LONG, name=f"n{n}")]
    twice = shrunk("sliding_window", [*once, *more], window_size=4)
    assert [one.blocks[0].text for one in twice[:2]] == ["Go.", once[1]["content"]]
    assert sum(one.index == ADDED for one in twice) == 1


def test_little_is_not_worth_a_digest() -> None:
    messages = conversation([*user("Go."), *said("a"), *said("b"), *said("c")]).messages
    assert strategy("sliding_window")(messages, aim(window_size=1)) == messages


def test_a_checkpoint_before_thoughts_is_the_users() -> None:
    messages = conversation([*user("Go."), *reads(9)]).messages
    messages[-2].blocks = [Block(THINKING, "Hm.", tokens=1), *messages[-2].blocks]
    made = shrink(messages, "checkpoint", aim(phase="next"))
    assert [one.role for one in made if one.index == ADDED] == ["user"]
