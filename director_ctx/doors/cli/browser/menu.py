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
_TAB_WORDS = "The tab, by its name, number or part of its title. Default: the active tab."
_TAB = Option("tab", ("--tab", "-t"), _TAB_WORDS, metavar="TAB", complete="tab")
_WHICH_TAB = Argument("tab", _TAB_WORDS, complete="tab")
_REMOTE = Option("remote", ("--remote",), "Allow a browser on another machine.", FLAG)
_WHERE = (CDP, _REMOTE, JSON)

COMMANDS: tuple[Command, ...] = (
    Command(
        "browser show", "Show the open tabs, as a context does.", "browser",
        (Option("name", ("--name",), "Give the tab this name.", metavar="NAME"), *_WHERE), (_WHICH_TAB.replace(help="Only this tab, by its name, number or part of its title."),),
        ("dctx browser show", "dctx browser show --cdp http://127.0.0.1:9222 --json", "dctx browser show 2 --name 'Debug Tab'"), call="show",
    ),
    Command(
        "browser start", "Start a Chromium that dctx can look into, and leave it running.", "browser",
        (
            Option("port", ("--port",), "The debugging port. Default: a free one.", metavar="N"),
            Option("program", ("--browser",), "The browser to start. Default: the first Chromium or Chrome that is found.", metavar="FILE"),
            Option("headless", ("--headless",), "Without a window.", FLAG), JSON,
        ),
        (Argument("url", "The first page."),),
        ("dctx browser start http://localhost:3000", "dctx browser start --headless"), call="start",
    ),
    Command(
        "browser stop", "Stop the browser that `browser start` started.", "browser",
        (JSON,), examples=("dctx browser stop",), call="stop",
    ),
    Command(
        "browser open", "Open a page in a new tab, or with --tab in one that is open.", "act",
        (_TAB.replace(help="Go there in this tab, named by its name, number or part of its title."),
         Option("name", ("--name",), "A name for the new tab.", metavar="NAME"), _REASON, *_WHERE),
        (Argument("url", "The address of the page.", required=True),),
        ("dctx browser open http://localhost:3000 --name 'Debug Tab' --reason 'Compare'",
         "dctx browser open http://localhost:3000/login --tab 'Main Tab' --reason 'Try the login again'"), call="open_page",
    ),
    Command(
        "browser inspect", "Show what is on a page: title, headings, and what can be clicked or filled in.", "act",
        (
            Option("dom", ("--dom",), "The whole page instead, up to --limit.", FLAG),
            Option("accessibility", ("--accessibility",), "The accessibility tree instead, up to --limit.", FLAG),
            Option("instruction", ("--instruction",), "Only the parts of the page that these words are about.", metavar="TEXT"),
            Option("limit", ("--limit",), "Tokens at most. Default: 10000.", metavar="N"),
            _REASON, *_WHERE,
        ),
        (_WHICH_TAB,),
        ("dctx browser inspect 'Main Tab'", "dctx browser inspect --instruction 'the login form'", "dctx browser inspect 2 --dom --limit 5000"),
        call="inspect",
    ),
    Command(
        "browser act", "Click, type, wait or close a tab; or several things in one call, from a file.", "act",
        (
            _TAB, _REASON,
            Option("batch", ("--batch",), "A JSON file with several actions, or - for standard input.", metavar="FILE"),
            DRY_RUN.replace(help="Only say what would be done."), *_WHERE,
        ),
        (Argument("action", "click, type, wait or close.", complete="browser-action"),
         Argument("selector", "What to act on, as `browser inspect` shows it; for wait also a number of seconds; for close the tab."),
         Argument("text", "What to type.")),
        ("dctx browser act click '#next' --reason 'Does the selector work?'", "dctx browser act type '#email' me@example.org --reason 'Fill in'",
         "dctx browser act close 'Debug Tab' --reason 'Done'", "dctx browser act --batch steps.json --reason 'Log in'"),
        call="act",
    ),
)  # fmt: skip
