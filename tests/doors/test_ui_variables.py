"""Variables and the browser on the page: shown, never opened; changed with a reason, and not by who is too late."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import plan, task, write
from pages import Pages, pages

from director_ctx import load_project
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables.entries import put
from director_ctx.memory.variables.typed import as_typed, from_form, typed_value
from director_ctx.memory.variables.variables import set_variable, value_of, variable_history

SECRET = "tok-1234567890abcdef"
FILES = {"VISION.md": "# Vision\n", **plan({"01-one.md": task("One")})}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = write(tmp_path / "links", FILES)
    project = load_project(folder)
    set_variable(project, "api", {"user": "ada", "password": SECRET}, "From the vault")
    set_variable(project, "sealed", SECRET, "Asked for", secret=True)
    set_variable(
        project, "node7.emails", [{"subject": "Re: <b>Money</b>"}] * 14, "It was <i>there</i>"
    )
    return folder


@pytest.fixture
def site(root: Path) -> Iterator[Pages]:
    with pages(root) as running:
        yield running


def test_every_variable_is_shown_by_the_rules_and_nothing_hidden_is_in_any_source(
    site: Pages,
) -> None:
    page = site.ask("/links/variables")
    assert "[Array of 14 emails - first:" in page.text
    assert "Re: &lt;b&gt;Money" in page.text
    assert "It was &lt;i&gt;there&lt;/i&gt;" in page.text
    for address in ("variables", "variable?name=api", "variable?name=sealed"):
        where, mark, asked = address.partition("?")
        for form in (f"{where}{mark}{asked}", f"{where}.json{mark}{asked}"):
            answer = site.ask(f"/links/{form}")
            assert answer.status == 200
            assert "[hidden]" in answer.text
            assert SECRET not in answer.text
    assert site.ask("/links/variable.json?name=api").json["value"]["user"] == "ada"


def test_a_search_is_by_what_is_shown_and_works_without_scripts(site: Pages) -> None:
    page = site.ask("/links/variables?words=MONEY+email").text
    assert 'data-key="node7.emails"' in page
    assert 'data-key="api"' not in page
    for guess in (SECRET, SECRET[:6]):
        assert site.ask(f"/links/variables.json?words={guess}").json["variables"] == []
    assert "All 3" in site.ask("/links/variables?words=nothing").text


def test_the_list_of_places_has_variables_by_their_names(site: Pages) -> None:
    places = site.ask("/links/places.json").json
    assert {"title": "api", "hint": "variable", "href": "/links/variable?name=api"} in places
    assert SECRET not in json.dumps(places)


def test_a_field_is_not_filled_with_what_would_take_the_place_of_a_secret(site: Pages) -> None:
    page = site.ask("/links/variable?name=api").text
    _, _, field = page.partition("<textarea")
    assert "[hidden]" not in field.partition("</textarea>")[0]
    empty = site.send("/links/variables/set", {"name": "sealed", "value": "", "version": "3"})
    assert empty.status == 400
    assert "The value is empty" in empty.text


def test_a_value_is_set_with_its_reason_and_read_as_json_where_it_is_some(
    site: Pages, root: Path
) -> None:
    form = {"name": "count", "value": "[1, 2]", "reason": "Two of them", "version": "3"}
    done = site.send("/links/variables/set", form)
    assert done.headers["location"].startswith("/links/variable?name=count&said=")
    assert "count is [1, 2]." in site.ask(done.headers["location"]).text
    site.send("/links/variables/set", {**form, "name": "text", "string": "1", "version": "4"})
    secret = {"name": "late", "value": SECRET, "secret": "1", "version": "5"}
    said = site.send("/links/variables/set", secret)
    assert SECRET not in site.ask(said.headers["location"]).text

    project = load_project(root)
    assert value_of(project, "count") == [1, 2]
    assert value_of(project, "text") == "[1, 2]"
    assert value_of(project, "late") == "[hidden]"
    assert value_of(project, "late", reveal=True) == SECRET
    assert variable_history(project, "count")[-1].reason == "Two of them"


def test_whoever_is_too_late_changes_nothing_and_is_told_what_happened(
    site: Pages, root: Path
) -> None:
    project = load_project(root)
    set_variable(project, "node7.emails", [], "Reset by somebody")
    late = site.send("/links/variables/set", {"name": "node7.emails", "value": "1", "version": "3"})
    assert late.status == 409
    assert "somebody was faster" in late.text
    assert "Reset by somebody" in late.text
    cleared = site.send("/links/variables/clear", {"name": "node7.emails", "version": "3"})
    assert cleared.status == 409
    all_of_them = site.send("/links/variables/clear-all", {"sure": "1", "version": "3"})
    assert all_of_them.status == 409
    assert value_of(project, "node7.emails") == []
    # Another variable is nobody's business.
    assert site.send("/links/variables/clear", {"name": "api", "version": "3"}).status == 303


def test_all_are_cleared_only_by_whoever_says_that_it_is_meant(site: Pages, root: Path) -> None:
    unsure = site.send("/links/variables/clear-all", {"version": "3"})
    assert unsure.status == 400
    done = site.send("/links/variables/clear-all", {"version": "3", "sure": "1", "reason": "Anew"})
    assert "3 variables cleared." in site.ask(done.headers["location"]).text
    page = site.ask("/links/variables").text
    assert "No variable is set." in page
    assert "dctx vars set" in page
    assert "It is cleared." in site.ask("/links/variable?name=api").text
    assert {change.reason for change in variable_history(load_project(root))[-3:]} == {"Anew"}


def test_names_and_values_that_another_program_wrote_are_shown_harmlessly(
    site: Pages, root: Path
) -> None:
    database = sqlite3.connect(root / ".director/.dctx/store.db")
    rows = (
        ("a b", '"x"'),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "1"),
        ("half", '"\\ud800"'),
        ("bare", "no json <script>"),
    )
    for name, value in rows:
        database.execute(
            "INSERT INTO dctx_variables SELECT workflow_id, ?, ?, updated_at"
            " FROM dctx_variables WHERE name = 'api'",
            (name, value),
        )
    database.commit()
    database.close()
    page = site.ask("/links/variables")
    assert page.status == 200
    assert "ghp_abcdef" not in page.text
    assert "no json &lt;script&gt;" in page.text
    assert 'name=a+b"' not in page.text
    for form in ("variable?name=half", "variable.json?name=half", "variable?name=bare"):
        assert site.ask(f"/links/{form}").status == 200


def test_one_that_never_was_and_a_name_that_is_none_are_sentences(site: Pages) -> None:
    assert "There is no variable nothing" in site.ask("/links/variable?name=nothing").text
    assert site.ask("/links/variable?name=").status == 409


def test_a_browser_that_does_not_answer_is_said_and_one_that_is_unknown_names_the_command(
    site: Pages, root: Path
) -> None:
    assert "dctx browser start" in site.ask("/links/variables").text
    with pages(root, DCTX_CDP="127.0.0.1:9") as other:
        answer = other.ask("/links/variables.json").json["browser"]
    assert answer["known"]
    assert "No browser listens" in answer["why"]


def test_read_only_has_no_form_and_takes_none(root: Path) -> None:
    with pages(root, "--read-only") as site:
        for address in ("variables", "variable?name=api"):
            assert "<textarea" not in site.ask(f"/links/{address}").text
        refused = site.send("/links/variables/clear", {"name": "api", "version": "3"})
    assert refused.status == 403


@pytest.mark.parametrize(
    "value",
    [
        "text",
        "1",
        "true",
        "",
        " blank ",
        "two\nlines",
        "\nfirst",
        "a\rb",
        "\ud800",
        1.5,
        None,
        [],
        {"a": [1]},
    ],
)
def test_a_value_comes_back_out_of_a_field_as_it_went_in(value: object) -> None:
    sent = as_typed(value).replace("\n", "\r\n")
    assert typed_value(from_form(sent)) == value
    json.dumps(as_typed(value), ensure_ascii=False).encode()


def test_of_thousands_the_first_are_shown_and_all_can_be_found(tmp_path: Path) -> None:
    root = write(tmp_path / "links", FILES)
    values = {f"node{number}.value": "1" for number in range(2_000)}
    with open_store(load_project(root), write=True) as store:
        put(store, values, "Many")
    with pages(root) as site:
        first = site.ask("/links/variables.json").json
        found = site.ask("/links/variables.json?words=node1999").json
        page = site.ask("/links/variables").text
    assert (len(first["variables"]), first["more"], first["count"]) == (500, True, 2_000)
    assert [row["name"] for row in found["variables"]] == ["node1999.value"]
    assert "2,000 variables" in page


def test_a_change_tells_its_value_only_where_the_list_does_not(site: Pages, root: Path) -> None:
    project = load_project(root)
    set_variable(project, "colour", "blue as it was", "First")
    set_variable(project, "colour", "green as it is", "Then")
    main = site.ask("/links/variables").text.partition("<main")[2]
    assert main.count("green as it is") == main.count("blue as it was") == 1
    for name in ("Name", "Value", "Why"):
        assert f"<label>{name} <" in main
    assert "What they were stays in their changes" in main
