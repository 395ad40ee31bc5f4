"""`dctx browser inspect`: what is on a page."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.browser.act import Look, look_dom, look_light, look_tree
from director_ctx.browser.display import tab_json
from director_ctx.browser.page_text import (
    element_line,
    light_head,
    light_json,
    no_elements,
    within_tokens,
)
from director_ctx.browser.session import check_installed
from director_ctx.doors.cli.browser.tabs import where
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.browser.display import Open
    from director_ctx.browser.page_text import Light

TOKENS = 10_000
MOST_TOKENS = 200_000


def run(values: dict[str, Any]) -> int:
    kinds = [name for name in ("dom", "accessibility", "instruction") if values[name]]
    if len(kinds) > 1:
        raise UsageProblem(
            f"--{kinds[0]} and --{kinds[1]} exclude each other.", "Give one or the other."
        )
    tokens = _tokens(values["limit"])
    # Before a browser is asked for anything: without Playwright nobody can look into a page.
    check_installed()
    project, browser = where(values)
    request = Look(values["tab"] or "", values["reason"] or "")
    if not values["dom"] and not values["accessibility"]:
        tab, light = look_light(project, browser, request, values["instruction"] or "")
        return _put_light(tab, light, tokens, values["json"])

    look = look_tree
    if values["dom"]:
        look = look_dom
    tab, (lines, whole) = look(project, browser, request, tokens)
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


def _tokens(limit: str | None) -> int:
    if limit is None:
        return TOKENS
    is_number = limit.isascii() and limit.isdigit() and len(limit) < 8
    if not is_number or not 0 < int(limit) <= MOST_TOKENS:
        raise UsageProblem(
            f"--limit: {limit!r} is not a number of tokens.",
            f"Say a number from 1 to {MOST_TOKENS}.",
        )
    return int(limit)


def _put_light(tab: Open, light: Light, tokens: int, as_json: bool) -> int:
    head = light_head(tab, light)
    elements = [element_line(element) for element in light.elements]
    lines, _ = within_tokens([*head, *elements], tokens)
    shown_elements = max(0, len(lines) - len(head))

    if as_json:
        put_json(light_json(tab, light, shown_elements))
    else:
        if not lines:
            # However small the limit, it is said which page this is.
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
