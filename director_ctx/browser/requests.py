"""What is asked of a browser, from words or a JSON file to actions: every mistake is told before
anything is done.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain

ACTIONS = ("click", "type", "wait", "navigate", "open", "close")
LONGEST_WAIT = 60.0
MOST_ACTIONS = 100
LONGEST = 100_000
_NEEDS: dict[str, tuple[str, ...]] = {
    "click": ("selector",),
    "type": ("selector", "text"),
    "wait": ("selector",),
    "navigate": ("url",),
    "open": ("url",),
    "close": ("tab",),
}
_MAY: dict[str, tuple[str, ...]] = {"open": ("name",), "close": ()}
"""What else an action takes; the others take a tab."""
_KNOWN = ("action", "tab", "selector", "text", "url", "name", "reason")

_FIELDS = ("tab", "selector", "text", "url", "name")


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
    wrong = mistakes(action)
    if wrong:
        name, _, sentence = wrong[0].partition(" ")
        raise UsageProblem(
            f"{name.upper()} {sentence}.", f"See `dctx browser {_command(action)} --help`."
        )
    return _with_address(action)


def _with_address(action: Action) -> Action:
    if not action.url:
        return action
    return action.replace(url=address(action.url))


def _command(action: Action) -> str:
    if action.action in ("navigate", "open", "close"):
        return action.action
    return "act"


def batch(text: str, reason: str) -> list[Action]:
    """The actions of a JSON list. `reason` is for those that have none of their own."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DctxError(
            f"The batch is not JSON: {error}.", "A batch is a JSON list of actions."
        ) from error
    is_batch = isinstance(values, list) and 1 <= len(values) <= MOST_ACTIONS
    if not is_batch:
        raise DctxError(
            f"The batch is not a list of 1 to {MOST_ACTIONS} actions.",
            'Write a list such as [{"action": "click", "selector": "#next", "reason": "Does it work?"}].',
        )
    wrong: list[str] = []
    actions: list[Action] = []
    for index, value in enumerate(values):
        actions.append(_action(value, f"[{index}]", reason, wrong))
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
    for key in value:
        if key not in _KNOWN:
            name = plain(str(key))[:40]
            wrong.append(f"{path}.{name} is not known ({', '.join(_KNOWN)})")

    fields = {"action": "", "reason": reason}
    for key in _KNOWN:
        field = value.get(key, "")
        # The number of a tab, or of the seconds of a wait. True is no number here.
        if key in ("tab", "selector") and type(field) in (int, float):
            field = str(field)
        if not isinstance(field, str):
            wrong.append(f"{path}.{key} is not a text")
        elif field:
            fields[key] = field
    action = Action(**fields)

    if action.action == "type" and "text" not in value:
        wrong.append(f"{path}.text is missing")
    if isinstance(value.get("action", ""), str):
        for mistake in mistakes(action):
            wrong.append(f"{path}.{mistake}")
    if not action.reason.strip():
        wrong.append(f"{path}.reason is missing, and there is no --reason")
    return _with_address(action)


def mistakes(action: Action) -> list[str]:
    """What is wrong with one action, each beginning with the field's name."""
    if action.action not in ACTIONS:
        return [f"action is {plain(action.action)[:40]!r}, not one of {', '.join(ACTIONS)}"]

    wrong: list[str] = []
    fields = as_dict(action)
    needs = _NEEDS[action.action]
    for name in needs:
        # To type nothing is to empty a field.
        if name != "text" and not fields[name]:
            wrong.append(f"{name} is missing")
    takes = (*needs, *_MAY.get(action.action, ("tab",)))
    for name in _FIELDS:
        if name not in takes and fields[name]:
            wrong.append(f"{name} is not for {action.action}")
    for name in ("selector", "text", "url"):
        if len(fields[name]) > LONGEST:
            wrong.append(f"{name} is too long")

    if action.url and not address(action.url):
        wrong.append("url is not an http:// or https:// address, or about:blank")
    if action.action == "wait":
        seconds = seconds_of(action.selector)
        if seconds is not None and seconds > LONGEST_WAIT:
            wrong.append(f"selector is {seconds:g} seconds, and a wait is at most {LONGEST_WAIT:g}")
    return wrong


def seconds_of(text: str) -> float | None:
    """A number of seconds, or None where it is a selector."""
    if not text.isascii() or len(text) > 9 or text.endswith("."):
        return None
    whole, _, part = text.partition(".")
    if not whole.isdigit() or (part and not part.isdigit()):
        return None
    return float(text)


def address(text: str) -> str:
    """A page's address, with http in front where it is left out; empty for what is no page, such as
    a file.
    """
    text = text.strip()
    if text.casefold() == "about:blank":
        return "about:blank"
    has_scheme = text.casefold().startswith(("http://", "https://"))
    url = text
    if not has_scheme:
        url = f"http://{text}"
    if not text.isprintable() or not _has_host(url, sure=has_scheme):
        return ""
    return url


def _has_host(url: str, sure: bool) -> bool:
    """Whether a machine is named. Without `http` in front (not `sure`), `javascript:1` is no
    machine with a port.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return False
    authority = parts.netloc
    if not host or port == 0 or " " in authority:
        return False
    if sure or ":" not in authority:
        return True
    looks_like_a_machine = "." in host or ":" in host or host == "localhost"
    return bool(port) and "@" not in authority and looks_like_a_machine
