"""`dctx browser open`, `inspect` and `act`: looks at a page, and things done in it, each with its
reason.
"""

from __future__ import annotations

import sys

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.browser.act import (
    ActionResult,
    Look,
    check_tabs,
    look_light,
    look_text,
    result_json,
)
from director_ctx.browser.act import act as carry_out
from director_ctx.browser.display import Open, short, tab_json
from director_ctx.browser.page_text import (
    Light,
    element_line,
    light_head,
    light_json,
    no_elements,
    within_tokens,
)
from director_ctx.browser.requests import Action, batch, one_action
from director_ctx.browser.session import check_installed
from director_ctx.browser.state import open_tabs
from director_ctx.doors.cli.browser.browser import number, tab_lines, where
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_unstyled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Values = dict[str, Any]

TOKENS = 10_000
MOST_TOKENS = 200_000
LARGEST = 5_000_000
LONGEST, LONGEST_REASON = 200, 300
"""Characters of what is only named: a selector or an address may be a page long."""


def open_page(values: Values) -> int:
    action = Action(
        "navigate" if values["tab"] else "open",
        tab=values["tab"] or "",
        url=values["url"],
        name=values["name"] or "",
        reason=values["reason"] or "",
    )
    return _do(values, [one_action(action)])


def act(values: Values) -> int:
    if values["batch"] is None:
        return _do(values, [one_action(_single(values))])

    for name in ("action", "selector", "text", "tab"):
        if values[name] is not None:
            raise UsageProblem(
                "A batch names its actions and tabs itself.",
                "Give either --batch FILE, or one action without it.",
            )
    return _do(values, batch(_read(values["batch"]), values["reason"] or ""))


def _single(values: Values) -> Action:
    name = values["action"]
    if name is None:
        raise UsageProblem(
            "No action is named.", "Say click, type, wait or close, or give --batch FILE."
        )
    if name not in ("click", "type", "wait", "close"):
        raise UsageProblem(
            f"There is no action {name!r}.",
            "The actions are click, type, wait and close; `dctx browser open URL` opens a page.",
        )
    if name == "type" and values["text"] is None:
        raise UsageProblem(
            "There is no text to type.",
            "Say `dctx browser act type SELECTOR TEXT`; '' empties a field.",
        )
    selector, tab = values["selector"] or "", values["tab"] or ""
    if name == "close" and not tab:
        selector, tab = "", selector
    return Action(
        name, tab=tab, selector=selector, text=values["text"] or "", reason=values["reason"] or ""
    )


def _read(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LARGEST)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST)
    except OSError as error:
        raise DctxError(
            f"Could not read {path}: {error.strerror or error}.", "Name a JSON file, or -."
        ) from error
    return data.decode("utf-8-sig", "replace")


def _do(values: Values, actions: Sequence[Action]) -> int:
    only_shown = values.get("dry_run")
    # Closing a tab takes no more than the browser itself: one that hangs must be closable.
    only_closes = all(action.action == "close" for action in actions)
    if not only_closes and not only_shown:
        check_installed()

    project, browser = where(values)
    if only_shown:
        tabs = open_tabs(project, browser)
        check_tabs(tabs, actions)
        return _put_plan(values, actions, tabs)
    results, tabs = carry_out(project, browser, actions)
    return _put_results(values, len(actions), results, tabs)


def _put_plan(values: Values, actions: Sequence[Action], tabs: Sequence[Open]) -> int:
    if values["json"]:
        would = [
            {
                "action": action.action,
                "tab": action.tab,
                "reason": short(action.reason, LONGEST_REASON),
            }
            for action in actions
        ]
        put_json({"would": would, "tabs": [tab_json(tab) for tab in tabs]})
    else:
        for action in actions:
            target = action.selector or action.url or action.tab
            put_lines([(f"Would {action.action} {short(target, LONGEST)}", "")])
    return OK


def _put_results(
    values: Values, count: int, results: Sequence[ActionResult], tabs: Sequence[Open]
) -> int:
    # The first that fails ends a batch.
    last = results[-1]
    if values["json"]:
        put_json(
            {
                "done": [result_json(result) for result in results],
                "left": count - len(results),
                "tabs": [tab_json(tab) for tab in tabs],
            }
        )
    else:
        if count > 1:
            put_lines([(f"{place}. {_line(done)}", "") for place, done in enumerate(results, 1)])
        elif not last.failed and last.result != "ok":
            put_lines([(_line(last), "")])
        put_lines(tab_lines(tabs))

    if not last.failed:
        return OK
    said = last.result
    if count > 1:
        said += f" {len(results) - 1} of {count} actions were done."
    say(said, last.hint)
    return FAILED


def _line(result: ActionResult) -> str:
    line = f"{result.action} {result.on}".rstrip()
    if result.tab:
        line += f" in {result.tab}"
    return f"{line}: {'failed: ' if result.failed else ''}{result.result}"


def inspect(values: Values) -> int:
    kinds = [name for name in ("dom", "accessibility", "instruction") if values[name]]
    if len(kinds) > 1:
        raise UsageProblem(
            f"--{kinds[0]} and --{kinds[1]} exclude each other.", "Give one or the other."
        )
    hint = f"Say a number from 1 to {MOST_TOKENS}."
    limit = values["limit"] or ""
    tokens = TOKENS
    if values["limit"] is not None:
        tokens = number(limit, "--limit", "a number of tokens", MOST_TOKENS, hint)
        if not tokens:
            raise UsageProblem(f"--limit: {limit!r} is not a number of tokens.", hint)
    # Before a browser is asked for anything: without Playwright nobody can look into a page.
    check_installed()
    project, browser = where(values)
    look = Look(values["tab"] or "", values["reason"] or "")
    if not values["dom"] and not values["accessibility"]:
        tab, light = look_light(project, browser, look, values["instruction"] or "")
        return _put_light(tab, light, tokens, values["json"])

    look = look.replace(how=kinds[0])
    tab, (lines, whole) = look_text(project, browser, look, tokens)
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


def _put_light(tab: Open, light: Light, tokens: int, as_json: bool) -> int:
    head = light_head(tab, light)
    lines, _ = within_tokens([*head, *map(element_line, light.elements)], tokens)
    shown_elements = max(0, len(lines) - len(head))

    if as_json:
        put_json(light_json(tab, light, shown_elements))
    else:
        # However small the limit, it is said which page this is.
        put_unstyled(lines or head[:1])
        if not light.matched:
            put_lines([(no_elements(light), "")])
    if shown_elements < light.matched:
        say(
            f"{light.matched - shown_elements} of {light.matched} elements are not shown.",
            "Give --instruction, or a larger --limit.",
        )
    return OK
