"""Things done in a browser, in order, until one fails: each is written into the conversation, and nowhere else."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.secrets import redact
from director_ctx.base.text import plain
from director_ctx.browser.display import short, tidy_name
from director_ctx.browser.errors import ENDED, Unreached
from director_ctx.browser.state import find_tab, open_tabs
from director_ctx.browser.tabs import NoBrowser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.actions import Action, Done
    from director_ctx.browser.display import Open
    from director_ctx.browser.session import Pages
    from director_ctx.browser.state import Browser
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

TOOLS = {"navigate": "debug_navigate", "open": "debug_open_tab", "close": "debug_close_tab", "inspect": "inspect_tab"}
"""The seed's names; whatever else is done is a `debug_action`."""
LONGEST = 300


class Result(Record):
    """One action, and what came of it. Its words are fit to be shown."""

    action: str
    on: str
    tab: str
    reason: str
    result: str
    hint: str = ""
    failed: bool = False
    seen: tuple[str, ...] = ()
    """What a look showed, line by line; only for the conversation."""


def act(project: Project | None, browser: Browser, actions: Sequence[Action]) -> tuple[list[Result], list[Open]]:
    """Does them, and then looks at the tabs. What was not reached has no result."""
    from director_ctx.browser.session import in_browser
    from director_ctx.memory.store.open import open_store

    with open_store(project, write=True) as store:
        tabs = open_tabs(project, browser, store=store)
        check_tabs(tabs, actions)
        results: list[Result] = []

        async def work(pages: Pages) -> None:
            for action in actions:
                results.append(await _one(project, store, browser, pages, action))
                if results[-1].failed:
                    break

        in_browser(browser.socket, work)
        return results, _tabs_after(project, store, browser)


def _tabs_after(project: Project | None, store: Store, browser: Browser) -> list[Open]:
    """None where the browser did not live to tell."""
    try:
        return open_tabs(project, browser, store=store)
    except DctxError:
        return []


def check_tabs(tabs: Sequence[Open], actions: Sequence[Action]) -> None:
    """Before anything is done: every tab that is named is open, or will be. What a page does to tabs nobody knows."""
    coming = [action.name for action in actions if action.action == "open" and action.name]
    wrong = []
    for place, action in enumerate(actions):
        if action.tab and action.tab.casefold() not in [name.casefold() for name in coming]:
            try:
                find_tab(tabs, action.tab)
            except DctxError as error:
                if len(actions) == 1:
                    raise
                wrong.append(f"[{place}].tab: {error.message.rstrip('.')}")
        if action.action in ("click", "navigate"):
            break
    if wrong:
        raise DctxError("The batch cannot be done, and nothing was done", "See `dctx browser tabs`.", tuple(wrong))


async def _one(project: Project | None, store: Store, browser: Browser, pages: Pages, action: Action) -> Result:
    """One action in the tab that has the name now. What never got to the browser is not kept: nothing was done."""
    from director_ctx.browser.actions import perform

    tab = target = ""
    try:
        if action.action != "open":
            found = find_tab(open_tabs(project, browser, store=store), action.tab)
            tab, target = found.name, found.tab.id
    except DctxError as error:
        return _failed(action, tab, error)
    try:
        done = await perform(pages, browser.endpoint, target, action)
        if action.action == "open":
            tab = _named(project, store, browser, done, action)
        result = _result(action, tab, done.said, done.secret)
    except Unreached as error:
        return _failed(action, tab, error)
    except DctxError as error:
        result = _failed(action, tab, error)
    log(store, result)
    return result


def _failed(action: Action, tab: str, error: DctxError) -> Result:
    said, hint = ENDED if isinstance(error, NoBrowser) else (error.message, error.hint)
    secret = getattr(error, "secret", action.action == "type")
    return _result(action, tab, said, secret).replace(failed=True, hint=hint)


def _named(project: Project | None, store: Store, browser: Browser, done: Done, action: Action) -> str:
    wanted = {done.target: tidy_name(action.name)} if tidy_name(action.name) else None
    tabs = open_tabs(project, browser, wanted, store)
    return next((one.name for one in tabs if one.tab.id == done.target), "")


def _result(action: Action, tab: str, said: str, secret: bool) -> Result:
    """What was typed is not repeated where it is secret, wherever it may have got to."""

    def safe(text: str) -> str:
        bare = text.replace(action.text, "[hidden]") if secret and action.text else text
        return short(bare, LONGEST)

    on = " ".join(part for part in (action.selector, action.url) if part)
    typed = f" {'[hidden]' if secret else repr(short(action.text, 100))}" if action.action == "type" else ""
    return Result(action.action, f"{safe(on)}{typed}", tab, safe(action.reason), safe(said))


def log(store: Store, result: Result) -> None:
    """One line of the conversation, and beside it what was seen."""
    from director_ctx.base.record import as_dict
    from director_ctx.memory.conversations.messages import BROWSER, ENDED, add
    from director_ctx.memory.store.open import conversation_of

    tool = TOOLS.get(result.action, f"debug_action {result.action}")
    where = f" in {result.tab}" if result.tab else ""
    end = f"failed: {result.result}" if result.failed else result.result
    call = f"{tool} {result.on}".rstrip() + f"{where}: {result.reason or 'no reason given'}"
    about = {"kind": BROWSER, **as_dict(result)}
    if not result.seen:
        del about["seen"]
    add(conversation_of(store), [("tool", redact(plain(f"{call}{ENDED}{end}")), about)])


def result_json(result: Result) -> dict[str, Any]:
    from director_ctx.base.record import as_dict

    kept_apart = ("failed", "hint", "seen")
    found = {key: value for key, value in as_dict(result).items() if key not in kept_apart}
    return {**found, "ok": not result.failed}
