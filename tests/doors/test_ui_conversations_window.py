"""How full a window is, in numbers that agree: in the list, on a conversation's page, before and after a
compression, and on the page of what was cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from client_sessions import ONE, TWO, Claude, Dctx
from conftest import plan, task, write
from pages import Pages, pages

from director_ctx.doors.ui.pages.conversation import chart
from director_ctx.history.messages.message import Message
from director_ctx.history.sessions.levels import LevelMark, levels

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = f"/links/conversations/{ONE}"
ELSEWHERE = "/home/somebody/else/where"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", plan({"01-one.md": task("One")}))


@pytest.fixture
def session(root: Path) -> Path:
    """Its files are elsewhere, and its client counts more than what was said."""
    lines = Claude(root).user("Fix the list of links.")
    for number in range(20):
        text = f"TOKEN={SECRET}\n" + f"line {number}\n" * 200
        lines.called(f"c{number}", "Read", text, file_path=f"{ELSEWHERE}/src/{number}.py")
    return lines.said("It is done.", tokens=90_000).write()


@pytest.fixture
def site(root: Path, session: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def compressed(site: Pages, session: Path) -> tuple[str, int]:
    """The address of the copy, and what was saved."""
    plan = site.ask(f"{SESSION}/compress.json?keep=30").json
    assert site.send(f"{SESSION}/compress", {"keep": "30"}).status == 303
    (copy,) = set(session.parent.glob("*.jsonl")) - {session}
    return f"/links/conversations/{copy.stem}", plan["tokens_in"] - plan["tokens_out"]


def about(tokens: int) -> str:
    return f"{round(tokens, -2):,}"


def test_before_a_compression_stands_what_becomes_of_the_window(site: Pages) -> None:
    plan = site.ask(f"{SESSION}/compress.json?keep=30").json
    saved = plan["tokens_in"] - plan["tokens_out"]
    assert (plan["window"], plan["window_after"]) == (90_005, 90_005 - saved)
    page = site.ask(f"{SESSION}/compress?keep=30").text
    share = f"{saved * 100 / 90_005:.1f}"
    first = re.sub("<[^>]*>", "", page[page.index("The window:") :].partition("</p>")[0])
    assert first == f"The window: 90,005 → about {about(90_005 - saved)} (−{share}\u202f%)"


def test_before_a_compression_stand_the_files_that_it_shortens(site: Pages) -> None:
    page = site.ask(f"{SESSION}/compress?keep=30").text
    assert "<b>Read</b> 11.py" in page
    assert "hybrid" not in page
    short = site.ask(f"{SESSION}/compress?keep=10&words=line").text
    assert "messages that contain “line”" in short
    assert "hybrid" not in short


def test_a_shorter_copy_shows_the_window_that_is_expected_of_it(site: Pages, session: Path) -> None:
    copy, saved = compressed(site, session)
    shown = about(90_005 - saved)
    row = site.ask("/links/conversations").text.partition("shorter copy</span>")[2]
    assert f"~{shown}" in row.partition("</a>")[0]
    assert "made <time" in row.partition("</a>")[0]
    page = site.ask(copy).text
    assert f'about <strong class="number">{shown}</strong>' in page
    assert "counted when its client runs next" in page
    assert f"~{shown}" not in site.ask("/links/conversations").text.partition("shorter copy")[0]
    data = site.ask(f"{copy}.json").json
    assert data["levels"][-1][1] == data["window"] == 90_005 - saved
    assert site.send(f"{SESSION}/undo", {"what": data["copy_of"]["receipt"]}).status == 303
    assert f'action="{SESSION}/undo"' in page


def test_what_a_client_counted_in_a_copy_is_believed(site: Pages, session: Path) -> None:
    address, _ = compressed(site, session)
    go_on(
        session.with_name(f"{address.rpartition('/')[2]}.jsonl"),
        Claude(session.parent).said("I go on.", tokens=50_000),
    )
    page = site.ask(address).text
    assert '<strong class="number">50,005</strong>' in page
    assert "Somebody went on in it" in page
    assert "<button>Undo</button>" not in page
    row = site.ask("/links/conversations").text.partition("shorter copy</span>")[2]
    assert "50,005" in row.partition("</a>")[0]


def test_whoever_has_gone_on_without_an_answer_yet_sees_what_is_expected(
    site: Pages, session: Path
) -> None:
    address, saved = compressed(site, session)
    go_on(
        session.with_name(f"{address.rpartition('/')[2]}.jsonl"), Claude(session.parent).user("On.")
    )
    data = site.ask(f"{address}.json").json
    assert data["window"] == data["levels"][-1][1] == 90_005 - saved
    shown = about(90_005 - saved)
    assert f'about <strong class="number">{shown}</strong>' in site.ask(address).text
    assert f'about <span class="number">{shown}</span>' in site.ask(SESSION).text
    row = site.ask("/links/conversations").text.partition("shorter copy</span>")[2]
    assert f"~{shown}" in row.partition("</a>")[0]


def test_both_can_be_compressed_again_once_somebody_has_gone_on(site: Pages, session: Path) -> None:
    address, _ = compressed(site, session)
    for page in (SESSION, address):
        assert f'href="{page}/compress"' not in site.ask(page).text
    go_on(
        session.with_name(f"{address.rpartition('/')[2]}.jsonl"),
        Claude(session.parent).said("I go on.", tokens=50_000),
    )
    for page in (SESSION, address):
        shown = site.ask(page).text
        assert f'href="{page}/compress"' in shown
        assert "claude --resume" in shown
    assert site.send(f"{address}/compress", {"keep": "10"}).status == 303
    assert site.send(f"{SESSION}/compress", {"keep": "20"}).status == 303
    assert len(set(session.parent.glob("*.jsonl"))) == 4


def go_on(path: Path, more: Claude) -> None:
    """One line behind what is there, as its client writes it."""
    last = json.loads(path.read_text().splitlines()[-1])
    own = {"uuid": "later", "parentUuid": last["uuid"], "sessionId": last["sessionId"]}
    line = {**more.lines[0], **own, "cwd": last["cwd"]}
    path.write_text(path.read_text() + json.dumps(line) + "\n")


def test_what_is_cut_and_what_stands_for_it_add_up(site: Pages) -> None:
    plan = site.ask(f"{SESSION}/compress.json?keep=10").json
    saved = sum(row["before"] - row["after"] for row in plan["pieces"])
    assert plan["digest"] > 0
    assert saved - plan["digest"] == plan["tokens_in"] - plan["tokens_out"]
    page = site.ask(f"{SESSION}/compress?keep=10").text
    assert f'<td class="number">{plan["digest"]:,}</td></tr></tfoot>' in page


def test_what_was_cut_leads_to_the_conversation_and_to_every_original(
    site: Pages, session: Path
) -> None:
    compressed(site, session)
    (receipt,) = site.ask("/links/compressions.json").json["receipts"]
    address = f"/links/compressions/{receipt['receipt'][:12]}"
    page = site.ask(address).text
    assert f'href="{SESSION}">Fix the list of links.</a>' in page
    assert "7.py" in page
    assert "line 7\n" not in page
    pieces = site.ask(f"{address}.json").json["pieces"]
    seventh = next(piece for piece in pieces if piece["about"] == "7.py")
    original = site.ask(f"{address}?original={seventh['locator']}").text
    assert original.count("line 7\n") == 200
    assert f'{SESSION}?at={seventh["number"]}#hit"' in original
    assert SECRET not in original
    other = site.ask(f"{address}.json?original=sha256:0000").json
    assert other["original"] is None


def test_what_was_undone_is_said_wherever_it_is_listed(site: Pages, session: Path) -> None:
    compressed(site, session)
    (receipt,) = site.ask("/links/compressions.json").json["receipts"]
    address = f"/links/compressions/{receipt['receipt'][:12]}"
    assert f'action="{SESSION}/undo"' in site.ask(address).text
    site.send(f"{SESSION}/undo", {"what": receipt["receipt"]})
    page = site.ask(address).text
    assert "The shorter copy was taken away" in page
    assert "<button>Undo</button>" not in page
    listed = site.ask("/links/compressions").text
    assert ">undone</span>" in listed
    assert "0, and 1 undone" in listed


def test_the_whole_of_the_picture_is_the_window(site: Pages) -> None:
    page = site.ask(SESSION).text
    assert 'Where the tokens went <span class="quiet number">90,005</span>' in page
    assert "Everything" not in page.partition('class="icicle"')[2].partition("</section>")[0]
    assert "Not explained by the text: what its client counts and no message has in words" in page
    assert re.search(r'<span>Read</span> <span class="number">[\d,]+</span>', page)
    (unsaid,) = re.findall(r"<title>Not explained by the text: ([\d,]+) tokens", page)
    told = site.ask(f"{SESSION}.json").json
    assert sum(told["unsaid"].values()) == 90_005 - told["tree"]["tokens"]
    assert int(unsaid.replace(",", "")) == told["unsaid"]["unexplained"]
    assert "part=unexplained" not in page


def test_only_what_was_there_at_the_start_is_booked_to_the_client(root: Path, site: Pages) -> None:
    lines = Claude(root, session=TWO).user("Fix the list of links.")
    lines.said("I begin.", tokens=20_000).said("It is done.", tokens=60_000).write()
    unsaid = site.ask(f"/links/conversations/{TWO}.json").json["unsaid"]
    assert 19_900 < unsaid["beside"] <= 20_000
    assert 39_900 < unsaid["unexplained"] <= 40_010
    plan = site.ask(f"/links/conversations/{TWO}/compress.json").json
    assert plan["unsaid"] == unsaid


def test_the_folder_that_all_files_are_in_is_left_out(site: Pages) -> None:
    page = site.ask(SESSION).text
    assert '>Read</b><span class="file">7.py</span>' in page
    assert ELSEWHERE not in page


def test_a_compaction_is_a_line_across_the_page(root: Path) -> None:
    lines = Claude(root).user("Begin.").said("A.", tokens=160_000)
    lines.compacted("It was about links.").said("Go on.", tokens=20_000).write()
    with pages(root) as site:
        page = site.ask(SESSION).text
    (line,) = re.findall(r'class="compacted-here">(.*?)</p>', page)
    assert "160,005 →" in line
    assert page.index("A.</p>") < page.index("compacted-here") < page.index("about links")
    assert "by-summary archived" not in page


def test_a_conversation_that_was_taken_in_begins_anew_where_its_client_did(
    root: Path, dctx: Dctx
) -> None:
    lines = Claude(root).user("Begin.").said("A. " * 4_000, tokens=160_000)
    lines.compacted("It was about links.").said("Go on.", tokens=20_000).write()
    dctx("history", "import", ONE, cwd=root)
    with pages(root) as site:
        data = site.ask("/links/conversations/store.json").json
        page = site.ask("/links/conversations/store").text
    assert data["window"] == data["levels"][-1][1] < 1_000
    assert len(data["compactions"]) == 1
    assert "Compacted by its client before message" in page


def test_where_a_window_fell_without_a_compaction_is_said(root: Path) -> None:
    lines = Claude(root).user("Begin.").said("A.", tokens=100_000)
    lines.user("Go on.").said("B.", tokens=60_000).user("And now?").said(
        "C.", tokens=59_000
    ).write()
    with pages(root) as site:
        page = site.ask(SESSION).text
    (said,) = re.findall(r"Its client took something out by itself.*?</p>", page)
    assert re.findall(r">−([\d,]+)<", said) == ["40,002"]


def test_parts_of_one_answer_do_not_let_the_window_fall() -> None:
    def part(name: str, tokens: int) -> Message:
        return message(name, tokens)

    said = [part("call-1", 50), part("result-1", 4_000), part("call-2", 50), part("end", 10)]
    marks = [
        LevelMark("", 10_000, name="call-1", answer="msg_1"),
        LevelMark("", 10_000, name="call-2", answer="msg_1"),
        LevelMark("", 14_100, name="end", answer="msg_2"),
    ]
    assert levels(said, marks) == [10_000, 14_000, 14_000, 14_100]


def message(name: str, tokens: int) -> Message:
    from director_ctx.history.messages.message import TEXT, Block

    block = Block(TEXT, name)
    block.tokens = tokens
    return Message("assistant", (block,), raw={"uuid": name})


def test_the_marks_of_the_chart_have_names_and_its_end_is_the_newest_message() -> None:
    line = chart([[number, number * 1_000] for number in range(1, 170)], [], 160_000, 180_000)
    assert line
    assert line["stretches"][-1]["number"] == 169 == line["last"]
    assert [tick["tokens"] for tick in line["ticks"]] == [50_000, 100_000]
    small = chart([[1, 10], [2, 30]], [], 160_000, 180_000)
    assert small
    assert [mark["kind"] for mark in small["marks"]] == []
