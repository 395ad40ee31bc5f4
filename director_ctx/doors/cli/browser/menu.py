"""Commands that look into a browser and try things in it. None of it is part of the plan or the
snapshot.
"""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    CDP,
    DRY_RUN,
    FLAG,
    JSON,
    Argument,
    Command,
    Option,
)

_REASON = Option(
    "reason", ("--reason", "-r"), "Why; it is kept with the conversation.", metavar="TEXT"
)
_TAB = Option(
    "tab",
    ("--tab", "-t"),
    "The tab, by its name, number or part of its title. Default: the active tab.",
    metavar="TAB",
    complete="tab",
)
_REMOTE = Option("remote", ("--remote",), "Allow a browser on another machine.", FLAG)
_WHERE = (CDP, _REMOTE, JSON)
_URL = Argument("url", "The address of the page.", required=True)

COMMANDS: tuple[Command, ...] = (
    Command(
        "browser start", "Start a Chromium that dctx can look into, and leave it running.", "start",
        (
            Option("port", ("--port",), "The debugging port. Default: a free one.", metavar="N"),
            Option("program", ("--browser",), "The browser to start. Default: the first Chromium or Chrome that is found.", metavar="FILE"),
            Option("headless", ("--headless",), "Without a window.", FLAG), JSON,
        ),
        (Argument("url", "The first page."),),
        ("dctx browser start http://localhost:3000", "dctx browser start --headless"), call="start",
    ),
    Command(
        "browser stop", "Stop the browser that `browser start` started.", "start",
        (JSON,), examples=("dctx browser stop",), call="stop",
    ),
    Command(
        "browser tabs", "Show the open tabs, as a context does.", "tabs",
        (Option("name", ("--name",), "Give the tab of --tab this name.", metavar="NAME"), _TAB, *_WHERE),
        examples=("dctx browser tabs", "dctx browser tabs --cdp http://127.0.0.1:9222 --json", "dctx browser tabs --tab 2 --name 'Debug Tab'"), call="tabs",
    ),
    Command(
        "browser inspect", "Show what is on a page: title, headings, and what can be clicked or filled in.", "inspect",
        (
            Option("dom", ("--dom",), "The whole page instead, up to --limit.", FLAG),
            Option("accessibility", ("--accessibility",), "The accessibility tree instead, up to --limit.", FLAG),
            Option("instruction", ("--instruction",), "Only the parts of the page that these words are about.", metavar="TEXT"),
            Option("limit", ("--limit",), "Tokens at most. Default: 10000.", metavar="N"),
            _REASON, *_WHERE,
        ),
        (Argument("tab", "The tab, by its name, number or part of its title. Default: the active tab.", complete="tab"),),
        ("dctx browser inspect 'Main Tab'", "dctx browser inspect --instruction 'the login form'", "dctx browser inspect 2 --dom --limit 5000"),
    ),
    Command(
        "browser navigate", "Go to a page.", "act",
        (_TAB, _REASON, *_WHERE), (_URL,),
        ("dctx browser navigate http://localhost:3000/login --reason 'Try the login again'",), call="navigate",
    ),
    Command(
        "browser act", "Click, type or wait; or several things in one call, from a file.", "act",
        (
            _TAB, _REASON,
            Option("batch", ("--batch",), "A JSON file with several actions, or - for standard input.", metavar="FILE"),
            DRY_RUN.replace(help="Only say what would be done."), *_WHERE,
        ),
        (Argument("action", "click, type or wait.", complete="browser-action"),
         Argument("selector", "What to act on, as `browser inspect` shows it; for wait also a number of seconds."),
         Argument("text", "What to type.")),
        ("dctx browser act click '#next' --reason 'Does the selector work?'", "dctx browser act type '#email' me@example.org --reason 'Fill in'",
         "dctx browser act --batch steps.json --reason 'Log in'"),
        call="act",
    ),
    Command(
        "browser open", "Open a tab.", "act",
        (Option("name", ("--name",), "The tab's name.", metavar="NAME"), _REASON, *_WHERE), (_URL,),
        ("dctx browser open http://localhost:3000 --name 'Debug Tab' --reason 'Compare'",), call="open_tab",
    ),
    Command(
        "browser close", "Close a tab.", "act",
        (_REASON, *_WHERE), (Argument("tab", "The tab, by its name, number or part of its title.", required=True, complete="tab"),),
        ("dctx browser close 'Debug Tab' --reason 'Done'",), call="close_tab",
    ),
)  # fmt: skip
