"""The hybrid strategy: what it keeps, what it collapses, and what it promises."""

from __future__ import annotations

import json
import re

import pytest
from histories import acted, aim, chars4, conversation
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.history.compress.receipt import break_even, explain, unchanged
from director_ctx.history.digest import choose
from director_ctx.history.digest import read as read_module
from director_ctx.history.digest.choose import (
    Candidates,
    Cover,
    Placed,
    printed,
    ranked_lines,
)
from director_ctx.history.digest.digest_message import (
    FILES,
    HEADINGS,
    DigestSources,
    is_digest,
    users_words,
)
from director_ctx.history.digest.read import items_of
from director_ctx.history.digest.read import text_of as text_of_block
from director_ctx.history.digest.worth import SeenItems, kind, signs, worth, worths
from director_ctx.history.digest.write import DigestDraft
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import read_handover
from director_ctx.history.messages.message import (
    ADDED,
    CALL,
    RESULT,
    TEXT,
    THINKING,
    Block,
    Message,
    measure,
)
from director_ctx.history.messages.stubs import listing, mark
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.shrink import shrink

DECIDED = (
    "The header is read by lines instead of at once, because a file may be larger than the memory"
    " of the machine that it is on."
)


def chat(steps: int, output: int = 40, errors: tuple[int, ...] = ()) -> list[dict[str, object]]:
    """A run that greps, reads and edits; each result has its own names."""
    made: list[dict[str, object]] = [
        {"role": "system", "content": "You mend programs."},
        {"role": "user", "content": "Mend the parser in src/parser.py; do not touch tests."},
    ]
    for step in range(steps):
        name = f"read_block_{step}"
        body = "\n".join(
            f"{line}: some plain words here and the value_{step}_{line} = {line}"
            for line in range(output)
        )
        status = "<returncode>1</returncode>\n" if step in errors else ""
        command = {"command": f"grep -n {name} src/part_{step}.py"}
        made += acted("bash", command, status + body, f"I look at {name}.", f"c{step}")
    return made


def decoded(document: list[dict[str, object]]) -> list[Message]:
    return conversation(document).messages


def tokens(messages: list[Message]) -> int:
    return sum(message.tokens for message in messages)


def shortened(before: list[Message], share: float, **more: object) -> list[Message]:
    return shrink(before, "hybrid", aim(int(tokens(before) * share), **more))


def digest_in(messages: list[Message]) -> Message:
    (digest,) = (message for message in messages if message.index == ADDED)
    return digest


def text_of(messages: list[Message]) -> str:
    return "\n".join(block.text for message in messages for block in message.blocks)


def results(messages: list[Message]) -> dict[str, Block]:
    blocks = [block for message in messages for block in message.blocks]
    return {block.call: block for block in blocks if block.kind == RESULT}


@pytest.mark.parametrize("share", [0.05, 0.2, 0.8])
def test_the_target_is_met_and_nearly_used_and_both_ends_and_the_open_error_stay(
    share: float,
) -> None:
    document = chat(120)
    document[62:62] = acted("bash", {"command": "make"}, "Exit code 2", name="wrong")
    before = decoded(document)
    target = int(tokens(before) * share)
    after = shrink(before, "hybrid", aim(target))
    assert target * 0.75 <= tokens(after) <= target
    for message in (*before[:2], *before[62:64], *before[-2:]):
        assert any(one is message for one in after)


def test_a_digest_names_every_block_by_its_file_and_its_locator_is_of_all_of_them() -> None:
    before = decoded(chat(60))
    after = shortened(before, 1 / 4)
    digests = [message.blocks[0] for message in after if message.index == ADDED]
    assert digests
    for digest in digests:
        assert mark(b"".join(listing(digest.sources))) in digest.text
        for number, block in enumerate(digest.sources, 1):
            if block.kind == CALL:
                path = re.search(r"src/part_\d+\.py", block.text)
                assert path
                line = next(
                    line for line in digest.text.split("\n") if line.startswith(path.group())
                )
                first, _, last = line.rpartition(" ")[2].partition("-")
                assert int(first) <= number <= int(last or first)


def test_an_index_without_room_for_files_and_commands_names_tools() -> None:
    sources = DigestSources(decoded(chat(2))[2:])
    whole = ["src/part_0.py: 2-3", "src/part_1.py: 5-6"]
    assert sources.index(float("inf")) == whole
    assert sources.index(20) == ["bash: 2-3 5-6"]
    assert sources.index(float("inf"), told={1, 2, 3, 4}) == ["src/part_1.py: 5-6"]


def test_addresses_and_paths_stand_in_an_index_in_full() -> None:
    calls = [
        Block(CALL, json.dumps({"url": "http://site.test/p0"}), call="1", tool="fetch"),
        Block(CALL, json.dumps({"command": "cd /srv && cat src/a/b.py"}), call="2", tool="bash"),
        Block(CALL, json.dumps({"file_path": "/srv/src/a/b.py"}), call="3", tool="Read"),
    ]
    index = DigestSources([Message("assistant", calls)]).index(float("inf"))
    assert index == ["http://site.test/p0: 1", "/srv/src/a/b.py: 2-3"]


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_request_is_told_or_stands_whole_and_never_both(share: float) -> None:
    talk = chat(0)
    requests = [f"Now part {number}, and tell me how it went." for number in range(12)]
    for number, request in enumerate(requests):
        talk.append({"role": "user", "content": request})
        talk += chat(4)[2:]
        talk.append({"role": "assistant", "content": f"Part {number} is done."})
    before = decoded(talk)
    after = shortened(before, share)
    digest = digest_in(after)
    whole = text_of([message for message in after if message is not digest])
    told = read_handover(text_of([digest])).requests
    for request in requests:
        assert (request in told) != (request in whole)


def test_every_line_of_a_digest_is_quoted_from_its_originals() -> None:
    before = decoded(chat(60))
    after = shortened(before, 1 / 5)
    digest = digest_in(after).blocks[0]
    originals = text_of(before)
    handed_over = digest.text[digest.text.index("## ") : digest.text.index(FILES)]
    assert read_handover(digest.text).files == handover_of(before).files
    (request,) = handover_of(before).requests
    assert request in text_of(after).replace(digest.text, ""), "it stays whole"
    assert not read_handover(digest.text).requests, "and is not said twice"
    for line in digest.text.replace(handed_over, "").split("\n")[1:]:
        if re.match(r"\S+: [\d -]+$", line) or line in HEADINGS:
            continue
        mark, said = re.fullmatch(r"((?:#\d+)?(?: \w+)?> )(.*)", line).groups()  # type: ignore[union-attr]
        assert mark and said in originals


def test_an_item_that_is_used_again_and_again_survives_where_one_seen_once_does_not() -> None:
    before = decoded(chat(80))
    for step in (10, 20, 30, 40, 50):
        before[2 + 2 * step].blocks[-1].text = '{"command": "sed -n 1,9p src/magic_kernel.py"}'
    after = text_of(shortened(before, 1 / 20))
    assert "src/magic_kernel.py" in after
    assert sum(f"value_{step}_39" in after for step in range(70)) < 35


def chosen(messages: list[Message], head: str = "") -> dict[int, list[str]]:
    seen = SeenItems(messages, turns(messages))
    return printed(ranked_lines(seen, set(), DigestDraft(messages, head), 0.2, 10_000))


def test_what_an_answer_says_in_words_is_worth_more_than_what_a_tool_says() -> None:
    words, rows = "It is in read_alpha because of that.", "read_bravo = 1"
    said = {"role": "assistant", "content": words}
    messages = decoded([*acted("bash", {}, rows), said])
    homes = choose._homes(SeenItems(messages, turns(messages)).blocks)
    items = {line: homes[line].reading.lines[line] for line in (words, rows)}
    assert choose._candidates(items, homes, {}, False).factors == {words: choose.SAID}
    assert choose.SAID > 1


def test_where_hardly_any_room_is_left_the_hand_over_has_most_of_it() -> None:
    document = chat(20)
    document[1]["content"] = "Mend the parser. " + "Look at all of it. " * 150
    document.insert(-2, {"role": "assistant", "content": DECIDED})
    before = decoded(document)
    protected = sum(before[place].tokens for place in (0, 1, -2, -1))
    after = shrink(before, "hybrid", aim(protected + 110))
    digest = digest_in(after)
    assert [made.text for made in read_handover(text_of([digest])).decisions] == [DECIDED]


def test_a_line_stands_where_the_user_said_it_else_where_it_was_last() -> None:
    said, shown = "Rename old_name to new_name.", "other_name = 1"
    messages = decoded(
        [
            {"role": "user", "content": said},
            {"role": "assistant", "content": shown},
            {"role": "assistant", "content": f"{said}\n{shown}"},
        ]
    )
    first, _, last = (id(message.blocks[0]) for message in messages)
    assert chosen(messages) == {first: [said], last: [shown]}


def test_what_can_be_read_above_the_lines_is_not_said_again() -> None:
    messages = decoded(
        [{"role": "assistant", "content": "It is in parse_header.\nAlso in read_body."}]
    )
    (lines,) = chosen(messages, head="Changed: parse_header").values()
    assert lines == ["Also in read_body."]


def test_a_head_stands_first_and_its_tokens_are_in_the_room() -> None:
    messages = decoded(chat(3))
    digest = DigestDraft(messages, "## Changed\n- src/parser.py").written({}, 1000, chars4)
    assert digest.blocks[0].text.split("\n")[1:3] == ["## Changed", "- src/parser.py"]


def test_with_room_to_spare_the_start_stays_whole_so_that_a_cache_holds() -> None:
    document = chat(60)
    for message in document[3::2]:
        message["content"] = "\n".join(
            f"word by word it says {'very ' * line} little" for line in range(30)
        )
    before = decoded(document)
    after = shortened(before, 0.7)
    assert unchanged(before, after) > 10


def test_a_target_below_what_is_protected_gives_the_smallest_result_there_is() -> None:
    before = decoded(chat(40))
    after = shrink(before, "hybrid", aim(1))
    assert [message.index for message in after if message.index != ADDED] == [
        0,
        1,
        len(before) - 2,
        len(before) - 1,
    ]
    assert tokens(after) < tokens(before) / 4


@settings(max_examples=20)
@given(
    st.integers(1, 40),
    st.integers(0, 30),
    st.integers(1, 4000),
    st.sets(st.integers(0, 40), max_size=4),
)
def test_it_is_deterministic_never_longer_and_leaves_its_own_result_alone(
    steps: int, output: int, target: int, errors: set[int]
) -> None:
    before = decoded(chat(steps, output, tuple(errors)))
    after = shrink(before, "hybrid", aim(target))
    assert text_of(after) == text_of(shrink(before, "hybrid", aim(target)))
    assert tokens(after) <= tokens(before)
    assert text_of(shrink(after, "hybrid", aim(max(target, tokens(after))))) == text_of(after)


def test_items_are_names_paths_and_numbers_but_no_plain_words() -> None:
    found = items_of(
        "def read_block(self) in ./src/a/parser.py:12 raises KeyError; see pkg.mod.Thing and retries=30"
    )
    assert {
        "read_block",
        "src/a/parser.py",
        "parser.py",
        "KeyError",
        "pkg.mod.Thing",
        "retries=30",
    } <= set(found)
    assert not {"def", "raises", "self", "see", "and"} & set(found)
    beside = items_of("src/a/parser.py-34- src/a/parser.py-35-self src/a/parser.py:36:self")
    assert set(beside) == set(items_of("src/a/parser.py")), "lines beside a match are one file"


def never(line: str) -> bool:
    return False


def test_the_next_line_is_the_one_that_brings_most_of_what_no_other_has_said() -> None:
    items_of = {
        "short": ("a",),
        "most of it": ("a", "b"),
        "the rest is this": ("c",),
        "late": ("b",),
    }
    worth_of = {"a": 0.5, "b": 0.4, "c": 0.3}
    cover = Cover(Candidates(items_of, {}, {}, {}, {}), worth_of, 0)
    assert [line for line, _ in cover.chosen(1000, never)] == ["most of it", "the rest is this"]
    assert len(Cover(cover.candidates, worth_of, 0).chosen(1, never)) == 1


def test_of_a_long_line_a_half_is_taken_where_what_is_needed_stands_in_it() -> None:
    line = "load_settings reads " + " ".join(f"word{chr(97 + n)}" for n in range(26))
    candidates = Candidates({line: ("load_settings",)}, {}, {}, {}, {})
    ((text, whole),) = Cover(candidates, {"load_settings": 0.5}, 0).chosen(1000, never)
    assert whole == line and line.startswith(text) and 0.4 < len(text) / len(line) < 0.75


def test_a_half_of_a_line_says_that_it_is_one_and_two_are_the_whole() -> None:
    line = "load_settings reads the file and then gives it to parse_header"
    begins, ends, whole = (
        Placed(1, place, text, line) for place, text in enumerate((line[:30], line[-30:], line))
    )
    assert printed([whole, ends, begins]) == {1: [f"{line[:30]} …", f"… {line[-30:]}", line]}
    assert printed([begins, ends.replace(place=0)]) == {1: [line]}


def test_a_request_that_is_told_is_not_among_what_is_not_quoted() -> None:
    said = ["Rename the old mast to a new one.", "Then paint all of it in green."]
    messages = decoded([{"role": "user", "content": text} for text in said])
    head = "## What the user asked for\n\n- Rename the old ma ... a new one."
    digest = DigestDraft(messages, head).written({}, 10_000, chars4)
    assert digest.blocks[0].text.split("\n")[-1] == "user's: 2"


def test_what_of_a_line_says_only_its_file_is_not_quoted_below_it() -> None:
    messages = decoded(acted("Edit", {"file_path": "src/a/b.py"}, "It is done.", name="1"))
    of_call, of_result = (message.blocks[0] for message in messages)
    lines = {id(of_call): ["src/a/b.py"], id(of_result): ["The file src/a/b.py …", "name = 1"]}
    digest = DigestDraft(messages).written(lines, 10_000, chars4)
    assert digest.blocks[0].text.split("\n")[2:] == ["src/a/b.py: 1-2", "#2> name = 1"]


def test_a_file_costs_its_name_once() -> None:
    lines = ("alpha_one", "alpha_two", "gamma_one")
    candidates = Candidates(
        {line: (line,) for line in lines}, {}, {}, {}, dict.fromkeys(lines[:2], "f" * 50)
    )
    worth_of = {"alpha_one": 0.5, "alpha_two": 0.4, "gamma_one": 0.3}
    order = [line for line, _ in Cover(candidates, worth_of, 0).chosen(1000, never)]
    assert order == ["gamma_one", "alpha_one", "alpha_two"]


def test_what_says_nothing_has_no_items_and_what_an_edit_replaced_is_gone() -> None:
    nothing = (
        "--- PASS: TestOne_Two (0.0s)\nok  \tshop/one_two\t4.2s\nindex 8189eb14..206d4e57 100644"
    )
    assert not read_module.read(f"{nothing}\n    12→").items
    assert "TestOne_Two" in read_module.read("--- FAIL: TestOne_Two (0.0s)").items
    edit = {"file_path": "a/b.py", "old_string": "gone_by = 1", "new_string": "come_in = 2"}
    assert text_of_block(Block(CALL, json.dumps(edit), call="1")) == "a/b.py come_in = 2"


def test_a_message_between_those_that_a_digest_is_of_is_not_taken_for_the_newest() -> None:
    before = decoded(chat(60))
    after = shortened(before, 1 / 10, keep=lambda text: "value_30_7" in text)
    assert any(one is before[2 + 2 * 30 + 1] for one in after)
    digest = digest_in(after).blocks[0].text
    assert digest.split("\n")[1].startswith("(The next 2 messages stood among them")


def test_a_line_that_is_worth_next_to_nothing_or_is_refused_is_not_taken() -> None:
    candidates = Candidates(
        {"if x.y:": ("x.y",), "load_all": ("load_all",), "drop_all": ("drop_all",)}, {}, {}, {}, {}
    )
    worth_of = {"x.y": 0.004, "load_all": 0.1, "drop_all": 0.9}
    chosen = Cover(candidates, worth_of, 0).chosen(1000, lambda line: line == "drop_all")
    assert chosen == [("load_all", "load_all")]


def test_worth_by_name_and_worth_in_one_go_are_the_same() -> None:
    before = decoded(chat(12))
    seen = SeenItems(before, turns(before))
    together = worths(seen)
    assert together
    for item, value in together.items():
        assert value == pytest.approx(worth(item, signs(item, seen))), (item, kind(item))


@pytest.mark.parametrize(
    ("before", "after", "prefix", "request_number"),
    [
        (100_000, 40_000, 20_000, 4),
        (100_000, 80_000, 20_000, 35),
        (100_000, 90_000, 80_000, 12),
        (10, 10, 10, None),
    ],
)
def test_a_cut_pays_for_itself_after_as_many_requests_as_its_prices_say(
    before: int, after: int, prefix: int, request_number: int | None
) -> None:
    assert break_even(before, after, prefix) == request_number


def test_what_was_decided_is_said() -> None:
    before = decoded(chat(60))
    given = aim(tokens(before) // 5)
    said = explain(before, shrink(before, "hybrid", given), given, turns(before))
    assert said[0].startswith("Not touched: 4 of 122 messages")
    assert re.search(r"paid from request \d+ on\.$", said[-1])


def reading(names: str, edited: str = "") -> list[Message]:
    """A run that reads one file after the other; behind the reading of `edited` that file is
    changed.
    """
    document: list[dict[str, object]] = [{"role": "user", "content": "Mend a.py."}]
    for number, name in enumerate(names):
        body = "\n".join(
            f"def {name}_{number}_{line}(value): return {name}_{line}" for line in range(60)
        )
        steps = [("read_file", body)] + [("edit_file", "Done.")] * (name == edited)
        for tool, result in steps:
            document += acted(tool, {"path": f"{name}.py"}, result, "", f"{tool}{number}")
    return decoded([*document, {"role": "assistant", "content": "Done."}])


@pytest.mark.parametrize(("names", "edited"), [("xabac", ""), ("xabc", "a")])
def test_what_was_read_again_or_edited_later_goes_first_and_alone_where_that_is_enough(
    names: str, edited: str
) -> None:
    before = reading(names, edited)
    after = results(shortened(before, 0.9))
    assert {call for call, block in after.items() if block.action} == {"read_file1"}
    assert after["read_file1"].text.startswith('[… result of read_file {"path": "a.py"}, ')


@pytest.mark.parametrize("share", [0.8, 0.75])
def test_where_more_has_to_go_it_is_gone_wholly_and_the_beginning_stays(share: float) -> None:
    before = reading("xabcdefa", "")
    after = shortened(before, share)
    assert "def a_1_" not in text_of(after) and not results(after)["read_file0"].action


def test_what_a_tool_said_last_stays_whole_where_it_takes_no_more_than_a_quarter_of_the_room() -> (
    None
):
    before = [*decoded(chat(60)), *decoded([{"role": "assistant", "content": "That is all."}])]
    for share, whole in ((0.1, True), (0.01, False)):
        after = results(shortened(before, share))
        assert ("c59" in after and not after["c59"].action) == whole


def test_a_call_is_one_line_of_a_digest_and_what_an_agent_works_out_is_not_in_it() -> None:
    arguments = {
        "pattern": "def load_all",
        "path": "/srv/app.py",
        "offset": 120,
        "limit": 40,
        "case": 7341,
        "all": True,
    }
    assert text_of_block(Block(CALL, json.dumps(arguments))) == "def load_all /srv/app.py case=7341"
    assert (
        text_of_block(Block(CALL, json.dumps({"file": "a.py", "text": "one\ntwo"})))
        == "a.py\none\ntwo"
    )


def test_of_a_long_message_of_the_user_the_beginning_and_the_end_are_kept_rather_than_what_was_pasted() -> (
    None
):
    pasted = [f"frame {number} of nothing in particular, plainly said" for number in range(200)]
    document = chat(60)
    asked = [
        "Please keep the order of the lines.",
        *pasted,
        "And never write into the folder of tests.",
    ]
    document.insert(40, {"role": "user", "content": "\n".join(asked)})
    before = decoded(document)
    after = text_of(shortened(before, 1 / 10))
    assert asked[0] in after and asked[-1] in after
    assert sum(line in after for line in pasted) < 40


def test_a_code_on_a_page_is_remembered_and_so_is_what_was_put_into_its_fields() -> None:
    document = chat(40)
    page = [
        f"- listitem [ref=e{number}]: Something to buy, number {number}" for number in range(80)
    ]
    page[20:20] = [
        "- listitem [ref=e900]: 10 % off with SAVEL0008",
        '- textbox "Street" [ref=e901]: 25 Orchard Street',
    ]
    document[11] = {**document[11], "content": "\n".join(page)}
    before = decoded(document)
    after = text_of(shortened(before, 1 / 10))
    assert (
        "10 % off with SAVEL0008" in after
        and "25 Orchard Street" in after
        and "number 60" not in after
    )


@pytest.mark.parametrize("share", [0.3, 0.5, 0.65])
def test_room_is_used_where_most_of_it_was_read_again_too(share: float) -> None:
    before = reading("abcdefgh" * 6, "")
    target = int(tokens(before) * share)
    assert target * 0.85 <= tokens(shrink(before, "hybrid", aim(target))) <= target


def visible(messages: list[Message], values_only: bool) -> int:
    """Characters that a reader sees: no thoughts, and of calls the values or all of their JSON."""
    letters = 0
    for message in messages:
        for block in message.blocks:
            if block.kind == CALL and values_only:
                letters += sum(len(str(value)) for value in json.loads(block.text).values())
            elif block.kind != THINKING:
                letters += len(block.text)
    return letters


@settings(max_examples=15)
@given(
    steps=st.integers(30, 60),
    thought=st.integers(0, 300),
    argument=st.integers(0, 40),
    ratio=st.floats(0.05, 0.6),
)
def test_the_share_that_stays_is_never_above_the_ratio_by_the_counter_and_by_what_is_visible(
    steps: int, thought: int, argument: int, ratio: float
) -> None:
    messages = [Message("user", [Block(TEXT, "Do it.")], 0)]
    for step in range(steps):
        body = "\n".join(f"line {line} of value_{step}_{line}" for line in range(30))
        given = {"path": f"a_{step}.py", "text": "\n".join(f"\tkey_{n}" for n in range(argument))}
        blocks = [
            Block(THINKING, "I think about it. " * thought, 0),
            Block(CALL, json.dumps(given), 1, f"c{step}", "Write"),
        ]
        messages.append(Message("assistant", blocks, 1 + 2 * step))
        messages.append(
            Message("tool", [Block(RESULT, body, 0, f"c{step}", "Write")], 2 + 2 * step)
        )
    messages.append(Message("assistant", [Block(TEXT, "Done.")], len(messages)))
    measure(messages, chars4)
    after = shrink(messages, "hybrid", aim(int(tokens(messages) * ratio)))
    assert tokens(after) <= ratio * tokens(messages)
    for values_only in (True, False):
        assert visible(after, values_only) <= ratio * visible(messages, values_only)


def test_a_second_digest_takes_the_first_one_in_with_what_the_user_said() -> None:
    wish = "Please keep the old behaviour of empty_lists as it is."
    document = [*chat(40), {"role": "user", "content": wish}, *chat(40)[2:]]
    before = decoded(document)
    once = shortened(before, 1 / 4)
    more = [*once, *decoded(chat(60)[2:])]
    for index, message in enumerate(more):
        message.index = index
    measure(more, chars4)
    twice = shrink(more, "hybrid", aim(tokens(more) // 6))
    digest = digest_in(twice).blocks[0]
    assert not any(is_digest(message) for message in twice if message.index != ADDED)
    assert wish in users_words(digest.text)
    assert "an earlier digest" in digest.text or " earlier> " in digest.text
    assert any(block.text.startswith("[… ") for block in digest.sources)


def test_of_a_reminder_that_comes_again_and_again_only_the_newest_stays() -> None:
    document = chat(40)
    for place in range(30, 6, -4):
        reminder = f"<system-reminder>Todo list, turn {place}: go on.</system-reminder>"
        document.insert(place, {"role": "system", "content": reminder})
    before = decoded(document)
    after = shortened(before, 1 / 4)
    left = [one for one in after if one.index != ADDED and "Todo list" in one.blocks[0].text]
    assert [one.blocks[0].text.split(":")[0][-2:] for one in left] == ["30"]


def test_what_was_read_once_is_not_read_again_when_a_history_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = decoded(chat(60))
    shortened(before, 1 / 5)
    looked_at: list[str] = []
    monkeypatch.setattr(read_module, "_read_lines", lambda text: looked_at.append(text) or {})
    grown = decoded([*chat(60), {"role": "assistant", "content": "This is new_here."}])
    shrink(grown, "hybrid", aim(tokens(grown) // 5))
    assert "This is new_here." in looked_at
    assert not any("value_30_7" in text for text in looked_at)
