"""What agents can ask for: the answers, what they cost, and what may not be changed."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import ROOT, plan, task, write
from mcp_server import CLIENT, MODERN, Server, said_in
from support.claims import started

from director_ctx import assemble, compress, load_project, set_variable
from director_ctx.base.answer_pages import CHARACTERS, page_of
from director_ctx.context.tokens.tokenizers import load
from director_ctx.project.claims import TaskTaken
from director_ctx.tools.context import sections_left
from director_ctx.tools.tool import AREAS, definition
from director_ctx.tools.tool_sets import DEFAULT, SETS

LOCATOR = re.compile(r"dctx:[0-9a-f]{12,}")
PLAN = {
    "overall_goal": "A list of links",
    "current_phase": "First",
    "phases": [
        {
            "phase_name": "First",
            "status": "in_progress",
            "tasks": [
                {"task_id": "1/1/1", "description": "One", "status": "completed"},
                {"task_id": "1/1/2", "description": "Two", "status": "pending"},
            ],
        }
    ],
    "next_actions": [],
    "blockers": [],
    "notes": "",
}
SECRET = "sk-ant-api03-" + "Zx9" * 30
EVERYTHING = ("--write", "plan,variables,tasks")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\n\nA list of links.\n\n- [UNCLEAR] For whom?\n",
        "GAMEPLAN.md": "# Gameplan\n\nGoal by goal.\n",
        **plan(
            {"01-one.done.md": task("One"), "02-two.md": task("Two", what="Build the spyglass.")}
        ),
    }
    return write(tmp_path / "project", files)


def tokens_of(definitions: list[dict[str, object]]) -> int:
    """As a model that is shown them is charged for them."""
    count = load("o200k_base")
    total = 0
    for shown in definitions:
        schema = json.dumps(shown["inputSchema"], separators=(",", ":"))
        total += count(f"{shown['name']} {shown['description']} {schema}")
    return total


def test_by_default_there_are_six_tools_and_they_cost_at_most_650_tokens(root: Path) -> None:
    for words in ((), ("--write", ",".join(AREAS))):
        with Server(root, *words) as server:
            listed = server.ask("tools/list")["result"]["tools"]
        assert len(listed) == 6
        assert tokens_of(listed) <= 650


def test_claude_code_is_asked_to_show_the_context_tool_at_once_and_to_pass_it_on_whole() -> None:
    pinned = [tool.name for tool in DEFAULT if ("anthropic/alwaysLoad", True) in tool.meta]
    assert pinned == ["context"]
    meta = definition(DEFAULT[0], ())["_meta"]
    assert meta["anthropic/maxResultSizeChars"] == 100_000


@pytest.mark.parametrize("name", SETS)
def test_every_tool_says_whether_it_changes_anything_and_takes_nothing_unknown(name: str) -> None:
    for tool in SETS[name]:
        for writable in ((), AREAS):
            shown = definition(tool, writable)
            assert shown["inputSchema"]["additionalProperties"] is False
            assert shown["description"].strip()
            is_said_to_read = shown["annotations"]["readOnlyHint"]
            assert is_said_to_read is not (bool(writable) and bool(writing(tool.name)))


def writing(name: str) -> bool:
    return name in {
        "plan", "browser", "update_plan", "set_variable", "clear_variable", "clear_all_variables",
        "debug_navigate", "debug_action", "debug_open_tab", "debug_close_tab",
    }  # fmt: skip


def test_no_name_of_a_tool_is_there_twice() -> None:
    names = [tool.name for tool in SETS["all"]]
    assert len(names) == len(set(names))


def test_the_context_is_that_of_the_command_line_and_goes_on_record(root: Path) -> None:
    whole = assemble(load_project(root=str(root)), "builder", task="1/1/2").text
    with Server(root) as server:
        said = server.text("context", task="1/1/2")
        assert said.startswith(whole)
        assert server.text("context") == said
    runs = (root / ".director/.dctx/runs.jsonl").read_text().splitlines()
    assert len(runs) == 2


def test_a_profile_gets_its_inputs_and_no_others(root: Path) -> None:
    whole = assemble(load_project(root=str(root)), "researcher", question="Which feed format?")
    with Server(root) as server:
        given = {"agent": "researcher", "inputs": {"question": "Which feed format?"}}
        assert server.text("context", **given).startswith(whole.text)
        refused = server.refusal("context", agent="researcher", inputs={"focus": "tech"})
        assert "researcher has no input 'focus'." in refused
        assert "Its inputs: question." in refused
        wrong = server.refusal("context", agent="researcher", inputs={"question": 7})
        assert "The input question has to be a text." in wrong


def test_a_section_comes_alone(root: Path) -> None:
    with Server(root) as server:
        said = server.text("context", sections=["task"])
        assert said.startswith("<task>")
        assert "<vision>" not in said
        refused = server.refusal("context", sections=["browser"])
    assert "no section browser" in refused
    assert "vision" in refused


def test_a_long_context_comes_in_pages_that_fit_every_client_and_make_up_the_whole(
    root: Path,
) -> None:
    lines = "".join(f"Line {number} of what the list is about.\n" for number in range(700))
    write(root, {"VISION.md": f"# Vision\n\n{lines}"})
    with Server(root) as server:
        first = server.text("context")
        assert len(first) <= CHARACTERS
        there = "There: more of vision, current_step, task, recent_changes, instructions."
        assert f'The rest: context {{"task":"1/1/2","page":2}}. {there}' in first
        pages = [first]
        while "The rest:" in pages[-1]:
            pages.append(server.text("context", task="1/1/2", page=len(pages) + 1))
            assert len(pages[-1]) <= CHARACTERS
        assert "There is no page 99" in server.refusal("context", page=99)
    together = "\n".join(page.rpartition("\n\n[Page")[0] for page in pages)
    assert together.rstrip() == assemble(load_project(root=str(root)), "builder").text.rstrip()


def test_what_a_page_leaves_is_told_by_lines_and_not_by_tags_within_them(root: Path) -> None:
    context = assemble(load_project(root=str(root)), "builder")
    rest = "It says <task> and </vision>.\n</current_step>\n\n<instructions>\nDo it.\n</instructions>\n"
    assert sections_left(context)(rest) == " There: more of current_step, instructions."


def test_no_page_begins_with_what_stands_within_a_line(root: Path) -> None:
    write(root, {"VISION.md": f"# Vision\n\nA list {'<instructions>' * 3000}\n"})
    with Server(root) as server:
        first, second, third = (server.text("context", task="1/1/2", page=n) for n in (1, 2, 3))
    assert first.startswith("<vision>") and second.startswith("A list <instructions>")
    assert third.startswith("…")


def test_claude_code_gets_a_long_context_in_one_piece(root: Path) -> None:
    write(root, {"VISION.md": "# Vision\n\n" + "A line of the vision.\n" * 900})
    meta = {**MODERN, CLIENT: {"name": "claude-code", "version": "2"}}
    with Server(root) as server:
        call = {"name": "context", "arguments": {}}
        said = said_in(server.ask("tools/call", call, meta)["result"])
        searched = {"name": "search", "arguments": {"text": "line"}}
        found = said_in(server.ask("tools/call", searched, meta)["result"])
    assert len(said) > 2 * CHARACTERS
    assert "[Page" not in said
    # Only the tool whose definition asks for it is passed on whole.
    assert len(found) <= CHARACTERS


def test_pages_end_at_lines_and_lose_nothing() -> None:
    text = "".join(f"{'x' * (number % 90)} {number}\n" for number in range(2000))
    said = page_of(text, "search", {"text": "x", "page": None})
    number = 1
    parts = []
    while True:
        assert len(said) <= CHARACTERS
        body = said.rpartition("\n\n[Page")[0]
        parts.append(f"{body}\n")
        if "The rest" not in said:
            break
        number += 1
        said = page_of(text, "search", {"text": "x", "page": number})
    assert "".join(parts) == text


def test_a_line_longer_than_a_page_is_divided() -> None:
    said = page_of("x" * 30_000, "original", {"locator": "dctx:1"})
    assert len(said) <= CHARACTERS
    assert 'original {"locator":"dctx:1","page":2}' in said


def test_the_standing_names_the_next_task_and_how_to_get_what_it_needs(root: Path) -> None:
    with Server(root) as server:
        said = server.text("status")
        assert "Next: 1/1/2  Two (ready, assumed)" in said
        assert 'context {"task":"1/1/2"}' in said
        assert "Open question: For whom?" in said
        detailed = server.text("status", goal="1")
    assert "[x] 1. One" in detailed
    assert "[ ] 2. Two" in detailed


def test_a_call_sees_the_folder_as_it_is_now(root: Path) -> None:
    with Server(root) as server:
        assert "1/1/2  Two" in server.text("status")
        tasks = root / ".director/goals/01-first/01-step/tasks"
        (tasks / "02-two.md").rename(tasks / "02-two.done.md")
        write(root, {"goals/01-first/01-step/tasks/03-three.md": task("Three")})
        assert "Next: 1/1/3  Three" in server.text("status")


def test_what_changed_in_the_folder_is_seen_however_long_it_stood_still(root: Path) -> None:
    old = time.time() - 60
    document = root / ".director/VISION.md"
    for path in (root / ".director").rglob("*"):
        os.utime(path, (old, old))
    with Server(root) as server:
        # A time that is set is a change of its own, and that has to be old as well.
        time.sleep(2.1)
        said = server.text("status")
        assert server.text("status") == said
        # Neither the size nor the time of writing tells of it.
        text = document.read_text().replace("For whom?", "For what?")
        document.write_text(text)
        os.utime(document, (old, old))
        assert "Open question: For what?" in server.text("status")


def test_a_document_that_was_read_before_is_read_again_once_it_changed(root: Path) -> None:
    old = time.time() - 60
    for path in (root / ".director").rglob("*"):
        os.utime(path, (old, old))
    document = root / ".director/goals/01-first/01-step/tasks/02-two.md"
    with Server(root) as server:
        # A time that is set is a change of its own, and that has to be old as well.
        time.sleep(2.1)
        for _ in range(2):
            assert "Build the spyglass." in server.text("context", sections=["task"])
        for word in ("starfish", "sunlight"):
            # Of the same size, and of the same age, as far as the time of writing tells.
            document.write_text(task("Two", what=f"Build the {word}."))
            os.utime(document, (old, old))
            for _ in range(2):
                assert f"Build the {word}." in server.text("context", sections=["task"])
                assert f"Build the {word}." in server.text("search", text=word, where="folder")


def test_the_plan_that_is_shown_follows_the_folder_and_what_is_written(root: Path) -> None:
    old = time.time() - 60
    for path in (root / ".director").rglob("*"):
        os.utime(path, (old, old))
    with Server(root, "--tools", "all", *EVERYTHING) as server:
        time.sleep(2.1)
        for _ in range(2):
            assert "- [ ] 1/1/2 Two" in server.text("plan", action="show")
            assert statuses_in(server) == ["completed", "ready"]
            assert json.loads(server.text("get_workflow_summary"))["status"] == "building"
        server.text("plan", action="update", plan=PLAN, version=0, reason="First")
        assert "Version 1 of the plan" in server.text("plan", action="show")
        begun = {"name": "1/1/2", "status": "in_progress", "reason": "Begun", "version": 1}
        server.text("plan", action="set_status", **begun)
        assert statuses_in(server) == ["completed", "in_progress"]
        tasks = root / ".director/goals/01-first/01-step/tasks"
        (tasks / "02-two.md").rename(tasks / "02-two.done.md")
        assert "- [x] 1/1/2 Two" in server.text("plan", action="show")
        assert statuses_in(server) == ["completed", "completed"]
        assert json.loads(server.text("get_workflow_summary"))["status"] == "completed"


def statuses_in(server: Server) -> list[str]:
    nodes = json.loads(server.text("get_workflow_nodes", type="task"))["nodes"]
    return [node["status"] for node in nodes]


def test_the_server_starts_before_there_is_a_folder_and_finds_it_later(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        assert "There is no .director/ folder" in server.refusal("status")
        write(tmp_path, {"VISION.md": "# Vision\n"})
        assert "No goals are planned yet." in server.text("status")


def test_an_original_comes_back_by_its_locator(root: Path) -> None:
    history = []
    for number in range(30):
        text = f"Result {number}: " + "what the command printed, line by line. " * 40
        history.append({"role": "user", "content": f"Next, {number}?"})
        history.append({"role": "assistant", "content": text})
    shorter = compress(history, ratio=0.2, project=load_project(root=str(root)))
    locator = LOCATOR.search(json.dumps(shorter.document))
    assert locator
    with Server(root) as server:
        said = server.text("original", locator=locator.group())
        assert "what the command printed" in said
        assert "has no dctx:" in server.refusal("original", locator="dctx:" + "0" * 12)


def test_nothing_is_written_by_a_server_that_may_not(root: Path) -> None:
    attempts = [
        ("plan", {"action": "update", "plan": PLAN, "version": 0, "reason": "x"}),
        ("plan", {"action": "set_variable", "name": "a", "value": 1, "reason": "x"}),
        ("plan", {"action": "claim", "name": "1/1/2", "agent": "a"}),
        ("browser", {"action": "navigate", "url": "http://localhost", "reason": "x"}),
        ("update_plan", {"plan": PLAN, "reason": "x"}),
        ("set_variable", {"variableName": "a", "value": 1, "reason": "x"}),
        ("clear_all_variables", {"reason": "x"}),
        ("debug_navigate", {"url": "http://localhost", "reason": "x"}),
    ]
    with Server(root, "--tools", "all") as server:
        for tool, arguments in attempts:
            said = server.refusal(tool, **arguments)
            assert "This server may not change the" in said
            assert "--write" in said
    assert not (root / ".director/.dctx").exists()


def test_each_area_is_opened_by_itself(root: Path) -> None:
    with Server(root, "--write", "variables") as server:
        server.text("plan", action="set_variable", name="a", value=[1], version=0, reason="Seen")
        assert "may not change the plan" in server.refusal("plan", action="update", plan=PLAN)


def test_a_plan_is_only_changed_on_top_of_the_version_that_was_seen(root: Path) -> None:
    with Server(root, *EVERYTHING) as server:
        assert "Version 0 of the plan: what the folder says." in server.text("plan", action="show")
        done = server.text("plan", action="update", plan=PLAN, version=0, reason="First")
        assert "at version 1 now" in done
        assert "- [ ] 1/1/2 Two" in server.text("plan", action="show")

        # Whoever may change it gets it in the form in which it is given.
        assert 'plan {"action":"show","name":"json"}' in server.text("plan", action="show")
        as_json, _, number = server.text("plan", action="show", name="json").partition("\n\n")
        assert number == "Version 1 of the plan.\n"
        assert json.loads(as_json)["phases"][0]["tasks"][1]["description"] == "Two"
        assert '"name":"json"' not in server.text("plan", action="show", name="json")

        status = {"action": "set_status", "name": "1/1/2", "reason": "Begun"}
        server.text("plan", **status, status="in_progress", version=1)
        refused = server.refusal("plan", **status, status="failed", version=1)
        # Whoever was too late is told what happened meanwhile.
        assert "The plan is at version 2, not 1" in refused
        assert "1/1/2 Two" in refused
        assert "in progress" in refused or "in_progress" in refused
        broken = server.refusal("plan", action="update", plan={"phases": 7}, version=2, reason="x")
        assert "phases" in broken
        assert 'A plan looks like this: {"overall_goal"' in broken


def test_a_variable_is_only_changed_if_nobody_else_changed_it_since(root: Path) -> None:
    put = {"action": "set_variable", "name": "port", "reason": "Seen"}
    with Server(root, *EVERYTHING) as server:
        server.text("plan", **put, value=8000, version=0)
        server.text("plan", **{**put, "name": "host"}, value="here", version=0)
        # Another variable was changed since; that is none of this one's business.
        server.text("plan", **put, value=8001, version=1)
        refused = server.refusal("plan", **put, value=8002, version=1)
        assert "port is 8001" in refused
        assert "Since version 1" in refused
        shown = server.text("plan", action="variables")
        assert "- port = 8001" in shown
        assert "Version 3 of the variables." in shown
        clear_it = {"action": "clear_variable", "name": "port", "reason": "x"}
        assert "Since" in server.refusal("plan", **clear_it, version=1)
        # Whoever left it out was not too late.
        assert "needs the version that you saw: the variables are at version 3 now." in (
            server.refusal("plan", **clear_it)
        )
        server.text("plan", action="clear_variable", name="port", reason="x", version=3)
        assert "port" not in server.text("plan", action="variables")


def test_of_many_agents_that_claim_a_task_at_once_one_gets_it(root: Path) -> None:
    def attempt(number: int) -> str:
        try:
            return started(root, "1/1/2", f"agent-{number}").agent
        except TaskTaken:
            return ""

    with ThreadPoolExecutor(12) as pool:
        winners = [name for name in pool.map(attempt, range(12)) if name]
    assert len(winners) == 1
    assert [row.agent for row in load_project(root=str(root)).claims().values()] == winners


def test_a_task_is_claimed_done_and_the_next_one_named(root: Path) -> None:
    write(root, {"goals/01-first/01-step/tasks/03-three.md": task("Three")})
    with Server(root, *EVERYTHING) as server:
        said = server.text("plan", action="claim", name="1/1/2", agent="builder-1")
        assert 'What it needs: context {"task":"1/1/2"}' in said
        # The call that finishes the task, as it can be made.
        finish_it = json.loads(said.rpartition("When it is done: plan ")[2])
        version = finish_it["version"]
        assert "1/1/2  Two: in progress since" in server.text("status")
        other = {"action": "done", "name": "1/1/2", "version": version}
        # A name that two can share is no proof.
        assert "is in progress since" in server.refusal("plan", **other, agent="builder-1")
        assert "was changed since" in server.refusal("plan", **{**finish_it, "version": "00000000"})
        refused = server.refusal("plan", action="release", name="1/1/2", claim="abcdef")
        assert "Only who has it can say so" in refused
        refused = server.refusal("plan", action="claim", name="1/1/2", agent="builder-1")
        assert "in progress" in refused
        claim = {"action": "claim", "name": "1/1/2", "claim": finish_it["claim"]}
        assert f"Claim {finish_it['claim']}" in server.text("plan", **claim)
        said = server.text("plan", **finish_it)
        assert said == "1/1/2 Two is done.\nNext: 1/1/3 Three\n"
        again = server.refusal("plan", **finish_it)
        assert again == "Task 1/1/2 is done already.\nNext: 1/1/3 Three"
        assert "in progress" not in server.text("status").partition("Next")[2]
        refused = server.refusal("plan", action="claim", name="1/1/2", agent="builder-2")
        assert "Task 1/1/2 is done already." in refused
    assert (root / ".director/goals/01-first/01-step/tasks/02-two.done.md").exists()


def test_no_secret_leaves_by_an_answer_or_a_log(root: Path) -> None:
    write(root, {"VISION.md": f"# Vision\n\nThe key is {SECRET}, never mind.\n"})
    project = load_project(root=str(root))
    set_variable(project, "login.password", "correct horse battery", "Given")
    with Server(root, "--tools", "all", *EVERYTHING, ANTHROPIC_API_KEY=SECRET) as server:
        answers = [
            server.call("context"),
            server.call("search", text="key"),
            server.call("plan", action="variables", name="login.password"),
            server.call("get_workflow_variable", variableName="all"),
            server.call("get_workflow_description"),
            server.call("plan", action="set_status", name=SECRET, status="x", reason="x"),
            server.ask("prompts/get", {"name": "builder"})["result"],
            server.ask("resources/read", {"uri": "dctx://folder/VISION.md"})["result"],
            server.ask("tools/call", {"name": SECRET}),
        ]
        _, log = server.close()
    told = json.dumps(answers)
    assert "correct horse" not in told
    assert SECRET not in told
    assert SECRET.encode() not in log


def test_no_argument_leads_out_of_the_project(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("the treasure map")
    outside = write(tmp_path / "other", {"VISION.md": "# the treasure map\n"})
    (root / ".director/research").mkdir()
    (root / ".director/research/LINK.md").symlink_to(tmp_path / "outside.md")
    uris = [
        "dctx://folder/../../outside.md",
        "dctx://folder/%2e%2e/%2e%2e/outside.md",
        "dctx://folder//etc/passwd",
        "dctx://folder/research/LINK.md",
        f"dctx://folder/{outside}/.director/VISION.md",
        "file:///etc/passwd",
    ]
    with Server(root) as server:
        for uri in uris:
            answer = server.ask("resources/read", {"uri": uri})
            assert answer["error"]["code"] == -32602, uri
        for task_name in ("../../../other/.director/VISION.md", str(tmp_path / "outside.md")):
            assert "treasure" not in server.refusal("context", task=task_name)
        for locator in (
            ".director/research/LINK.md",
            ".director/../../outside.md",
            "/etc/passwd:1",
        ):
            assert server.refusal("original", locator=locator)
            assert server.refusal("original", locator=f"{locator}:1")
        assert "Nothing was found" in server.text("search", text="treasure", where="folder")
        assert "no argument" in server.refusal("context", root=str(outside))


WRONG = [
    ("context", {"inputs": "tech"}, "inputs has to be an object"),
    ("context", {"agent": 7}, "agent has to be a text"),
    ("context", {"sections": "task"}, "sections has to be a list of texts"),
    ("context", {"page": -1}, "page has to be a whole number"),
    ("context", {"agent": "half a pair \ud800"}, "agent has to be a text"),
    ("search", {}, "search needs the argument text"),
    ("search", {"text": "  "}, "What is to be searched for?"),
    ("plan", {"action": "burn"}, "action cannot be 'burn'"),
    ("status", {"depth": 1}, "status has no argument 'depth'"),
    ("context", {"agent": "bulider"}, "Did you mean builder?"),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), WRONG)
def test_what_is_wrong_with_a_call_is_told_the_model(
    root: Path, tool: str, arguments: dict[str, object], said: str
) -> None:
    with Server(root) as server:
        assert said in server.refusal(tool, **arguments)


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(root: Path) -> None:
    with Server(root) as server:
        error = server.ask("tools/call", {"name": "get_current_plan", "arguments": {}})["error"]
        assert error["code"] == -32602
        assert "context, status, search" in error["message"]
        assert server.ask("tools/call", {"arguments": {}})["error"]["code"] == -32602
        assert (
            server.ask("tools/call", {"name": "status", "arguments": 1})["error"]["code"] == -32602
        )


def test_agents_are_prompts_and_documents_are_resources(root: Path) -> None:
    with Server(root) as server:
        prompts = server.ask("prompts/list")["result"]["prompts"]
        assert {"builder", "planner", "verifier", "director"} <= {row["name"] for row in prompts}
        got = server.ask("prompts/get", {"name": "builder", "arguments": {"task": "1/1/2"}})
        [message] = got["result"]["messages"]
        assert "Build the spyglass." in message["content"]["text"]
        assert server.ask("prompts/get", {"name": "nobody"})["error"]["code"] == -32602

        listed = server.ask("resources/list")["result"]["resources"]
        assert "dctx://folder/VISION.md" in {row["uri"] for row in listed}
        uri = {"uri": "dctx://context/builder?task=1/1/2"}
        read = server.ask("resources/read", uri)["result"]["contents"]
        assert "Build the spyglass." in read[0]["text"]
        templates = server.ask("resources/templates/list")["result"]["resourceTemplates"]
        assert templates[0]["uriTemplate"] == "dctx://context/{agent}{?task}"


def test_a_resource_that_is_not_there_is_what_each_era_calls_it(root: Path) -> None:
    missing = {"uri": "dctx://folder/NO.md"}
    with Server(root) as server:
        assert server.ask("resources/read", missing)["error"]["code"] == -32602
        server.begin("2025-11-25")
        assert server.ask("resources/read", missing, meta={})["error"]["code"] == -32002


SUMMARY_FIELDS = [
    "workflowId", "name", "description", "nodeCount", "currentPhase", "lastExecuted", "status",
]  # fmt: skip


def test_the_tools_of_the_seed_answer_with_the_fields_of_its_examples(root: Path) -> None:
    with Server(root, "--tools", "seed", *EVERYTHING) as server:
        listed = [row["name"] for row in server.ask("tools/list")["result"]["tools"]]
        assert listed[:2] == ["get_workflow_summary", "get_workflow_nodes"]
        assert len(listed) == 16
        # Before anybody wrote one, it is what the folder says.
        assert "plan_version" not in json.loads(server.text("get_current_plan"))
        summary = json.loads(server.text("get_workflow_summary"))
        assert list(summary) == SUMMARY_FIELDS
        assert (summary["nodeCount"], summary["status"]) == (4, "building")

        nodes = json.loads(server.text("get_workflow_nodes", range="2-3"))["nodes"]
        assert [(node["number"], node["id"]) for node in nodes] == [(2, "1/1"), (3, "1/1/1")]
        tasks = json.loads(server.text("get_workflow_nodes", type="task", range="recent"))
        assert [node["id"] for node in tasks["nodes"]] == ["1/1/1", "1/1/2"]
        assert len(json.loads(server.text("get_workflow_nodes", range="all"))["nodes"]) == 4
        assert "no range" in server.refusal("get_workflow_nodes", range="some")
        assert "ends before it begins" in server.refusal("get_workflow_nodes", range="5-1")

        said = server.text("update_plan", plan=PLAN, reason="First")
        assert said.startswith("Plan updated successfully")
        current = json.loads(server.text("get_current_plan"))
        assert (current["plan_version"], current["overall_goal"]) == (1, "A list of links")
        # The seed's plan carries its version.
        too_early = {**PLAN, "plan_version": 0}
        assert "is at version 1, not 0" in server.refusal("update_plan", plan=too_early, reason="x")
        refused = server.refusal("update_plan", plan=PLAN, reason="x")
        assert "needs the version that you saw: the plan is at version 1 now" in refused
        server.text("update_plan", plan={**current, "notes": "New."}, reason="Second")

        server.text("set_variable", variableName="node1.mail", value="a@b.example", reason="Test")
        assert "- node1.mail" in server.text("get_workflow_variables")
        assert server.text("get_workflow_variable", variableName="node1.mail").startswith("a@b")
        assert json.loads(server.text("get_workflow_variable", nodeId=1)).keys() == {"node1.mail"}
        server.text("clear_all_variables", reason="Clean", version=1)
        assert "No variable is set." in server.text("get_workflow_variables")
        assert "# Gameplan" in server.text("get_workflow_description")
        assert server.text("get_browser_state").startswith("BROWSER STATE:\n")
        assert "No browser is known" in server.refusal("inspect_tab", tabName="Main Tab")


def test_a_bug_is_told_without_what_was_being_worked_on(root: Path) -> None:
    broken = root / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import director_ctx.upkeep.status as s\n"
        f"def status(project): raise RuntimeError('{SECRET}')\n"
        "s.status = status\n"
    )
    with Server(root, PYTHONPATH=f"{broken}:{ROOT}") as server:
        error = server.ask("tools/call", {"name": "status", "arguments": {}})["error"]
        assert error["code"] == -32603
        assert "RuntimeError in sitecustomize.py:2" in error["message"]
        assert "result" in server.ask("tools/list")
        _, log = server.close()
    assert SECRET not in json.dumps(error)
    assert b"RuntimeError" in log
    assert SECRET.encode() not in log


def test_the_environment_names_the_project_where_a_client_starts_us_elsewhere(
    root: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for words, environment in (
        ((), {"CLAUDE_PROJECT_DIR": str(root)}),
        ((), {"DCTX_ROOT": str(root)}),
        (("--root", str(root)), {}),
    ):
        with Server(elsewhere, *words, **environment) as server:
            assert "1/1/2  Two" in server.text("status")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it in a file")
def test_ten_thousand_requests_leave_the_server_as_small_as_it_was(root: Path) -> None:
    with Server(root) as server:
        pid = server.process.pid
        for _ in range(500):
            server.text("status")
        before = resident(pid)
        for _ in range(20):
            numbers = [
                server.send("tools/call", {"name": "status", "arguments": {}}) for _ in range(100)
            ]
            for _ in numbers:
                assert "result" in server.read()
        for _ in range(7500):
            server.ask("tools/list")
        assert resident(pid) - before < 2_000_000


def resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
