"""What was cut is given back to a model that asks for it by its locator, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from director_ctx import compress
from director_ctx.base.answer_pages import CHARACTERS
from director_ctx.base.errors import UsageProblem
from director_ctx.history.retrieve.answering import answer
from director_ctx.history.retrieve.tool import NAME, WIRES, definition

SECRET = "AKIA" + "Q4ZV7XK2MNB5WT3L"
LONG = "".join(f"line {number} of the log of the build\n" for number in range(2000))


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "project"
    (folder / ".director").mkdir(parents=True)
    return str(folder)


def cut_locator(root: str, text: str) -> str:
    """Where a result went that was cut out of a conversation of this project."""
    call = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "Build it."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    for number in range(5):
        later = {**call, "id": f"u{number}"}
        messages += [
            {"role": "assistant", "content": [later]},
            {"role": "user", "content": [{**result, "tool_use_id": later["id"], "content": "ok"}]},
        ]
    shortened = compress(messages, project=root, strategy="clear")
    (cut,) = shortened.receipt.cuts
    return cut.locator


def test_a_long_original_comes_in_pages_that_lead_on(root: str) -> None:
    locator = cut_locator(root, LONG)
    pages = []
    for number in range(1, 20):
        page = answer(root, {"locator": locator, "page": number})
        assert len(page) <= CHARACTERS
        pages.append(page)
        if "the last" in page:
            break
        assert f'{NAME} {{"locator":"{locator}","page":{number + 1}}}' in page

    told = "".join(page.rpartition("\n\n[Page")[0] + "\n" for page in pages)
    assert told == LONG


def test_the_arguments_may_be_the_json_that_a_model_wrote(root: str) -> None:
    locator = cut_locator(root, LONG)
    written = json.dumps({"locator": f"[{locator}]"})
    assert answer(root, written) == answer(root, {"locator": f"[{locator}]"})
    assert answer(root, written).startswith("line 0 of the log")


def test_no_secret_is_in_an_answer(root: str) -> None:
    locator = cut_locator(root, f"aws_access_key_id = {SECRET}\n{LONG}")
    said = answer(root, {"locator": locator})
    assert "aws_access_key_id" in said
    assert SECRET not in said


def test_another_project_has_nothing_to_say(root: str, tmp_path: Path) -> None:
    locator = cut_locator(root, LONG)
    other = tmp_path / "other"
    (other / ".director").mkdir(parents=True)
    said = answer(str(other), {"locator": locator})
    assert said.startswith(f"The archive of this project has no {locator}.")


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        [],
        {},
        "",
        "{",
        "[" * 100_000,
        {"locator": 7},
        {"locator": ""},
        {"locator": "../../etc/passwd"},
        {"locator": "dctx:zz"},
        {"locator": "dctx:" + "0" * 12},
        {"locator": "dctx:" + "0" * 100_000},
        {"locator": "dctx:000000000000#\x1b[2J"},
        {"locator": "dctx:000000000000#1", "page": 1},
        {"locator": "dctx:000000000000", "page": -1},
        {"locator": "dctx:000000000000", "page": "two"},
        {"locator": "dctx:000000000000", "page": True},
        {"locator": "dctx:00000000000z"},
    ],
)
def test_whatever_is_asked_the_answer_is_a_sentence(root: str, arguments: object) -> None:
    cut_locator(root, LONG)
    said = answer(root, arguments)
    assert said.endswith(".")
    assert len(said) < 300
    assert "\n" not in said
    assert "\x1b" not in said


def test_a_part_of_a_locator_is_not_enough_so_that_nobody_can_try_them_all(root: str) -> None:
    locator = cut_locator(root, LONG)
    said = answer(root, {"locator": locator[:-1]})
    assert said == "It needs a whole locator, such as dctx:3f2a9c01b4de."


def test_a_page_that_is_not_there_is_told_by_the_last_that_is(root: str) -> None:
    locator = cut_locator(root, LONG)
    said = answer(root, {"locator": locator, "page": 99})
    assert said.startswith("There is no page 99. The last one is page")


def test_each_api_is_told_of_the_tool_in_its_own_form() -> None:
    forms = [definition(wire) for wire in WIRES]
    assert [sorted(form) for form in forms] == [
        ["description", "input_schema", "name"],
        ["function", "type"],
        ["description", "name", "parameters", "strict", "type"],
    ]
    for form in forms:
        function = form.get("function", form)
        schema = function.get("parameters") or function["input_schema"]
        assert function["name"] == NAME
        assert schema["required"] == ["locator"]
        assert len(json.dumps(form)) < 450
    with pytest.raises(UsageProblem):
        definition("soap")


def test_the_providers_own_libraries_know_these_forms() -> None:
    types = pytest.importorskip("anthropic.types")
    chat = pytest.importorskip("openai.types.chat")
    responses = pytest.importorskip("openai.types.responses")
    from pydantic import TypeAdapter

    known = {
        "anthropic": types.ToolParam,
        "openai-chat": chat.ChatCompletionFunctionToolParam,
        "openai-responses": responses.FunctionToolParam,
    }
    for wire, form in known.items():
        TypeAdapter(form).validate_python(definition(wire), extra="forbid")
