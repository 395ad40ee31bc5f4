"""Things done in a browser, and looks at a page: each is written into the conversation, and nothing
else is.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.base.secrets import redact
from director_ctx.base.text import plain
from director_ctx.browser import look_at
from director_ctx.browser.actions import perform
from director_ctx.browser.display import short, tidy_name
from director_ctx.browser.errors import ENDED, PageTrouble, Unreached
from director_ctx.browser.page_text import dom_lines, light_lines, tree_lines, within_tokens
from director_ctx.browser.session import in_browser
from director_ctx.browser.state import find_tab, open_tabs
from director_ctx.browser.tabs import NoBrowser
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import conversation_of, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any, TypeVar

    from director_ctx.browser.actions import DoneAction
    from director_ctx.browser.display import Open
    from director_ctx.browser.page_text import Light
    from director_ctx.browser.requests import Action
    from director_ctx.browser.session import Pages
    from director_ctx.browser.state import Browser
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

    T = TypeVar("T")
    Text = tuple[list[str], bool]
    """Lines, and whether these are all."""


TOOLS = {
    "navigate": "debug_navigate",
    "open": "debug_open_tab",
    "close": "debug_close_tab",
    "inspect": "inspect_tab",
}
"""The seed's names; whatever else is done is a `debug_action`."""
LONGEST = 300
MOST_SHOWN = 200
KEPT_TOKENS = 500
"""Of what was seen so much is kept in the conversation, four characters each."""
MORE = "[... the page goes on; `dctx browser inspect` shows all of it ...]"


class ActionResult(Record):
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


def act(
    project: Project | None, browser: Browser, actions: Sequence[Action]
) -> tuple[list[ActionResult], list[Open]]:
    """Does them, and then looks at the tabs. What was not reached has no result."""
    with open_store(project, write=True) as store:
        tabs = open_tabs(project, browser, store=store)
        check_tabs(tabs, actions)
        results: list[ActionResult] = []

        async def work(pages: Pages) -> None:
            for action in actions:
                result = await _carry_out(project, store, browser, pages, action)
                results.append(result)
                if result.failed:
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
    """Before anything is done: every tab that is named is open, or will be. What a page does to
    tabs nobody knows.
    """
    coming: set[str] = set()
    for action in actions:
        if action.action == "open" and action.name:
            coming.add(action.name.casefold())

    wrong: list[str] = []
    for index, action in enumerate(actions):
        if action.tab and action.tab.casefold() not in coming:
            try:
                find_tab(tabs, action.tab)
            except DctxError as error:
                if len(actions) == 1:
                    raise
                sentence = error.message.rstrip(".")
                wrong.append(f"[{index}].tab: {sentence}")
        # These may open and close tabs, so what comes behind them is found out then.
        if action.action in ("click", "navigate"):
            break
    if wrong:
        raise DctxError(
            "The batch cannot be done, and nothing was done",
            "`dctx browser tabs` lists the open tabs.",
            tuple(wrong),
        )


async def _carry_out(
    project: Project | None,
    store: Store,
    browser: Browser,
    pages: Pages,
    action: Action,
) -> ActionResult:
    """One action in the tab that has the name now. What never got to the browser is not kept:
    nothing was done.
    """
    name = target = ""
    if action.action != "open":
        try:
            tabs = open_tabs(project, browser, store=store)
            open_tab = find_tab(tabs, action.tab)
        except DctxError as error:
            return _failed(action, name, error)
        name = open_tab.name
        target = open_tab.tab.id

    try:
        done = await perform(pages, browser.endpoint, target, action)
        if action.action == "open":
            name = _name_of_opened(project, store, browser, done, action)
        result = _result(action, name, done.said, done.secret)
    except Unreached as error:
        return _failed(action, name, error)
    except DctxError as error:
        result = _failed(action, name, error)
    log(store, result)
    return result


def _failed(action: Action, tab: str, error: DctxError) -> ActionResult:
    said = error.message
    hint = error.hint
    if isinstance(error, NoBrowser):
        said, hint = ENDED

    # What is typed is secret until the field says otherwise.
    secret = action.action == "type"
    if isinstance(error, PageTrouble) and error.secret is not None:
        secret = error.secret
    result = _result(action, tab, said, secret)
    return result.replace(failed=True, hint=hint)


def _name_of_opened(
    project: Project | None,
    store: Store,
    browser: Browser,
    done: DoneAction,
    action: Action,
) -> str:
    """The name that the tab has that was opened: the one that was asked for, if it was free."""
    name = tidy_name(action.name)
    renamed: dict[str, str] = {}
    if name:
        renamed[done.target] = name
    for open_tab in open_tabs(project, browser, renamed, store):
        if open_tab.tab.id == done.target:
            return open_tab.name
    return ""


def _result(action: Action, tab: str, said: str, secret: bool) -> ActionResult:
    """What was typed is not repeated where it is secret, wherever it may have got to."""

    def safe(text: str) -> str:
        if secret and action.text:
            text = text.replace(action.text, "[hidden]")
        return short(text, LONGEST)

    on = safe(f"{action.selector} {action.url}".strip())
    if action.action == "type":
        typed = "[hidden]"
        if not secret:
            typed = repr(short(action.text, 100))
        on = f"{on} {typed}"
    return ActionResult(
        action=action.action,
        on=on,
        tab=tab,
        reason=safe(action.reason),
        result=safe(said),
    )


def log(store: Store, result: ActionResult) -> None:
    """One line of the conversation, and beside it what was seen."""
    tool = TOOLS.get(result.action, f"debug_action {result.action}")
    call = f"{tool} {result.on}".rstrip()
    if result.tab:
        call += f" in {result.tab}"
    reason = result.reason or "no reason given"
    end = result.result
    if result.failed:
        end = f"failed: {end}"
    line = f"{call}: {reason}{messages.ENDED}{end}"

    about = {"kind": messages.BROWSER, **as_dict(result)}
    if not result.seen:
        del about["seen"]
    message = ("tool", redact(plain(line)), about)
    messages.add(conversation_of(store), [message])


def result_json(result: ActionResult) -> dict[str, Any]:
    fields = as_dict(result)
    # `ok` says the first; the others are for people, and for the conversation.
    for name in ("failed", "hint", "seen"):
        del fields[name]
    return {**fields, "ok": not result.failed}


class Look(Record):
    """Which tab, why, and how."""

    tab: str
    reason: str
    how: str = "light"


def look_light(
    project: Project | None,
    browser: Browser,
    look: Look,
    instruction: str,
) -> tuple[Open, Light]:
    async def ask(pages: Pages, target: str) -> Light:
        return await look_at.light(pages, target, MOST_SHOWN, instruction)

    if instruction:
        look = look.replace(how=instruction)
    return _look(project, browser, look, ask, light_lines)


def look_dom(
    project: Project | None,
    browser: Browser,
    look: Look,
    tokens: int,
) -> tuple[Open, Text]:
    """The lines of the page that fit, and whether these are all."""

    async def ask(pages: Pages, target: str) -> Text:
        page = await look_at.dom(pages, target, tokens)
        lines, do_fit = within_tokens(dom_lines(page["rows"]), tokens)
        is_whole = do_fit and bool(page["whole"])
        return lines, is_whole

    look = look.replace(how="dom")
    return _look(project, browser, look, ask, _lines_of)


def look_tree(
    project: Project | None,
    browser: Browser,
    look: Look,
    tokens: int,
) -> tuple[Open, Text]:
    async def ask(pages: Pages, target: str) -> Text:
        nodes = await look_at.accessibility(pages, target)
        return within_tokens(tree_lines(nodes), tokens)

    look = look.replace(how="accessibility")
    return _look(project, browser, look, ask, _lines_of)


def _lines_of(_: Open, text: Text) -> list[str]:
    lines, is_whole = text
    if is_whole:
        return lines
    return [*lines, MORE]


def _look(
    project: Project | None,
    browser: Browser,
    look: Look,
    ask: Callable[[Pages, str], Awaitable[T]],
    lines_of: Callable[[Open, T], Sequence[str]],
) -> tuple[Open, T]:
    """What was asked for, of the tab that is meant; its beginning is written into the conversation."""
    with open_store(project, write=True) as store:
        tabs = open_tabs(project, browser, store=store)
        tab = find_tab(tabs, look.tab)
        view = in_browser(browser.socket, lambda pages: ask(pages, tab.tab.id))

        how = short(look.how, 100)
        result = ActionResult(
            action="inspect",
            on=f"({how})",
            tab=tab.name,
            reason=short(look.reason, 300),
            result="ok",
            seen=_beginning(lines_of(tab, view)),
        )
        log(store, result)
    return tab, view


def _beginning(lines: Sequence[str]) -> tuple[str, ...]:
    """As much as a conversation keeps of it."""
    beginning, is_whole = within_tokens(lines, KEPT_TOKENS)
    if not is_whole and beginning[-1:] != [MORE]:
        beginning.append(MORE)
    return tuple(beginning)
