"""`dctx browser navigate`, `act`, `open` and `close`: things done in a browser, each with its
reason.
"""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.browser.actions import Action
from director_ctx.browser.display import short, tab_json
from director_ctx.browser.requests import batch, one_action
from director_ctx.browser.state import open_tabs
from director_ctx.doors.cli.browser.tabs import tab_lines, where
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.act import Result
    from director_ctx.browser.display import Open

LARGEST = 5_000_000


def navigate(values: dict[str, Any]) -> int:
    return _do(values, [one_action(_action(values, "navigate", url=values["url"]))])


def open_tab(values: dict[str, Any]) -> int:
    return _do(
        values, [one_action(_action(values, "open", url=values["url"], name=values["name"] or ""))]
    )


def close_tab(values: dict[str, Any]) -> int:
    return _do(values, [one_action(_action(values, "close"))])


def act(values: dict[str, Any]) -> int:
    single = ("action", "selector", "text", "tab")
    if values["batch"] is None:
        if values["action"] is None:
            raise UsageProblem("What is to be done: click, type or wait?", "Or give --batch FILE.")
        if values["action"] not in ("click", "type", "wait"):
            raise UsageProblem(
                f"{values['action']!r} is none of click, type, wait.",
                "See `dctx browser --help` for the other things.",
            )
        if values["action"] == "type" and values["text"] is None:
            raise UsageProblem(
                "What is to be typed?", "dctx browser act type SELECTOR TEXT; '' empties a field."
            )
        given = {"selector": values["selector"] or "", "text": values["text"] or ""}
        return _do(values, [one_action(_action(values, values["action"], **given))])
    if any(values[name] is not None for name in single):
        raise UsageProblem(
            "A batch says itself what is to be done, and where.",
            "Leave out what is beside --batch.",
        )
    return _do(values, batch(_read(values["batch"]), values["reason"] or ""))


def _action(values: dict[str, Any], action: str, **more: str) -> Action:
    return Action(action, tab=values.get("tab") or "", reason=values["reason"] or "", **more)


def _read(path: str) -> str:
    import sys

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
    from director_ctx.browser.act import act as carry_out
    from director_ctx.browser.act import check_tabs
    from director_ctx.browser.session import check_installed

    if any(one.action != "close" for one in actions) and not values.get("dry_run"):
        check_installed()
    project, browser = where(values)
    if values.get("dry_run"):
        tabs = open_tabs(project, browser)
        check_tabs(tabs, actions)
        return _put_plan(values, actions, tabs)
    results, tabs = carry_out(project, browser, actions)
    return _put(values, actions, results, tabs)


def _put_plan(values: dict[str, Any], actions: Sequence[Action], tabs: Sequence[Open]) -> int:
    if values["json"]:
        would = [
            {"action": one.action, "tab": one.tab, "reason": short(one.reason, 300)}
            for one in actions
        ]
        put_json({"would": would, "tabs": [tab_json(one) for one in tabs]})
    else:
        put_lines(
            [
                (f"Would {one.action} {short(one.selector or one.url or one.tab, 200)}", "")
                for one in actions
            ]
        )
    return OK


def _put(
    values: dict[str, Any],
    actions: Sequence[Action],
    results: Sequence[Result],
    tabs: Sequence[Open],
) -> int:
    from director_ctx.browser.act import result_json

    failed = next((one for one in results if one.failed), None)
    if values["json"]:
        put_json({"done": [result_json(one) for one in results], "left": len(actions) - len(results),
                  "tabs": [tab_json(one) for one in tabs]})  # fmt: skip
    else:
        if len(actions) > 1:
            put_lines([(f"{place}. {_line(one)}", "") for place, one in enumerate(results, 1)])
        elif failed is None and results[0].result != "ok":
            put_lines([(_line(results[0]), "")])
        put_lines(tab_lines(tabs))
    if failed is None:
        return OK
    left = f" {len(results) - 1} of {len(actions)} actions were done." if len(actions) > 1 else ""
    say(f"{failed.result}{left}", failed.hint)
    return FAILED


def _line(one: Result) -> str:
    where = f" in {one.tab}" if one.tab else ""
    end = f"failed: {one.result}" if one.failed else one.result
    return f"{one.action} {one.on}".rstrip() + f"{where}: {end}"
