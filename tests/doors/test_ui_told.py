"""`dctx ui`: what each agent was told, and where the tokens of each go, as plain requests see it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from client_sessions import Claude
from conftest import Result, plan, process, task, write
from hook_events import ask, spawn, start
from pages import Pages, pages

from director_ctx.doors.ui.serving.rendering import percent
from director_ctx.memory.runs.storage import read_runs, read_text

Dctx = Callable[..., Result]
HOSTILE = '<script>alert(1)</script> </pre><img src=x onerror="alert(2)"> & </vision>'
FILES = {
    "VISION.md": f"# Vision\n\n## Project Name\n\nLinks\n\n## What It Does\n\nKeeps links. {HOSTILE}\n",
    "codebase/STACK.md": "# Stack\n\nPython alone.\n" + "A line about the stack.\n" * 400,
    **plan({"01-one.md": task("One"), "02-two.md": task("Two")}),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "links", FILES)


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def told(root: Path, *words: str) -> str:
    """The id of the context that `dctx assemble` has just handed on."""
    assert process("assemble", *words, cwd=root).code == 0
    return read_runs(str(root), 1)[-1].id


def shown(site: Pages, address: str) -> Any:
    """The twin of a page, which is there as well."""
    page = site.ask(f"/links/{address}")
    assert page.status == 200, page.text
    where, mark, asked = address.partition("?")
    return site.ask(f"/links/{where}.json{mark}{asked}").json


def test_every_context_is_told_of_newest_first(site: Pages, root: Path) -> None:
    first = told(root, "builder")
    second = told(root, "planner")
    third = told(root, "builder", "--task", "2")
    rows = shown(site, "told")["contexts"]
    assert [row["id"] for row in rows] == [third, second, first]
    assert [row["by"] for row in rows] == ["command"] * 3
    assert rows[0]["growth"] == rows[0]["used"] - rows[2]["used"]
    assert [row["growth"] for row in rows[1:]] == [None, None]
    page = site.ask("/links/told").text
    assert page.index(f"/links/told/{third}") < page.index(f"/links/told/{first}")


def test_a_context_of_a_hook_is_found_by_its_session(site: Pages, root: Path) -> None:
    told(root, "builder")
    assert ask(root, spawn())
    answer = shown(site, "told")
    (session,) = answer["sessions"]
    assert (session["session"], session["client"]) == ("5f0c1d0e", "claude")
    (run,) = shown(site, "told?session=5f0c1d0e")["contexts"]
    assert (run["by"], run["client"], run["session"]) == ("hook", "claude", "5f0c1d0e")
    page = site.ask("/links/told?session=5f0c1d0e").text
    assert "by a hook of Claude Code, session 5f0c1d0e" in page
    assert shown(site, "told?session=another")["contexts"] == []


def test_a_context_leads_to_the_conversation_that_it_was_told_in(site: Pages, root: Path) -> None:
    talk = Claude(root).user("Build the list")
    assert ask(root, {**spawn(), "session_id": talk.session})
    name = read_runs(str(root), 1)[-1].id
    address = f'href="/links/conversations/{talk.session}#told-{name}"'
    assert address not in site.ask(f"/links/told/{name}").text
    talk.write()
    assert address in site.ask(f"/links/told/{name}").text
    page = site.ask(f"/links/conversations/{talk.session}").text
    # A hook says no call then: it stands at the moment at which the agent was told.
    assert page.index("Build the list</p>") < page.index(f'id="told-{name}"')


def test_a_conversation_leads_to_what_its_agents_were_told_beside_the_call_of_each(
    site: Pages, root: Path
) -> None:
    talk = Claude(root).user("Build the list")
    calls = [
        {"type": "tool_use", "id": f"call-{name}", "name": "Agent", "input": {"prompt": "Do it."}}
        for name in "ab"
    ]
    talk.answer(*calls).said("Both are done.").write()
    assert ask(root, {**spawn(), "session_id": talk.session, "tool_use_id": "call-b"})
    started = start("director:director-verifier")
    started["hookEventName"] = started.pop("hook_event_name")
    assert ask(root, {**started, "session_id": talk.session, "agent_id": "a7"})
    of_call, of_start = [run.id for run in read_runs(str(root))]
    agents = []
    for name, call in (("a7", "call-a"), ("b8", "call-b")):
        agent = Claude(root).user("Do it.", agentId=name).said("Done.")
        path = agent.write(f"{talk.session}/subagents/agent-{name}.jsonl")
        path.with_suffix(".meta.json").write_text(json.dumps({"toolUseId": call}))
        agents.append(f"/links/conversations/agent-{name}")

    address = f"/links/conversations/{talk.session}"
    page = site.ask(address).text
    assert f'<a href="/links/told?session={talk.session}">2 contexts</a> were told' in page
    first, second = re.findall('<p class="inside small">(.*?)</p>', page)
    assert of_start in first
    assert agents[0] in first
    assert of_call in second
    assert agents[1] in second
    found = site.ask(f"{address}?q=both+are+done").text
    assert "<mark>Both are done</mark>" in found
    assert f"/told/{of_call}" not in found
    for agent, own, other in ((agents[0], of_start, of_call), (agents[1], of_call, of_start)):
        page = site.ask(agent).text
        assert f'This agent was told <a href="/links/told/{own}">' in page
        assert other not in page


def test_a_context_of_no_known_call_is_only_counted(site: Pages, root: Path) -> None:
    talk = Claude(root).user("Build the list")
    talk.called("c1", "Agent", "Done.", prompt="Do it.").write()
    assert ask(root, {**spawn(), "session_id": talk.session, "tool_use_id": ""})
    page = site.ask(f"/links/conversations/{talk.session}").text
    assert "1 context</a> was told to its agents" in page
    assert "What this sub-agent was told" not in page


def test_only_one_agent_is_told_of_where_it_is_named(site: Pages, root: Path) -> None:
    told(root, "builder")
    planner = told(root, "planner")
    rows = shown(site, "told?agent=planner")["contexts"]
    assert [row["id"] for row in rows] == [planner]


def test_words_lead_to_the_section_that_an_agent_was_told_them_in(site: Pages, root: Path) -> None:
    name = told(root, "builder")
    (line,) = shown(site, "told?words=keeps%20links")["lines"]
    assert (line["run"], line["section"]) == (name, "vision")
    page = site.ask("/links/told?words=keeps%20links").text
    assert f'href="/links/told/{name}#text-vision"' in page
    assert "no line has all of these words" in site.ask("/links/told?words=kangaroo").text


def test_a_line_that_was_found_has_its_words_marked_and_its_task_named(
    site: Pages, root: Path
) -> None:
    told(root, "builder", "--task", "1/1/1")
    page = site.ask("/links/told?words=one+task").text
    line = page[page.index('class="rows told-lines"') :].partition("</li>")[0]
    assert "builder, 1/1/1" in line
    assert "<mark>" in line


def test_many_contexts_come_page_by_page_and_none_twice(site: Pages, root: Path) -> None:
    told(root, "builder")
    record = root / ".director/.dctx/runs.jsonl"
    line = json.loads(record.read_text())
    lines = [json.dumps({**line, "id": f"r{number:06x}"}) for number in range(150)]
    record.write_text("\n".join(lines) + "\n")
    ids = []
    address = "told"
    while address:
        answer = shown(site, address)
        ids += [row["id"] for row in answer["contexts"]]
        address = answer["older"] and f"told?from={answer['older']}"
    assert ids == [f"r{number:06x}" for number in reversed(range(150))]


def test_a_context_is_shown_as_it_was_section_by_section(site: Pages, root: Path) -> None:
    text = process("assemble", "builder", cwd=root).out
    name = read_runs(str(root), 1)[-1].id
    answer = shown(site, f"told/{name}")
    texts = [section["text"] for section in answer["sections"]]
    assert "\n\n".join(texts) + "\n" == text
    page = site.ask(f"/links/told/{name}").text
    blocks = re.findall(r'<pre class="text"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert [unescape(block) for block in blocks] == texts
    assert "<script>alert" not in page
    assert "<img" not in page


def test_what_was_cut_and_what_was_not_chosen_is_told_with_the_reason(
    site: Pages, root: Path
) -> None:
    whole = shown(site, f"told/{told(root, 'builder', '--codebase', 'all')}")
    small = told(root, "builder", "--codebase", "all", "--budget", "1200")
    answer = shown(site, f"told/{small}")
    assert whole["cuts"] == []
    assert answer["cuts"]
    for cut in answer["cuts"]:
        assert cut["says"]
        assert cut["before"] != cut["after"]
    page = site.ask(f"/links/told/{small}").text
    assert "cut to fit" in page or "did not fit" in page
    assert answer["not_chosen"] is not None


def test_the_difference_to_the_one_before_is_the_one_of_dctx_diff(
    site: Pages, root: Path, dctx: Dctx
) -> None:
    first = told(root, "builder")
    told(root, "planner")
    write(root, {"VISION.md": FILES["VISION.md"] + "\nAnd a new line.\n"})
    second = told(root, "builder")
    answer = shown(site, f"told/{second}")
    assert (answer["before"], answer["against"]) == (first, "before")
    assert answer["change"] == json.loads(dctx("diff", first, second, "--json", cwd=root).out)
    assert "+And a new line." in site.ask(f"/links/told/{second}").text
    assert shown(site, f"told/{first}")["after"] == second


def test_the_difference_to_what_it_would_be_now_follows_the_folder(site: Pages, root: Path) -> None:
    name = told(root, "builder", "--budget", "1500")
    assert shown(site, f"told/{name}?against=now")["change"]["identical"]
    write(root, {"VISION.md": "# Vision\n\nAnother one.\n"})
    change = shown(site, f"told/{name}?against=now")["change"]
    assert change["first_difference"] == "vision"
    assert change["new"]["limit"] == 1500
    assert len(read_runs(str(root))) == 1, "looking is not telling"


def test_a_context_is_shown_although_its_task_is_no_more(site: Pages, root: Path) -> None:
    name = told(root, "builder")
    shutil.rmtree(root / ".director/goals")
    answer = shown(site, f"told/{name}?against=now")
    assert answer["change"] is None
    assert answer["trouble"]
    assert answer["sections"][0]["text"]


def test_texts_that_are_no_longer_kept_are_said_to_be_so(site: Pages, root: Path) -> None:
    name = told(root, "builder")
    shutil.rmtree(root / ".director/.dctx/texts")
    answer = shown(site, f"told/{name}")
    assert {section["text"] for section in answer["sections"]} == {None}
    assert (answer["cuts"], answer["not_chosen"]) == (None, None)
    assert "no longer kept" in site.ask(f"/links/told/{name}").text


def test_a_line_of_an_older_version_is_shown(site: Pages, root: Path) -> None:
    name = told(root, "builder")
    record = root / ".director/.dctx/runs.jsonl"
    line = json.loads(record.read_text())
    for key in ("by", "account"):
        del line[key]
    record.write_text(json.dumps(line) + "\n")
    answer = shown(site, f"told/{name}")
    assert (answer["by"], answer["cuts"]) == ("", None)
    assert "not on record" in site.ask(f"/links/told/{name}").text


def test_what_a_forged_record_says_is_text(site: Pages, root: Path) -> None:
    told(root, "builder")
    record = root / ".director/.dctx/runs.jsonl"
    line = json.loads(record.read_text())
    forged = {**line, "agent": HOSTILE, "task": HOSTILE, "session": HOSTILE, "client": HOSTILE}
    forged["sections"] = [{**row, "tag": HOSTILE} for row in line["sections"]]
    forged["reductions"] = [HOSTILE]
    record.write_text(json.dumps(forged) + "\n")
    for address in ("told", f"told/{line['id']}", "budget", "now"):
        page = site.ask(f"/links/{address}")
        assert page.status == 200
        assert "<script>alert" not in page.text
        assert "<img" not in page.text


def test_what_is_not_on_record_is_not_there(site: Pages, root: Path) -> None:
    told(root, "builder")
    for address in ("told/r000000", "told/..%2F..%2Fetc"):
        assert site.ask(f"/links/{address}").status == 404


def test_the_budget_of_each_agent_is_its_sections(site: Pages, root: Path, dctx: Dctx) -> None:
    answer = shown(site, "budget")
    assert answer["agents"] == json.loads(dctx("budget", "--all", "--json", cwd=root).out)
    page = site.ask("/links/budget").text
    assert 'id="agent-builder"' in page
    assert "kind-purpose" in page


def test_growth_is_shown_from_the_second_context_on(site: Pages, root: Path) -> None:
    assert "No context was handed on yet" in site.ask("/links/budget").text
    told(root, "builder")
    assert "was told something once so far" in site.ask("/links/budget").text
    write(root, {"VISION.md": FILES["VISION.md"] + "More. " * 400})
    told(root, "builder")
    (growth,) = shown(site, "budget")["growth"]
    sizes = [step["used"] for step in growth["steps"]]
    assert growth["agent"] == "builder"
    assert sizes == [run.used for run in read_runs(str(root))]
    assert "<polyline" in site.ask("/links/budget").text


def test_where_nothing_was_told_the_page_says_how_to_begin(site: Pages) -> None:
    assert "No agent was told anything yet" in site.ask("/links/told").text
    assert "<code>dctx setup</code>" in site.ask("/links/told").text


def test_of_each_context_it_is_on_record_by_what_it_was_handed_on(root: Path) -> None:
    told(root, "builder", "--budget", "1200", "--codebase", "all")
    (run,) = read_runs(str(root))
    account = json.loads(read_text(str(root), run.account) or "")
    assert run.by == "command"
    assert account["cuts"][0].keys() == {"rung", "tag", "before", "after"}


def test_a_context_is_compared_with_the_last_one_for_the_same_task(site: Pages, root: Path) -> None:
    first = told(root, "builder", "--task", "1")
    other = told(root, "builder", "--task", "2")
    again = told(root, "builder", "--task", "1")
    page = site.ask(f"/links/told/{again}").text
    assert f'<a href="/links/told/{first}">what builder was told for 1/1/1</a>' in page
    assert f"dctx diff {first} {again}" in page
    assert "since none before it is for 1/1/2" in site.ask(f"/links/told/{other}").text
    # What it would be now is on no record, so no command compares with it.
    assert "dctx diff" not in site.ask(f"/links/told/{again}?against=now").text


def test_a_search_shows_its_lines_and_nothing_else(site: Pages, root: Path) -> None:
    told(root, "builder")
    page = site.ask("/links/told?words=task").text
    assert "told-lines" in page
    assert "told-row" not in page
    assert "told-row" in site.ask("/links/told").text


def test_the_budget_names_windows_and_who_was_told_something_once(site: Pages, root: Path) -> None:
    told(root, "builder")
    told(root, "planner")
    told(root, "builder")
    page = site.ask("/links/budget").text
    builder = page.partition('id="agent-builder"')[2].partition("</summary>")[0]
    assert " of 200,000</span>" in builder
    assert percent(387, 1_000_000).startswith("<"), "it is not nothing"
    assert "Told something once so far: planner." in page
    assert "since the first</span>" in page
