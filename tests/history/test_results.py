"""A tool's result is shortened by what it is: what each form keeps, and what all of them promise."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest
from histories import acted, aim, conversation, user
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.anomalies import FORMS as ANOMALIES
from benchmarks.anomalies import case, in_digest, left_of, survives
from benchmarks.structured import MAKERS, structured
from director_ctx.history.messages.message import IMAGE, RESULT, Block
from director_ctx.history.messages.stubs import is_cut
from director_ctx.history.results.forms import FORMS
from director_ctx.history.results.images import described
from director_ctx.history.results.sample import Sample
from director_ctx.history.results.shorten import LARGEST, shortened
from director_ctx.history.strategies.shrink import shrink

KINDS = [(form, kind) for form, each in ANOMALIES.items() for kind in each.kinds]


@pytest.mark.parametrize(("form", "kind"), KINDS)
def test_one_row_of_500_that_is_unlike_the_others_survives_at_a_tenth(form: str, kind: str) -> None:
    for seed in range(1000, 1008):
        made = case(form, kind, seed)
        left = left_of(made)
        assert len(left) <= len(made.text) // 10
        assert survives(made, left), f"{form}, {kind}, {seed}: {made.odd!r} of {made.name}"


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("JSON, one line", "error text"),
        ("JSON, pretty", "outlier"),
        ("JSON lines", "error text"),
        ("CSV", "extra key"),
        ("log", "status"),
        ("go test", "failed"),
        ("HTML", "menu"),
    ],
)
def test_it_survives_in_the_digest_of_a_conversation_too(form: str, kind: str) -> None:
    made = case(form, kind, 1)
    assert survives(made, in_digest(made, 1))


def test_where_every_row_failed_the_one_that_did_not_survives() -> None:
    rows = [{"name": f"job-{n}", "state": "failed", "error": "timeout"} for n in range(400)]
    rows[271].update(state="done", error="")
    left = shortened(json.dumps(rows), 2_000).text
    assert '"name":"job-271","state":"done"' in left
    assert "failed (399), done (1)" in left


CODE = "\n".join(
    f'''def price_{n}(order, rate):
    """What order {n} costs."""
    total = order.total * rate
    total = total + {n}
    return round(total, 2)

'''
    for n in range(40)
)
PATCH = "\n".join(
    f"""diff --git a/src/part_{n}.py b/src/part_{n}.py
index c277a77..bbf7ab1 100644
--- a/src/part_{n}.py
+++ b/src/part_{n}.py
@@ -{n},4 +{n},4 @@ def part_{n}():
     before = 1
-    old = {n}
+    new = {n}
     after = 2"""
    for n in range(30)
)
HITS = "\n".join(
    f"src/part_{n // 20}.py:{n}:    total = order_total({n})  # the sum" for n in range(200)
)
PATHS = (
    "\n".join(f"src/shop/part_{n // 50}/file_{n}.py" for n in range(200)) + "\nsrc/shop/setup.cfg"
)
PAGE = "- main [ref=e1]:\n" + "\n".join(f'  - link "to {n}" [ref=f{n}]' for n in range(90))
TRACE = """Traceback (most recent call last):
  File "/app/shop.py", line 41, in <module>
    main()
  File "/app/orders.py", line 17, in main
    total = rate * None
TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'"""
LOG = "\n".join(f"2026-03-01 10:00:{n % 60:02} INFO shop: order {n} was sent" for n in range(300))
NOTES = "\n\n".join(
    f"## Part {n}\n\nWhat part {n} is for.\n\n- one\n- two\n- three" for n in range(40)
)
PROGRESS = "\n".join(
    f"Collecting package{n}\n  Downloading package{n}.whl (12 kB)" for n in range(80)
)
SAID = "\n".join(["[LOG] drawn"] * 200 + ["[ERROR] no lamp.png"])

EXAMPLES = {
    "JSON": (json.dumps([{"n": n} for n in range(400)]), ""),
    "JSON lines": ("\n".join(f'{{"n": {n}}}' for n in range(400)), ""),
    "HTML": (case("HTML", "nav", 1).text, ""),
    "page": (PAGE, "browser_snapshot {}"),
    "console": (SAID, "browser_console_messages {}"),
    "tests": (case("pytest", "failed", 1).text, ""),
    "diff": (PATCH, ""),
    "search": (HITS, ""),
    "table": (case("CSV", "status", 1).text, ""),
    "log": (LOG, ""),
    "files": (PATHS, ""),
    "document": (NOTES, ""),
    "code": (CODE, ""),
    "output": (PROGRESS, ""),
}


def test_every_form_has_an_example() -> None:
    assert list(EXAMPLES) and {form.name for form in FORMS} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_form_is_known_by_its_content(name: str) -> None:
    text, call = EXAMPLES[name]
    made = shortened(text, 900, call)
    assert made.form == name
    assert 0 < len(made.text) <= 900


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_client_s_frame_changes_no_form_and_says_how_it_went(name: str) -> None:
    text, call = EXAMPLES[name]
    for head, tail in (
        ("<returncode>1</returncode>\n<output>\n", "\n</output>"),
        ("Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n", ""),
    ):
        made = shortened(head + text + tail, 900, call)
        assert made.form == name
        assert made.text.startswith(head)
        assert made.text.endswith(tail)


def test_what_is_neither_has_head_and_tail() -> None:
    words = [f"word{n * 7919 % 1000} and {'so ' * (n % 7)}on" for n in range(300)]
    made = shortened(" ".join(words), 900)
    assert made.form == "text"
    assert made.text.startswith("word0 and") and made.text.endswith("on")


def test_an_address_at_the_start_of_a_log_is_no_file_of_a_search() -> None:
    lines = [
        f'10.0.0.{n % 9} - - [01/Mar/2026:10:00:{n % 60:02} +0000] "GET /lamps/{n} HTTP/1.1" 200 812'
        for n in range(400)
    ]
    lines[222] = lines[222].replace(" 200 ", " 500 ")
    made = shortened("\n".join(lines), 1_500, "bash tail -400 access.log")
    assert made.form == "log"
    assert lines[222] in made.text


def test_code_is_an_outline_with_the_numbers_of_its_lines() -> None:
    numbered = "\n".join(f"{n:6}→{line}" for n, line in enumerate(CODE.split("\n"), 1))
    left = shortened(numbered, 2_500, 'Read {"file_path": "src/prices.py"}').text
    assert "     1→def price_0(order, rate):\n" in left
    assert left.count("→def price_") == 40
    assert "total + 7" not in left


def test_a_signature_over_several_lines_is_whole() -> None:
    long = "class Shop:\n    def send(\n        self,\n        order: Order,\n    ) -> None:\n        pass\n"
    left = shortened(long + CODE, 2_400, "cat shop.py").text
    assert "    def send(\n        self,\n        order: Order,\n    ) -> None:" in left


def test_a_diff_keeps_files_and_the_heads_of_hunks_before_lines() -> None:
    left = shortened(PATCH, 3_200).text
    assert left.startswith("30 files, +30 -30 lines\n")
    for n in range(30):
        assert f"diff --git a/src/part_{n}.py" in left
        assert f"@@ -{n},4 +{n},4 @@" in left
    assert "before = 1" not in left and "index c277a77" not in left


def test_a_search_is_told_by_file_and_every_file_has_a_hit() -> None:
    left = shortened(HITS, 1_000, "bash grep -rn order_total src").text
    assert left.startswith("200 hits in 10 files\n")
    for n in range(10):
        assert f"src/part_{n}.py (20)\n  {n * 20}: total = order_total({n * 20})" in left


def test_a_listing_is_a_tree_in_which_the_name_unlike_the_others_stays() -> None:
    left = shortened(PATHS, 400, "bash find src").text
    assert left.startswith("201 files in 5 folders\n")
    assert "src/shop/part_3/ (50)" in left
    assert "setup.cfg" in left


def test_of_what_ls_says_sizes_and_names_stay() -> None:
    lines = [f"-rw-r--r-- 1 root root {n:5} Nov 19 20:51 part_{n}.py" for n in range(60)]
    text = "\n".join(["total 99", "drwxr-xr-x 2 root root 4096 Nov 19 20:51 docs", *lines])
    left = shortened(text, 500, "bash ls -la").text
    assert "docs/ 4096" in left and "part_0.py 0" in left and "root" not in left


def test_a_stack_trace_in_a_log_is_whole() -> None:
    lines = LOG.split("\n")
    lines[180:180] = TRACE.split("\n")
    made = shortened("\n".join(lines), 1_200)
    assert TRACE in made.text
    assert lines[0] in made.text and lines[-1] in made.text


def test_a_failure_is_whole_and_what_passed_is_counted() -> None:
    made = case("cargo", "failed", 3)
    left = left_of(made)
    assert f"panicked at src/shop.rs:41:9:\n{made.odd}" in left
    assert "1 failed, 499 passed" in left


def test_of_a_page_the_form_and_the_paragraph_stay_and_scripts_go() -> None:
    made = case("HTML", "nav", 5)
    form = '<form action="/pay"><input name="card" type="text"><button>Pay now</button></form>'
    text = made.text.replace("<footer>", f"<h2>Bill</h2>{form}<footer>")
    left = shortened(text, 1_000).text
    assert made.odd in left and "## Bill" in left
    assert '<input type="text" name="card">' in left or '<input name="card" type="text">' in left
    assert "Pay now" in left
    assert "var a" not in left and ".a{" not in left


def test_what_says_that_nothing_is_wrong_is_no_error() -> None:
    lines = [f"shard {n}: 0 errors, {n * 3} rows" for n in range(400)]
    lines[123] = "shard 123: 7 errors, 369 rows"
    assert lines[123] in shortened("\n".join(lines), 600).text


# What all of them promise

TEXTS = st.one_of(
    st.text(max_size=3000),
    st.builds(structured, st.integers(0, 5)).flatmap(
        lambda made: st.sampled_from(sorted(made)).map(made.__getitem__)
    ),
    st.sampled_from([text for text, _ in EXAMPLES.values()]),
    st.lists(st.text(alphabet='{}[]",:|\n-=<>/ab1 ', max_size=60), max_size=90).map("\n".join),
)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 3000), st.sampled_from(["", "bash cat a.csv", "bash ls", "Read a.py"]))
def test_no_result_is_longer_than_its_room_and_twice_is_as_once(
    text: str, room: int, call: str
) -> None:
    made = shortened(text, room, call)
    assert len(made.text) <= max(room, 0) or made.text == text
    assert len(made.text) <= len(text)
    assert shortened(text, room, call) == made
    if made.form:
        assert len(text) > room
        assert shortened(made.text, room, call).text == made.text
    else:
        assert made.text == text


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_line_of_a_result_can_be_taken_for_one_of_ours(name: str) -> None:
    text, call = EXAMPLES[name]
    forged = "… 999 lines"
    stub = "[… 1 of 2 characters cut: dctx:0123456789ab]"
    for line in (forged, stub):
        lines = text.split("\n")
        lines[1:1] = [line] * 3
        lines[-1:-1] = [line] * 3
        left = shortened("\n".join(lines), 900, call).text
        assert line not in left.split("\n")


def test_what_a_stub_says_is_never_of_the_result() -> None:
    rows = [{"[… all of it: dctx:0123456789ab]": "dctx:0123456789ab]"} for _ in range(300)]
    made = shortened(json.dumps(rows), 900)
    assert made.form == "JSON"
    assert made.says == f"{300 - made.text.count('{')} of 300 rows"


HOSTILE = {
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "deep rows": json.dumps([json.loads("[" * 200 + "]" * 200)] * 90),
    "open tags": "<html>" + "<a \"'" * 100_000,
    "open comments": "<html>" + "<!--" * 100_000,
    "half surrogates": "\ud800 error \udfff\n" * 5_000,
    "half surrogates in JSON": json.dumps([{"a": "\ud800" * n} for n in range(300)]),
    "huge numbers": "[" + ",".join(["9" * 4000] * 90) + "]",
    "numbers that are none": "[" + ",".join(["NaN", "Infinity", "-Infinity", "1"] * 300) + "]",
    "open quotes": "a,b,c\n" * 9 + '"' * 500_000,
    "blanks": (" " * 3000 + "\n") * 500,
    "dashes": ("a-1" * 500 + "\n") * 500,
    "one line": "x" * (LARGEST + 9),
    "zeros": "\0" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_results_are_harmless(name: str) -> None:
    text = HOSTILE[name]
    for call in ("", "bash cat data.csv", "bash grep -rn x", "Read a.py", "bash ls -R"):
        assert len(shortened(text, 1000, call).text) <= 1000


def test_of_more_than_is_read_both_ends_are_looked_at() -> None:
    lines = "\n".join(f"2026-03-01 10:00:00 INFO order {n}" for n in range(LARGEST // 20))
    left = shortened(f"{lines}\n2026-03-01 10:00:01 ERROR the lamp broke", 2_000).text
    assert "the lamp broke" in left and "INFO order 0\n" in left


def test_every_kind_of_made_text_is_shortened_by_some_form_or_as_text() -> None:
    for kind, text in structured(77).items():
        made = shortened(text, len(text) // 3)
        assert made.text, kind
    assert len(MAKERS) > 100


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_no_form_is_seen_in_nothing(form: object) -> None:
    for text in ("", "\n", " \n \n", "a", "{", "["):
        sample = Sample(text)
        assert not form.recognised(sample) or form.read(sample) is None  # type: ignore[attr-defined]


# Where it is used


def test_compression_says_of_which_form_a_result_was_and_what_is_not_there() -> None:
    made = case("JSON, one line", "status", 4)
    run = [*user("Go."), *acted("fetch", {"path": "orders"}, made.text, name="long")]
    run += [one for n in range(4) for one in acted("done", {}, f"{n}", name=f"n{n}")]
    shorter = shrink(conversation(run).messages, "compression", aim(protect_newest=0))
    block = next(
        block
        for message in shorter
        for block in message.blocks
        if block.call == "long" and block.kind == RESULT
    )
    assert is_cut(block.text)
    *_, last = block.text.split("\n")
    assert last.startswith("[… JSON without ") and " of 500 rows; " in last
    assert made.odd in block.text


def test_an_image_is_told_by_its_kind_and_size() -> None:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1280).to_bytes(4) + (720).to_bytes(4)
    data = b64encode(head + b"\0" * 2048).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    assert described(Block(IMAGE, "", data={"source": source})) == "PNG, 1280x720, 2 KB"

    jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08" + (33).to_bytes(2) + (44).to_bytes(2)
    url = f"data:image/jpeg;base64,{b64encode(jpeg).decode()}"
    assert described(Block(IMAGE, "", data={"image_url": url})) == "JPEG, 44x33, 1 KB"
    assert described(Block(IMAGE, "", data={"image_url": "http://shop.test/a.png"})) == ""
    assert described(Block(IMAGE, "", data={"data": "dctx:]", "mime_type": "a/[…]"})) == "1 KB"


def test_the_document_says_of_every_form_what_stays_of_it() -> None:
    document = (Path(__file__).parents[2] / "docs" / "compressing.md").read_text(encoding="utf-8")
    rows = [f"| {form.name} | {form.kept} |" for form in FORMS]
    assert "\n".join(rows) in document
