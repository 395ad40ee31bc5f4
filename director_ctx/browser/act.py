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
from director_ctx.browser.display import Open, short, tidy_name
from director_ctx.browser.errors import ENDED, PageTrouble, Unreached
from director_ctx.browser.page_text import Light, dom_lines, light_lines, tree_lines, within_tokens
from director_ctx.browser.session import Pages, in_browser
from director_ctx.browser.state import Browser, find_tab, open_tabs
from director_ctx.browser.tabs import NoBrowser
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import conversation_of, open_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any, TypeVar

    from director_ctx.browser.requests import Action
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
DOM = "dom"
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
        check_tabs(open_tabs(project, browser, store=store), actions)
        results: list[ActionResult] = []

        async def work(pages: Pages) -> None:
            for action in actions:
                results.append(await _carry_out(project, store, browser, pages, action))
                if results[-1].failed:
                    break

        in_browser(browser.socket, work)
        try:
            tabs = open_tabs(project, browser, store=store)
        except DctxError:
            tabs = []  # the browser did not live to tell
        return results, tabs


def check_tabs(tabs: Sequence[Open], actions: Sequence[Action]) -> None:
    """Before anything is done: every tab that is named is open, or will be. What a page does to
    tabs nobody knows.
    """
    coming = {action.name.casefold() for action in actions if action.action == "open"}
    wrong: list[str] = []
    for index, action in enumerate(actions):
        if action.tab and action.tab.casefold() not in coming:
            try:
                find_tab(tabs, action.tab)
            except DctxError as error:
                if len(actions) == 1:
                    raise
                wrong.append(f"[{index}].tab: {error.message.rstrip('.')}")
        # These may open and close tabs, so what comes behind them is found out then.
        if action.action in ("click", "navigate"):
            break
    if wrong:
        raise DctxError(
            "The batch cannot be done, and nothing was done",
            "`dctx browser show` lists the open tabs.",
            tuple(wrong),
        )


async def _carry_out(
    project: Project | None, store: Store, browser: Browser, pages: Pages, action: Action
) -> ActionResult:
    """One action in the tab that has the name now. What never got to the browser is not kept:
    nothing was done.
    """
    name = target = ""
    if action.action != "open":
        try:
            tab = find_tab(open_tabs(project, browser, store=store), action.tab)
        except DctxError as error:
            return _failed(action, name, error)
        name, target = tab.name, tab.tab.id

    try:
        done = await perform(pages, browser.endpoint, target, action)
        if action.action == "open":
            # The name that was asked for, if it was free.
            asked = tidy_name(action.name)
            renamed = {done.target: asked} if asked else {}
            tabs = open_tabs(project, browser, renamed, store)
            name = next((tab.name for tab in tabs if tab.tab.id == done.target), "")
        result = _result(action, name, done.said, done.secret)
    except Unreached as error:
        return _failed(action, name, error)
    except DctxError as error:
        result = _failed(action, name, error)
    log(store, result)
    return result


def _failed(action: Action, tab: str, error: DctxError) -> ActionResult:
    said, hint = ENDED if isinstance(error, NoBrowser) else (error.message, error.hint)
    # What is typed is secret until the field says otherwise.
    secret = action.action == "type"
    if isinstance(error, PageTrouble) and error.secret is not None:
        secret = error.secret
    return _result(action, tab, said, secret).replace(failed=True, hint=hint)


def _result(action: Action, tab: str, said: str, secret: bool) -> ActionResult:
    """What was typed is not repeated where it is secret, wherever it may have got to."""

    def safe(text: str) -> str:
        if secret and action.text:
            text = text.replace(action.text, "[hidden]")
        return short(text, LONGEST)

    on = safe(f"{action.selector} {action.url}".strip())
    if action.action == "type":
        typed = "[hidden]" if secret else repr(short(action.text, 100))
        on = f"{on} {typed}"
    return ActionResult(action.action, on, tab, safe(action.reason), safe(said))


def log(store: Store, result: ActionResult) -> None:
    """One line of the conversation, and beside it what was seen."""
    tool = TOOLS.get(result.action, f"debug_action {result.action}")
    call = f"{tool} {result.on}".rstrip()
    if result.tab:
        call += f" in {result.tab}"
    end = f"failed: {result.result}" if result.failed else result.result
    line = f"{call}: {result.reason or 'no reason given'}{messages.ENDED}{end}"
    about = {"kind": messages.BROWSER, **as_dict(result)}
    if not result.seen:
        del about["seen"]
    messages.add(conversation_of(store), [("tool", redact(plain(line)), about)])


def result_json(result: ActionResult) -> dict[str, Any]:
    # `ok` says the first; the others are for people, and for the conversation.
    left_out = ("failed", "hint", "seen")
    fields = {name: value for name, value in as_dict(result).items() if name not in left_out}
    return {**fields, "ok": not result.failed}


class Look(Record):
    """Which tab, why, and how."""

    tab: str
    reason: str
    how: str = "light"


def look_light(
    project: Project | None, browser: Browser, look: Look, instruction: str
) -> tuple[Open, Light]:
    async def ask(pages: Pages, target: str) -> Light:
        return await look_at.light(pages, target, MOST_SHOWN, instruction)

    return _look(project, browser, look.replace(how=instruction or look.how), ask, light_lines)


def look_text(
    project: Project | None, browser: Browser, look: Look, tokens: int
) -> tuple[Open, Text]:
    """The lines of the page that fit, and whether these are all: of its DOM, or of its accessibility
    tree.
    """

    async def ask(pages: Pages, target: str) -> Text:
        if look.how != DOM:
            return within_tokens(tree_lines(await look_at.accessibility(pages, target)), tokens)
        page = await look_at.dom(pages, target, tokens)
        lines, do_fit = within_tokens(dom_lines(page["rows"]), tokens)
        return lines, do_fit and bool(page["whole"])

    def lines_of(_: Open, text: Text) -> list[str]:
        lines, is_whole = text
        return lines if is_whole else [*lines, MORE]

    return _look(project, browser, look, ask, lines_of)


def _look(
    project: Project | None,
    browser: Browser,
    look: Look,
    ask: Callable[[Pages, str], Awaitable[T]],
    lines_of: Callable[[Open, T], Sequence[str]],
) -> tuple[Open, T]:
    """What was asked for, of the tab that is meant; its beginning is written into the conversation."""
    with open_store(project, write=True) as store:
        tab = find_tab(open_tabs(project, browser, store=store), look.tab)
        view = in_browser(browser.socket, lambda pages: ask(pages, tab.tab.id))
        beginning, is_whole = within_tokens(lines_of(tab, view), KEPT_TOKENS)
        if not is_whole and beginning[-1:] != [MORE]:
            beginning.append(MORE)
        how, reason = short(look.how, 100), short(look.reason, 300)
        seen = ActionResult("inspect", f"({how})", tab.name, reason, "ok", seen=tuple(beginning))
        log(store, seen)
    return tab, view
