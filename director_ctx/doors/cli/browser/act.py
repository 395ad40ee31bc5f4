"""`dctx browser navigate`, `act`, `open` and `close`: things done in a browser, each with its
reason.
"""

from __future__ import annotations

import sys

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.browser.act import act as carry_out
from director_ctx.browser.act import check_tabs, result_json
from director_ctx.browser.display import short, tab_json
from director_ctx.browser.requests import Action, batch, one_action
from director_ctx.browser.session import check_installed
from director_ctx.browser.state import open_tabs
from director_ctx.doors.cli.browser.tabs import tab_lines, where
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.act import ActionResult
    from director_ctx.browser.display import Open

LARGEST = 5_000_000
LONGEST, LONGEST_REASON = 200, 300
"""Characters of what is only named: a selector or an address may be a page long."""


def navigate(values: dict[str, Any]) -> int:
    action = _action(values, "navigate", url=values["url"])
    return _do(values, [one_action(action)])


def open_tab(values: dict[str, Any]) -> int:
    action = _action(values, "open", url=values["url"], name=values["name"] or "")
    return _do(values, [one_action(action)])


def close_tab(values: dict[str, Any]) -> int:
    action = _action(values, "close")
    return _do(values, [one_action(action)])


def act(values: dict[str, Any]) -> int:
    if values["batch"] is None:
        action = _single(values)
        return _do(values, [one_action(action)])

    for name in ("action", "selector", "text", "tab"):
        if values[name] is not None:
            raise UsageProblem(
                "A batch names its actions and tabs itself.",
                "Give either --batch FILE, or one action without it.",
            )
    return _do(values, batch(_read(values["batch"]), values["reason"] or ""))


def _single(values: dict[str, Any]) -> Action:
    name = values["action"]
    if name is None:
        raise UsageProblem("No action is named.", "Say click, type or wait, or give --batch FILE.")
    if name not in ("click", "type", "wait"):
        raise UsageProblem(
            f"There is no action {name!r}.",
            "The actions are click, type and wait; `dctx browser --help` lists the other commands.",
        )
    if name == "type" and values["text"] is None:
        raise UsageProblem(
            "There is no text to type.",
            "Say `dctx browser act type SELECTOR TEXT`; '' empties a field.",
        )
    return _action(values, name, selector=values["selector"] or "", text=values["text"] or "")


def _action(values: dict[str, Any], action: str, **more: str) -> Action:
    return Action(action, tab=values.get("tab") or "", reason=values["reason"] or "", **more)


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


def _do(values: dict[str, Any], actions: Sequence[Action]) -> int:
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
    return _put(values, actions, results, tabs)


def _put_plan(values: dict[str, Any], actions: Sequence[Action], tabs: Sequence[Open]) -> int:
    if values["json"]:
        would = [_action_json(action) for action in actions]
        put_json({"would": would, "tabs": [tab_json(tab) for tab in tabs]})
        return OK

    lines = []
    for action in actions:
        target = action.selector or action.url or action.tab
        lines.append((f"Would {action.action} {short(target, LONGEST)}", ""))
    put_lines(lines)
    return OK


def _action_json(action: Action) -> dict[str, str]:
    reason = short(action.reason, LONGEST_REASON)
    return {"action": action.action, "tab": action.tab, "reason": reason}


def _put(
    values: dict[str, Any],
    actions: Sequence[Action],
    results: Sequence[ActionResult],
    tabs: Sequence[Open],
) -> int:
    # The first that fails ends a batch, so it is the last that there is.
    failed = None
    for result in results:
        if result.failed:
            failed = result
    if values["json"]:
        put_json(
            {
                "done": [result_json(result) for result in results],
                "left": len(actions) - len(results),
                "tabs": [tab_json(tab) for tab in tabs],
            }
        )
    else:
        if len(actions) > 1:
            lines = []
            for number, result in enumerate(results, 1):
                lines.append((f"{number}. {_line(result)}", ""))
            put_lines(lines)
        elif failed is None and results[0].result != "ok":
            put_lines([(_line(results[0]), "")])
        put_lines(tab_lines(tabs))

    if failed is None:
        return OK
    said = failed.result
    if len(actions) > 1:
        said += f" {len(results) - 1} of {len(actions)} actions were done."
    say(said, failed.hint)
    return FAILED


def _line(result: ActionResult) -> str:
    line = f"{result.action} {result.on}".rstrip()
    if result.tab:
        line += f" in {result.tab}"
    if result.failed:
        return f"{line}: failed: {result.result}"
    return f"{line}: {result.result}"
