"""What is asked of a browser, from words or a JSON file to actions: every mistake is told before
anything is done.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain

LONGEST_WAIT = 60.0
MOST_ACTIONS = 100
LONGEST = 100_000
_TAKES = {
    "click": (("selector",), "tab"),
    "type": (("selector", "text"), "tab"),
    "wait": (("selector",), "tab"),
    "navigate": (("url",), "tab"),
    "open": (("url",), "name"),
    "close": (("tab",), ""),
}
"""What an action needs, and what else it takes."""


class Action(Record):
    """One thing to do, as it was asked for."""

    action: str
    tab: str = ""
    selector: str = ""
    text: str = ""
    url: str = ""
    name: str = ""
    reason: str = ""


def one_action(action: Action) -> Action:
    """A single action, or a UsageProblem that says what is missing."""
    if not action.reason.strip():
        raise UsageProblem(
            "No reason is given.",
            "Say why with --reason TEXT; the reason is kept with the conversation.",
        )
    for mistake in mistakes(action):
        name, _, sentence = mistake.partition(" ")
        command = "open" if action.action in ("navigate", "open") else "act"
        raise UsageProblem(f"{name.upper()} {sentence}.", f"See `dctx browser {command} --help`.")
    return action.replace(url=action.url and address(action.url))


def batch(text: str, reason: str) -> list[Action]:
    """The actions of a JSON list. `reason` is for those that have none of their own."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DctxError(
            f"The batch is not JSON: {error}.", "A batch is a JSON list of actions."
        ) from error
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_ACTIONS:
        raise DctxError(
            f"The batch is not a list of 1 to {MOST_ACTIONS} actions.",
            'Write a list such as [{"action": "click", "selector": "#next", "reason": "Does it work?"}].',
        )
    wrong: list[str] = []
    actions = [_action(value, f"[{index}]", reason, wrong) for index, value in enumerate(values)]
    if wrong:
        raise DctxError(
            "The batch cannot be done, and nothing was done",
            "Mend these first.",
            tuple(wrong),
        )
    return actions


def _action(value: object, path: str, reason: str, wrong: list[str]) -> Action:
    if not isinstance(value, dict):
        wrong.append(f"{path} is not an object")
        return Action("")
    known = as_dict(Action("", reason=reason))
    for key in value.keys() - known:
        name = plain(str(key))[:40]
        wrong.append(f"{path}.{name} is not known ({', '.join(known)})")

    for key in known:
        field = value.get(key, "")
        # The number of a tab, or of the seconds of a wait. True is no number here.
        if key in ("tab", "selector") and type(field) in (int, float):
            field = str(field)
        if not isinstance(field, str):
            wrong.append(f"{path}.{key} is not a text")
        elif field:
            known[key] = field
    action = Action(**known)

    if action.action == "type" and "text" not in value:
        wrong.append(f"{path}.text is missing")
    if isinstance(value.get("action", ""), str):
        wrong += [f"{path}.{mistake}" for mistake in mistakes(action)]
    if not action.reason.strip():
        wrong.append(f"{path}.reason is missing, and there is no --reason")
    return action.replace(url=action.url and address(action.url))


def mistakes(action: Action) -> list[str]:
    """What is wrong with one action, each beginning with the field's name."""
    if action.action not in _TAKES:
        return [f"action is {plain(action.action)[:40]!r}, not one of {', '.join(_TAKES)}"]

    needs, takes = _TAKES[action.action]
    fields = as_dict(action)
    # To type nothing is to empty a field.
    wrong = [f"{name} is missing" for name in needs if name != "text" and not fields[name]]
    for name in ("tab", "selector", "text", "url", "name"):
        if name not in (*needs, takes) and fields[name]:
            wrong.append(f"{name} is not for {action.action}")
    for name in ("selector", "text", "url"):
        if len(fields[name]) > LONGEST:
            wrong.append(f"{name} is too long")

    if action.url and not address(action.url):
        wrong.append("url is not an http:// or https:// address, or about:blank")
    seconds = seconds_of(action.selector) if action.action == "wait" else None
    if seconds is not None and seconds > LONGEST_WAIT:
        wrong.append(f"selector is {seconds:g} seconds, and a wait is at most {LONGEST_WAIT:g}")
    return wrong


def seconds_of(text: str) -> float | None:
    """A number of seconds, or None where it is a selector."""
    whole, _, part = text.partition(".")
    is_number = text.isascii() and len(text) <= 9 and (whole + part).isdigit()
    return float(text) if is_number and whole and not text.endswith(".") else None


def address(text: str) -> str:
    """A page's address, with http in front where it is left out; empty for what is no page, such as
    a file.
    """
    text = text.strip()
    if text.casefold() == "about:blank":
        return "about:blank"
    has_scheme = text.casefold().startswith(("http://", "https://"))
    url = text if has_scheme else f"http://{text}"
    return url if text.isprintable() and _has_host(url, sure=has_scheme) else ""


def _has_host(url: str, sure: bool) -> bool:
    """Whether a machine is named. Without `http` in front (not `sure`), `javascript:1` is no
    machine with a port.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    authority = parts.netloc
    if not host or port == 0 or " " in authority:
        return False
    if sure or ":" not in authority:
        return True
    looks_like_a_machine = "." in host or ":" in host or host == "localhost"
    return bool(port) and "@" not in authority and looks_like_a_machine
