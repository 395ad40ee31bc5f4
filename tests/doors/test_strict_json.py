"""What every door says as JSON is JSON to every reader, whatever another program wrote into a store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from conftest import Result, plan, process, task, write
from filled_project import NAME, SECRETS, TWO, addresses_of_pages, compressed, filled_project
from mcp_server import Server
from pages import Pages, pages

from director_ctx import load_project, set_variable
from director_ctx.base.strict_json import strict_json
from director_ctx.doors.ui.pages.table import PAGES
from director_ctx.memory.plans.set_task import set_task

Dctx = Callable[..., Result]
ODD = '{"loss": NaN, "steps": [1, Infinity, -Infinity], "says": "NaN"}'
SAID = {"loss": "NaN", "steps": [1, "Infinity", "-Infinity"], "says": "NaN"}


def strictly(text: str) -> Any:
    """As readers other than Python's take it."""

    def refuse(name: str) -> NoReturn:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def write_odd_values(root: Path) -> None:
    """As another program may write them; dctx itself refuses them."""
    set_variable(load_project(root), "odd", 1, "To be written over.")
    database = sqlite3.connect(root / ".director/.dctx/store.db")
    database.execute("UPDATE dctx_variables SET value = ? WHERE name = 'odd'", (ODD,))
    name, text = database.execute(
        "SELECT id, plan_data FROM director_plans ORDER BY plan_version DESC LIMIT 1"
    ).fetchone()
    odd = {**json.loads(text), "score": float("nan")}
    database.execute(
        "UPDATE director_plans SET plan_data = ? WHERE id = ?", (json.dumps(odd), name)
    )
    database.commit()
    database.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = write(tmp_path / "links", plan({"01-one.md": task("One"), "02-two.md": task("Two")}))
    set_task(load_project(folder), "1/1/1", "in_progress", reason="It was begun")
    write_odd_values(folder)
    return folder


@pytest.fixture
def twins(example: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The text of each page's twin, by its address."""
    folder = filled_project(example, tmp_path)
    write_odd_values(folder)
    assert process("history", "import", TWO, cwd=folder).code == 0
    with pages(folder) as site:
        compressed(site)
        addresses = addresses_of_pages(site)
        assert set(addresses) == {page.name for page in PAGES}
        yield {
            address: _twin_of(site, address) for group in addresses.values() for address in group
        }


def _twin_of(site: Pages, address: str) -> str:
    page, mark, asked = address.partition("?")
    answer = site.ask(f"/{NAME}/{page}.json{mark}{asked}")
    assert answer.status == 200, answer.text
    return answer.text


def test_every_page_has_a_twin_that_is_json_and_says_nothing_hidden(twins: dict[str, str]) -> None:
    for address, text in twins.items():
        strictly(text)
        assert [secret for secret in SECRETS if secret in text] == [], address
    assert '"score":"NaN"' in twins["plan"]
    assert '"loss":"NaN"' not in twins["variables"], "a list shows what a value is, not all of it"


def test_a_page_says_as_text_what_is_no_number_to_json(root: Path) -> None:
    with pages(root) as site:
        shown = strictly(site.ask("/links/variable.json?name=odd").text)
        assert shown["value"] == SAID
        assert strictly(site.ask("/links/plan.json").text)["plan"]["score"] == "NaN"
        assert site.ask("/links/variable?name=odd").status == 200


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("vars", "show", "odd"), '"loss": "NaN"'),
        (("vars", "show", "odd", "--json"), '"loss": "NaN"'),
        (("vars", "show", "--json"), '"odd"'),
        (("plan", "show", "--json"), '"score": "NaN"'),
    ],
    ids=" ".join,
)
def test_a_command_says_as_text_what_is_no_number_to_json(
    root: Path, dctx: Dctx, words: tuple[str, ...], says: str
) -> None:
    answer = dctx(*words, cwd=root)
    strictly(answer.out)
    assert says in answer.out


def test_a_tool_says_as_text_what_is_no_number_to_json(root: Path) -> None:
    with Server(root) as server:
        value = server.text("plan", action="variables", name="odd")
        assert strictly(value.rpartition("\n\n")[0]) == SAID
        whole = server.text("plan", action="show", name="json")
        assert strictly(whole.rpartition("\n\n")[0])["score"] == "NaN"


def test_what_is_json_already_is_said_as_it_is() -> None:
    value = {"a": [1, 2.5, None, True, "Grüße"], "b": {}}
    assert strict_json(value) == json.dumps(value, ensure_ascii=False)
    assert strictly(strict_json({float("inf"): (float("nan"),)})) == {"Infinity": ["NaN"]}
