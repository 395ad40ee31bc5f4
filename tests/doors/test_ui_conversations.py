"""Conversations in `dctx ui`: what their pages say and change, as plain requests see it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from client_sessions import ONE, TIME, Claude, codex
from conftest import Result, plan, task, write
from pages import Pages, pages

Dctx = Callable[..., Result]
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TWO = "bbbbbbbb-1111-4000-8000-000000000002"
SESSION = f"/links/conversations/{ONE}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", plan({"01-one.md": task("One")}))


@pytest.fixture
def session(root: Path) -> Path:
    """With a secret in a result, a page of its own in a call, and enough to compress."""
    lines = Claude(root).user("Fix the <b>list</b> of links.")
    lines.called("c0", "Bash", f"TOKEN={SECRET}\nok", command="env")
    lines.called("c1", "Read", "<script>alert(1)</script>\n", file_path=f"{root}/a.html")
    for number in range(2, 20):
        text = f"line {number}\n" * 200
        lines.called(f"c{number}", "Read", text, file_path=f"{root}/src/{number}.py")
    return lines.said("It is done.", tokens=30_000).write()


@pytest.fixture
def site(root: Path, session: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def test_the_list_has_the_sessions_of_every_client_and_leads_to_them(
    site: Pages, root: Path
) -> None:
    codex(root, "Another <i>one</i>.")
    page = site.ask("/links/conversations").text
    assert f'href="{SESSION}"' in page
    assert "Fix the &lt;b&gt;list&lt;/b&gt; of links." in page
    assert "Another &lt;i&gt;one&lt;/i&gt;." in page
    titles = [place["title"] for place in site.ask("/links/places.json").json]
    assert "Another <i>one</i>." in titles
    only = site.ask("/links/conversations.json?client=codex").json
    assert [each["client"] for each in only["sessions"]] == ["codex"]
    assert site.ask("/links/conversations.json?since=2027-01-01").json["sessions"] == []


def test_a_project_shows_its_own_sessions_and_on_request_those_of_every_project(
    site: Pages, tmp_path: Path
) -> None:
    Claude(tmp_path / "other", session=TWO).user("Elsewhere.").said("Yes.").write()
    assert "Elsewhere" not in site.ask("/links/conversations").text
    assert "Elsewhere" in site.ask("/links/conversations?projects=all").text
    assert site.ask(f"/links/conversations/{TWO}").status == 200


def test_without_a_conversation_the_page_says_how_to_come_to_one(root: Path) -> None:
    with pages(root) as site:
        page = site.ask("/links/conversations").text
        assert "No conversation of this project yet" in page
        assert "dctx history import" in page
        assert "The store has no messages yet" in site.ask("/links/conversations/store").text
        assert "Nothing was compressed here yet" in site.ask("/links/compressions").text


def test_a_conversation_shows_what_was_said_and_folds_what_was_done(site: Pages) -> None:
    page = site.ask(SESSION).text
    assert "Fix the &lt;b&gt;list&lt;/b&gt; of links." in page
    assert '<span class="folder">src/</span><span class="file">5.py</span>' in page
    assert "line 5\nline 5" not in page
    assert 'id="m1"' in page
    assert "30,005" in page
    data = site.ask(f"{SESSION}.json").json
    assert data["messages"] == 42
    assert [entry["kind"] for entry in data["entries"]] == ["said", *["folded"] * 20, "said"]
    assert data["window"] == 30_005


def test_one_message_is_shown_whole_with_what_came_of_it(site: Pages) -> None:
    page = site.ask(f"{SESSION}/messages/8").text
    assert "src/3.py" in page
    assert page.count("line 3\n") == 200
    rows = site.ask(f"{SESSION}/messages/9.json").json["rows"]
    assert [row["role"] for row in rows] == ["tool_call", "tool"]
    assert site.ask(f"{SESSION}/messages/4000").status == 404
    assert site.ask(f"{SESSION}/messages/x").status == 404


def test_nothing_that_was_said_runs_and_no_secret_is_in_a_source(site: Pages) -> None:
    addresses = (SESSION, f"{SESSION}.json", "/links/conversations?q=ok")
    addresses += tuple(f"{SESSION}/messages/{number}" for number in range(1, 8))
    for address in addresses:
        answer = site.ask(address)
        assert answer.status == 200
        assert SECRET not in answer.text, address
        assert "<script>alert" not in answer.text or address.endswith(".json")
    assert "[hidden]" in site.ask(f"{SESSION}/messages/2").text
    found = site.ask(f"/links/conversations?q={SECRET[:20]}").text
    assert SECRET not in found


HOSTILE = (
    "</div><script>alert(1)</script>",
    "\ud800 half a character, \x00 \x1b[31m \u202e",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{ 7 * 7 }} {% include 'layout.html' %}",
    "../../../etc/passwd",
    "",
    "x" * 100_000,
)


@pytest.mark.parametrize("evil", HOSTILE)
def test_a_hostile_session_is_shown_as_text_wherever_it_says_something(
    root: Path, evil: str
) -> None:
    lines = Claude(root).user("Begin.").user(evil).said(evil)
    lines.called("c1", evil, evil, file_path=evil)
    lines.called("c1", "Bash", evil, command=evil)
    lines.answer({"type": "thinking", "thinking": evil}, {"type": evil, "text": [evil]})
    lines.line("system", content=evil, subtype=evil).line(evil, message=evil)
    lines.compacted(evil).user([{"type": "image", "source": evil}, evil, None, 7])
    lines.answer({"type": "tool_use", "id": evil, "name": None, "input": [evil]})
    lines.said("It ends.").write()
    with pages(root) as site:
        for address in ("", f"/{ONE}", f"/{ONE}?tree=all", f"/{ONE}/compress", "?q=alert"):
            where, mark, asked = address.partition("?")
            page = site.ask(f"/links/conversations{address}")
            twin = site.ask(f"/links/conversations{where}.json{mark}{asked}")
            assert (page.status, twin.status) == (200, 200), address
            assert "<script>alert" not in page.text
            assert "<img" not in page.text
            assert "49" not in re.findall(r'class="words">([^<]*)', page.text)
        for number in range(1, 9):
            answer = site.ask(f"/links/conversations/{ONE}/messages/{number}")
            assert answer.status in (200, 404)
            assert "<script>alert" not in answer.text
        assert site.ask("/links/places.json").status == 200


def test_a_file_that_is_no_session_breaks_no_list(site: Pages, session: Path) -> None:
    for place, data in enumerate((b"", b"\xff\xfe\x00", b"{" * 5_000, b"[1, 2]\n", b"{}\n" * 9)):
        name = f"0000000{place}-0000-4000-8000-000000000000"
        (session.parent / f"{name}.jsonl").write_bytes(data)
        assert site.ask(f"/links/conversations/{name}").status in (404, 409)
    assert len(site.ask("/links/conversations.json").json["sessions"]) == 1


def test_half_a_character_in_a_session_and_in_its_name_breaks_no_page(
    site: Pages, root: Path
) -> None:
    half = Claude(root, session=TWO).user("Half: \ud800.").called("c0", "Read", "\udfff", p="x")
    path = half.said("Yes.").write()
    other = path.with_name(os.fsdecode(b"\xff.jsonl"))
    other.write_bytes(path.read_bytes().replace(TWO.encode(), b"other"))
    for address in ("conversations", f"conversations/{TWO}", f"conversations/{TWO}/messages/3"):
        page = site.ask(f"/links/{address}")
        twin = site.ask(f"/links/{address}.json")
        assert (address, page.status, twin.status) == (address, 200, 200)
    assert "Half: ?." in site.ask(f"/links/conversations/{TWO}").text
    assert "Half: ?." in [place["title"] for place in site.ask("/links/places.json").json]


def test_a_search_finds_lines_in_all_conversations_and_entries_in_one(site: Pages) -> None:
    page = site.ask("/links/conversations?q=line+7").text
    assert f'href="{SESSION}?mark=line+7&amp;at=17#hit"' in page
    assert "199 more lines" in page
    assert "Nobody said that" in site.ask("/links/conversations?q=nowhere").text
    entries = site.ask(f"{SESSION}.json?q=line+7").json["entries"]
    assert [entry["number"] for entry in entries] == [16]
    assert "Nothing in it is like that" in site.ask(f"{SESSION}?q=nowhere").text


def test_a_search_shows_each_message_once_however_many_lines_of_it_have_the_words(
    site: Pages, root: Path
) -> None:
    Claude(root, session=TWO).user("a word\n" * 5_000).said("No.").user("a word, again").write()
    newest, older = site.ask("/links/conversations.json?q=a+word").json["lines"]
    assert (newest["line"], newest["more"]) == ("a word, again", 0)
    assert (older["line"], older["more"]) == ("a word", 4_999)
    assert "and 4,999 more lines" in site.ask("/links/conversations?q=a+word").text


def test_a_part_of_the_picture_leads_to_its_messages(site: Pages) -> None:
    page = site.ask(SESSION).text
    (link,) = set(re.findall(r'href="([^"]*)"[^>]*><span class="folder">src/</span>5.py<', page))
    entries = site.ask(link.replace("&amp;", "&").partition("#")[0]).text
    assert entries.count('class="entry') == 1 == entries.count('class="fold"')
    assert "Tools › Read › src/5.py" in entries


def test_sub_agents_stand_with_the_session_that_began_them(site: Pages, root: Path) -> None:
    agent = Claude(root).user("Look it up.", agentId="a1").said("Found.")
    for line in agent.lines:
        line["isSidechain"] = True
    path = agent.write(f"{ONE}/subagents/agent-a1.jsonl")
    path.with_suffix(".meta.json").write_text('{"toolUseId": "c4"}')
    page = site.ask(SESSION).text
    assert "Sub-agents" in page
    assert "The conversation of this sub-agent" in page
    data = site.ask(f"{SESSION}.json").json
    assert [agent["call"] for agent in data["agents"]] == [10]
    listed = site.ask("/links/conversations.json").json["sessions"]
    own = site.ask("/links/conversations/agent-a1.json").json
    tokens = [row["tokens"] for row in (*listed, *data["agents"]) if row["id"] == "agent-a1"]
    assert tokens == [own["used"]] * 2, "what its client says, in every list"


def test_no_path_is_the_name_of_a_conversation(site: Pages) -> None:
    for name in ("..%2f..%2fetc", "%2Fetc%2Fpasswd", "x" * 300, "-", "%00"):
        for rest in ("", ".json", "/compress", "/messages/1"):
            assert site.ask(f"/links/conversations/{name}{rest}").status == 404, (name, rest)


def test_what_a_copy_would_be_is_shown_and_nothing_is_kept(site: Pages, session: Path) -> None:
    before = sorted(session.parent.iterdir())
    page = site.ask(f"{SESSION}/compress?keep=20").text
    assert "The conversation itself is not changed" in page
    data = site.ask(f"{SESSION}/compress.json?keep=20").json
    assert data["tokens_out"] < data["tokens_in"] * 0.25
    assert f"{data['messages']:,} of {data['of']:,} messages" in page
    assert sorted(session.parent.iterdir()) == before
    assert site.ask("/links/compressions.json").json["receipts"] == []


def test_how_far_a_compression_is_shows_wherever_its_conversation_is_open(
    site: Pages, session: Path
) -> None:
    place = f'data-progress="compress {ONE}" hidden'
    assert place in site.ask(SESSION).text
    assert place in site.ask(f"{SESSION}/compress").text
    with site.events("/links/events") as events:
        next(events)
        assert site.send(f"{SESSION}/compress", {"keep": "30"}).status == 303
        told = [each for name, each in until_over(events) if name == "progress"]
    assert {(each["name"], each["whole"]) for each in told} == {(f"compress {ONE}", 100)}
    for each in told[:-1]:
        assert f"{each['part']} %" in each["says"]
    parts = [each["part"] for each in told]
    assert len(parts) > 4
    assert parts == sorted(parts) and parts[-1] == 100

    with site.events("/links/events") as events:
        next(events)
        assert site.send(f"{SESSION}/import", {}).status in (303, 409)
        parts = [told["part"] for name, told in until_over(events) if name == "progress"]
    assert parts[-1] == 100 and len(parts) == 2


def until_over(events: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, told in events:
        yield name, told
        if name == "progress" and not told["says"]:
            return


def test_what_fails_is_over_on_the_page_too(site: Pages, session: Path) -> None:
    with site.events("/links/events") as events:
        next(events)
        for _ in range(2):
            site.send(f"{SESSION}/compress", {"keep": "30"})
        assert len(list(until_over(events))) > 4
        parts = [told["part"] for name, told in until_over(events) if name == "progress"]
    assert parts == [100]


def test_a_session_is_compressed_and_taken_back(site: Pages, session: Path) -> None:
    before = session.read_bytes()
    answer = site.send(f"{SESSION}/compress", {"keep": "30"})
    assert answer.status == 303
    page = site.ask(answer.headers["location"]).text
    assert ">shorter copy</a> of it" in page
    assert 'class="entry by-tools cut"' in page
    assert f"{SESSION}/compress" not in page
    assert session.read_bytes() == before
    (copy,) = set(session.parent.glob("*.jsonl")) - {session}
    assert f"claude --resume {copy.stem}" in page
    assert "This is a shorter copy of" in site.ask(f"/links/conversations/{copy.stem}").text
    assert "shorter copy</span>" in site.ask("/links/conversations").text

    (receipt,) = site.ask("/links/compressions.json").json["receipts"]
    assert receipt["session"] == ONE
    lost = site.ask(f"/links/compressions/{receipt['receipt'][:12]}").text
    assert "What was cut" in lost
    assert SECRET not in lost
    again = site.send(f"{SESSION}/compress", {"keep": "30"})
    assert (again.status, "already" in again.text) == (409, True)

    undone = site.send(f"{SESSION}/undo", {"what": receipt["receipt"]})
    page = site.ask(undone.headers["location"]).text
    assert "the conversation is as it was" in page
    assert " cut" not in re.findall(r'class="entry([^"]*)"', page)
    assert f"{SESSION}/compress" in page
    assert list(session.parent.glob("*.jsonl")) == [session]
    assert session.read_bytes() == before


def test_what_has_the_words_that_shall_stay_is_not_cut(site: Pages) -> None:
    def is_cut(words: str) -> bool:
        assert site.send(f"{SESSION}/compress", {"keep": "20", "words": words}).status == 303
        data = site.ask(f"{SESSION}.json?q=line+5").json
        (copy,) = data["copies"]
        assert site.send(f"{SESSION}/undo", {"what": copy["receipt"]}).status == 303
        (entry,) = data["entries"]
        return bool(entry["cut"])

    assert (is_cut(""), is_cut("LINE 5")) == (True, False)
    assert site.ask(f"{SESSION}/compress?words=%28%5B*").status == 200


def test_the_longest_conversation_of_today_is_a_link(site: Pages, session: Path) -> None:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    session.write_text(session.read_text().replace(TIME[:10], today))
    assert f'href="{SESSION}"' in site.ask("/links/now").text


def test_a_conversation_with_nothing_to_leave_out_has_no_button(root: Path) -> None:
    Claude(root).user("Hello.").said("Hello.").write()
    with pages(root) as site:
        assert "/compress" not in site.ask(SESSION).text


def test_the_store_is_summed_up_and_taken_back(site: Pages, root: Path, dctx: Dctx) -> None:
    store = "/links/conversations/store"
    dctx("history", "import", ONE, cwd=root)
    before = site.ask(f"{store}.json").json
    plan = site.ask(f"{store}/compress.json").json
    page = site.ask(f"{store}/compress").text
    assert plan["builds_on"] == []
    assert "It builds on no earlier summary" in page
    assert "Fix the &lt;b&gt;list&lt;/b&gt; of links." in page
    assert SECRET not in page

    answer = site.send(f"{store}/compress", {"last": plan["last"]})
    page = site.ask(answer.headers["location"]).text
    assert "summed up: a summary of" in page
    assert 'class="entry said by-user archived"' in page
    assert f"{store}/compress" not in page
    assert page.count("<b>Summary</b>") == 1
    assert page.index("<b>Summary</b>") > page.index('id="m1"')
    summary = site.ask(f"{store}.json").json["summary"]
    assert "Fix the &lt;b&gt;list" in site.ask(f"/links/compressions/{summary['id']}").text

    undone = site.send(f"{store}/undo", {"what": summary["id"]})
    assert "back in the conversation" in site.ask(undone.headers["location"]).text
    after = site.ask(f"{store}.json").json
    assert after["entries"] == before["entries"]


def test_a_session_is_taken_into_the_store(site: Pages, session: Path) -> None:
    assert "Copy into the store" in site.ask(f"{SESSION}/compress").text
    answer = site.send(f"{SESSION}/import", {})
    page = site.ask(answer.headers["location"]).text
    assert "42 messages taken into the store" in page
    assert "Fix the &lt;b&gt;list&lt;/b&gt; of links." in page
    again = site.send(f"{SESSION}/import", {})
    assert "Nothing is new" in site.ask(again.headers["location"]).text

    copied = session.with_name(f"{TWO}.jsonl")
    copied.write_text(session.read_text().replace(ONE, TWO).replace(f"{ONE[:8]}-", "other-"))
    refused = site.send(f"/links/conversations/{TWO}/import", {})
    assert (refused.status, "from another session already" in refused.text) == (409, True)
    assert site.send("/links/conversations/store/import", {}).status == 400


def test_the_next_summary_builds_on_the_one_before(site: Pages, root: Path, dctx: Dctx) -> None:
    store = "/links/conversations/store"
    dctx("history", "import", ONE, cwd=root)
    site.send(f"{store}/compress", {})
    first = site.ask(f"{store}.json").json["summary"]["id"]
    dctx("history", "import", str(later_session(root)), cwd=root)
    page = site.ask(f"{store}/compress").text
    assert "2 messages</strong> will be replaced" in page
    assert "It builds on the summary of" in page
    site.send(f"{store}/compress", {})
    assert site.ask(f"{store}.json").json["summary"]["previous"] == first
    refused = site.send(f"{store}/undo", {"what": first})
    assert (refused.status, "newer ones build on it" in refused.text) == (409, True)


def later_session(root: Path) -> Path:
    path = Claude(root, session=TWO).user("One more thing, later.").said("Yes.").write()
    path.write_text(path.read_text().replace(TIME[:10], "2026-05-05"))
    return path


def test_messages_that_nobody_has_seen_are_not_summed_up(
    site: Pages, root: Path, dctx: Dctx
) -> None:
    store = "/links/conversations/store"
    dctx("history", "import", ONE, cwd=root)
    seen = site.ask(f"{store}/compress.json").json["last"]
    dctx("history", "import", str(later_session(root)), cwd=root)
    answer = site.send(f"{store}/compress", {"last": seen})
    assert (answer.status, "came meanwhile" in answer.text) == (409, True)
    assert site.ask("/links/compressions.json").json["summaries"] == []


def test_some_messages_can_be_chosen(site: Pages, root: Path, dctx: Dctx) -> None:
    store = "/links/conversations/store"
    dctx("history", "import", ONE, cwd=root)
    chosen = site.ask(f"{store}/compress.json?select=1-5").json
    assert chosen["messages"] + chosen["others"] < 10
    wrong = site.ask(f"{store}/compress?select=abc")
    assert wrong.status == 200
    assert "is no range" in wrong.text


def test_read_only_shows_everything_and_compresses_nothing(root: Path, session: Path) -> None:
    with pages(root, "--read-only") as site:
        assert "/compress" not in site.ask(SESSION).text
        for what in ("compress", "undo", "import"):
            assert site.send(f"{SESSION}/{what}", {"keep": "30"}).status == 403
    assert list(session.parent.glob("*.jsonl")) == [session]


def test_what_somebody_adds_to_a_session_is_on_the_next_page(site: Pages, root: Path) -> None:
    assert "And then this" not in site.ask(SESSION).text
    path = Claude(root).folder / f"{ONE}.jsonl"
    path.write_text(path.read_text() + another_line(root))
    assert "And then this" in site.ask(SESSION).text


def another_line(root: Path) -> str:
    import json

    lines = Claude(root).user("And then this.").lines
    lines[0] = {**lines[0], "uuid": "later", "parentUuid": f"{ONE[:8]}-41"}
    return json.dumps(lines[0]) + "\n"


def test_the_longest_conversation_comes_first_where_that_is_asked_for(
    site: Pages, root: Path
) -> None:
    Claude(root, session=TWO).user("A short one.").said("Yes.", tokens=2_000).write()

    def order(asked: str) -> list[str]:
        return [
            each["id"] for each in site.ask(f"/links/conversations.json{asked}").json["sessions"]
        ]

    assert order("?order=longest") == [ONE, TWO]
    assert sorted(order("")) == [ONE, TWO]
    page = site.ask("/links/conversations?order=longest").text
    assert '<option value="longest" selected>' in page


def test_what_is_cut_stands_above_what_explains_it(site: Pages) -> None:
    page = site.ask(f"{SESSION}/compress").text
    assert (
        page.index("Shorten to") < page.index("What is cut") < page.index("is not changed. First")
    )


def test_compressions_are_told_in_words(site: Pages) -> None:
    site.send(f"{SESSION}/compress", {"keep": "30"})
    main = site.ask("/links/compressions").text.partition("<main")[2]
    assert "% left" in main
    assert "Fix the &lt;b&gt;list&lt;/b&gt; of links." in main
    assert "Receipt" not in main and "hybrid" not in main
