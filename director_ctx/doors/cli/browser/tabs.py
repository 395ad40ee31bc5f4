"""`dctx browser tabs` and `inspect`: what is open, and what is on a page."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.browser.display import shown, tab_json, tidy_name
from director_ctx.browser.state import find_browser, find_tab, open_tabs
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.display import Open
    from director_ctx.browser.page_text import Element, Light
    from director_ctx.browser.state import Browser
    from director_ctx.project.project import Project

TOKENS = 10_000
MOST_TOKENS = 200_000


def where(values: dict[str, Any]) -> tuple[Project | None, Browser]:
    """The project, if this is one, and the browser that is meant."""
    project = project_here(values["root"])
    return project, find_browser(project, values["cdp"], values["remote"])


def put_tabs(tabs: Sequence[Open], as_json: bool) -> None:
    if as_json:
        put_json({"tabs": [tab_json(tab) for tab in tabs]})
    else:
        put_lines(tab_lines(tabs))


def tab_lines(tabs: Sequence[Open]) -> list[tuple[str, str]]:
    return [(line, "") for line in shown(tabs).split("\n")]


def tabs(values: dict[str, Any]) -> int:
    name = values["name"]
    if name is not None and not tidy_name(name):
        raise UsageProblem("The name is empty.", "Give it one, such as --name 'Debug Tab'.")

    project, browser = where(values)
    if name is None and not values["tab"]:
        put_tabs(open_tabs(project, browser), values["json"])
        return OK

    tab = find_tab(open_tabs(project, browser), values["tab"] or "")
    if name is None:
        put_tabs([tab], values["json"])
        return OK
    names = {tab.tab.id: tidy_name(name)}
    put_tabs(open_tabs(project, browser, names), values["json"])
    return OK


def inspect(values: dict[str, Any]) -> int:
    from director_ctx.browser.act import Look, look_dom, look_light, look_tree
    from director_ctx.browser.session import check_installed

    kinds = [name for name in ("dom", "accessibility", "instruction") if values[name]]
    if len(kinds) > 1:
        raise UsageProblem(
            f"--{kinds[0]} and --{kinds[1]} exclude each other.", "Leave out one of them."
        )
    tokens = _tokens(values["limit"])
    check_installed()
    project, browser = where(values)
    asked = Look(values["tab"] or "", values["reason"] or "")
    if not values["dom"] and not values["accessibility"]:
        tab, light = look_light(project, browser, asked, values["instruction"] or "")
        return _put_light(tab, light, tokens, values["json"])

    look = look_dom if values["dom"] else look_tree
    tab, (lines, whole) = look(project, browser, asked, tokens)
    if values["json"]:
        text = "\n".join(lines)
        put_json({"tab": tab_json(tab), "kind": kinds[0], "whole": whole, "text": text})
    else:
        put_unstyled(lines)
    if not whole:
        say(
            f"The page is longer than {tokens} tokens; only its beginning is shown.",
            "Give a larger --limit.",
        )
    return OK


def _tokens(given: str | None) -> int:
    if given is None:
        return TOKENS
    is_number = given.isascii() and given.isdigit() and len(given) < 8
    if not is_number or not 0 < int(given) <= MOST_TOKENS:
        raise UsageProblem(f"--limit: {given!r} is not a number of tokens.", f"1 to {MOST_TOKENS}.")
    return int(given)


def _put_light(tab: Open, light: Light, tokens: int, as_json: bool) -> int:
    from director_ctx.browser.page_text import element_line, light_head, no_elements, within_tokens

    head = light_head(tab, light)
    elements = [element_line(element) for element in light.elements]
    lines, _ = within_tokens([*head, *elements], tokens)
    shown_elements = max(0, len(lines) - len(head))

    if as_json:
        put_json(_light_json(tab, light, shown_elements))
    else:
        if not lines:
            lines = [head[0]]
        put_unstyled(lines)
        if not light.matched:
            put_lines([(no_elements(light), "")])
    if shown_elements < light.matched:
        say(
            f"{light.matched - shown_elements} of {light.matched} elements are not shown.",
            "Give --instruction, or a larger --limit.",
        )
    return OK


def _light_json(tab: Open, light: Light, most: int) -> dict[str, Any]:
    from director_ctx.browser.display import short

    return {
        "tab": tab_json(tab),
        "title": short(light.title, 200),
        "url": short(light.url, 200),
        "headings": [{"level": level, "text": text} for level, text in light.headings],
        "elements": [_element_json(element) for element in light.elements[:most]],
        "matched": light.matched,
        "total": light.total,
    }


def _element_json(element: Element) -> dict[str, Any]:
    return {
        "kind": element.kind,
        "type": element.type,
        "label": element.label,
        "state": list(element.state),
        "value": element.value,
        "url": element.url,
        "selector": element.selector,
    }
