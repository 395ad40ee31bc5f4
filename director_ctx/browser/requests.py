"""What is asked of a browser, from words or a JSON file to actions: every mistake is told before
anything is done.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.browser.actions import ACTIONS, LONGEST_WAIT, Action, seconds_of

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


def one_action(action: Action) -> Action:
    """A single action, or a UsageProblem that says what is missing."""
    if not action.reason.strip():
        raise UsageProblem("Say why: --reason TEXT.", "It is kept with the conversation.")
    if wrong := mistakes(action):
        name, _, sentence = wrong[0].partition(" ")
        raise UsageProblem(
            f"{name.upper()} {sentence}.", f"See `dctx browser {_command(action)} --help`."
        )
    return action.replace(url=address(action.url)) if action.url else action


def _command(action: Action) -> str:
    return action.action if action.action in ("navigate", "open", "close") else "act"


def batch(text: str, reason: str) -> list[Action]:
    """The actions of a JSON list. `reason` is for those that have none of their own."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DctxError(f"The batch is not JSON: {error}.", "It is a list of actions.") from error
    if not isinstance(found, list) or not found or len(found) > MOST_ACTIONS:
        raise DctxError(
            f"The batch is not a list of 1 to {MOST_ACTIONS} actions.",
            'Such as [{"action": "click", "selector": "#next", "reason": "Does it work?"}].',
        )
    wrong: list[str] = []
    actions = [_action(one, f"[{place}]", reason, wrong) for place, one in enumerate(found)]
    if wrong:
        raise DctxError(
            "The batch cannot be done, and nothing was done", "Mend these first.", tuple(wrong)
        )
    return actions


def _action(value: object, path: str, reason: str, wrong: list[str]) -> Action:
    if not isinstance(value, dict):
        wrong.append(f"{path} is not an object")
        return Action("")
    wrong += [
        f"{path}.{plain(str(key))[:40]} is not known ({', '.join(_KNOWN)})"
        for key in value
        if key not in _KNOWN
    ]
    given = {}
    for key in _KNOWN:
        one = value.get(key, "")
        if key in ("tab", "selector") and type(one) in (int, float):
            one = str(one)
        if isinstance(one, str):
            given[key] = one
        else:
            wrong.append(f"{path}.{key} is not a text")
    action = Action(
        **{"action": "", "reason": reason, **{key: one for key, one in given.items() if one}}
    )
    if action.action == "type" and "text" not in value:
        wrong.append(f"{path}.text is missing")
    if "action" in given:
        wrong += [f"{path}.{one}" for one in mistakes(action)]
    if not action.reason.strip():
        wrong.append(f"{path}.reason is missing, and there is no --reason")
    return action.replace(url=address(action.url)) if action.url else action


def mistakes(action: Action) -> list[str]:
    """What is wrong with one action, each beginning with the field's name."""
    if action.action not in ACTIONS:
        return [f"action is {plain(action.action)[:40]!r}, not one of {', '.join(ACTIONS)}"]
    needs = _NEEDS[action.action]
    found = [f"{name} is missing" for name in needs if not getattr(action, name) and name != "text"]
    takes = (*needs, *_MAY.get(action.action, ("tab",)))
    found += [
        f"{name} is not for {action.action}"
        for name in _FIELDS
        if getattr(action, name) and name not in takes
    ]
    found += [
        f"{name} is too long"
        for name in ("selector", "text", "url")
        if len(getattr(action, name)) > LONGEST
    ]
    if action.url and not address(action.url):
        found.append("url is not an http:// or https:// address, or about:blank")
    seconds = seconds_of(action.selector) if action.action == "wait" else None
    if seconds is not None and seconds > LONGEST_WAIT:
        found.append(f"selector is {seconds:g} seconds, and a wait is at most {LONGEST_WAIT:g}")
    return found


def address(text: str) -> str:
    """A page's address, with http in front where it is left out; empty for what is no page, such as
    a file.
    """
    text = text.strip()
    if text.casefold() == "about:blank":
        return "about:blank"
    whole = text if text.casefold().startswith(("http://", "https://")) else f"http://{text}"
    return whole if text.isprintable() and _has_host(whole, sure=whole == text) else ""


def _has_host(url: str, sure: bool) -> bool:
    """Whether a machine is named. Without `http` in front (not `sure`), `javascript:1` is no
    machine with a port.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    place = parts.netloc
    known = bool(port) and "@" not in place and ("." in host or ":" in host or host == "localhost")
    return bool(host) and port != 0 and " " not in place and (sure or known or ":" not in place)
