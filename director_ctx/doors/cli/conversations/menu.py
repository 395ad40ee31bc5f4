"""Commands for long conversations: read any client's history, shorten it, get everything back."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    COUNTER,
    DRY_RUN,
    FLAG,
    JSON,
    LIST,
    READS,
    WRITES,
    YES,
    Argument,
    Command,
    Option,
    grouped,
)

_FORMATS = (
    "claude-code", "anthropic", "openai-chat", "openai-responses", "codex", "langchain",
)  # fmt: skip
_STRATEGIES = (
    "sliding_window", "compression", "checkpoint", "pruning", "hybrid", "clear", "auto", "summary",
)  # fmt: skip
_ANY = " or ".join((", ".join(_FORMATS[:-1]), _FORMATS[-1]))
_OTHERS = " or ".join((
    ", ".join(name for name in _STRATEGIES[:-1] if name not in ("sliding_window", "hybrid")), _STRATEGIES[-1],
))  # fmt: skip
"""Strategies that are never chosen where none is named."""
_FROM = Option(
    "from_",
    ("--from",),
    f"The format: {_ANY}; found out by itself if you do not say.",
    metavar="FORMAT",
    values=_FORMATS,
)
_TO = Option(
    "to", ("--to",), f"Another format for the result: {_ANY}.", metavar="FORMAT", values=_FORMATS
)
_FILE = Argument(
    "file",
    "A file, or a session by the start of its id; - reads standard input. If you name none: at a terminal you choose a session, in a script standard input is read.",
    complete="session",
)
_SESSION = Argument(
    "session",
    "A file, or a session by the start of its id; - reads standard input. If you name none: at a terminal you choose a session, in a script it is the newest of this project.",
    complete="session",
)
_STRATEGY = Option(
    "strategy",
    ("--strategy",),
    f"hybrid (the default), sliding_window, {_OTHERS}.",
    metavar="NAME",
    values=_STRATEGIES,
)
_TARGET = Option(
    "target_tokens",
    ("--target-tokens",),
    "How many tokens the result may have (with --strategy hybrid 20000).",
    metavar="N",
)
_RATIO = Option(
    "ratio",
    ("--ratio",),
    "The share of the tokens that may stay, such as 0.2 or 20% (50% if you name neither a size nor a strategy).",
    metavar="R",
)
_KEEP = Option(
    "keep",
    ("--keep",),
    "Keep messages that match this regular expression; may be given several times.",
    LIST,
    "PATTERN",
)
_SET = Option(
    "set_",
    ("--set",),
    "One setting of ContextConfig, such as window_size=20 or compression_level=high; may be given several times.",
    LIST,
    "NAME=VALUE",
)
_USING = Option(
    "using",
    ("--using",),
    "Who writes the summary of --strategy summary: extractive (no network), a command such as 'claude -p', or anthropic:MODEL, openai:MODEL.",
    metavar="SUMMARIZER",
)

COMMANDS = (
    Command(
        "compress", "Shorten a conversation; originals go into the archive. The format stays. "
        "For a summary of the store's messages: dctx history summarize.", "compress",
        (
            _STRATEGY, _TARGET, _RATIO,
            Option("diff", ("--diff",), "Print what changes, instead of the result.", FLAG),
            DRY_RUN.replace(help="Only print the receipt: what would be cut. Why, and when it pays, is said on stderr."),
            *grouped("What goes first, and what stays", _KEEP, _USING, _SET),
            *grouped(
                "Format and output",
                _FROM, _TO,
                Option("output", ("--output", "-o"), "Write the shorter conversation to a file instead.", metavar="FILE"),
                Option("receipt", ("--receipt",), "Write what was cut to a file, as JSON.", metavar="FILE"),
                COUNTER,
            ),
        ),
        (_FILE,),
        ("dctx compress session.jsonl --ratio 0.2 > shorter.jsonl", "dctx compress --set window_size=20 < messages.json",
         "dctx compress session.jsonl --target-tokens 20000 --dry-run | jq .tokens_out"),
    ),
    Command(
        "restore", "Undo a compression or a summary; or print an original.", "restore",
        (_FROM, Option("list", ("--list",), "List the compressions that there are, instead.", FLAG), JSON.replace(help="The list as JSON.")),
        (Argument("what", "A shortened history or a receipt (- or nothing reads it from standard input), the id of a compression or of a summary, or the locator of an original, such as dctx:3f2a9c01b4de, or dctx:3f2a9c01b4de#12 of a digest."),),
        ("dctx restore shorter.jsonl > session.jsonl", "dctx restore dctx:3f2a9c01b4de", "dctx restore --list"), store=READS,
    ),
    Command(
        "history list", "List this project's conversations, whoever keeps them; or the summaries.", "history_list",
        (
            Option("all", ("--all",), "Conversations of every project.", FLAG),
            Option("client", ("--client",), "Only conversations of one client.", metavar="NAME", values=("claude", "codex", "store")),
            Option("last", ("--last",), "Only the newest N.", metavar="N"),
            Option("summaries", ("--summaries",), "The summaries that stand for messages of the store; with --json, whole.", FLAG), JSON,
        ),
        examples=("dctx history list", "dctx history list --client codex --json", "dctx history list --summaries"), store=READS,
    ),
    Command(
        "history import", "Take a client's session into the store.", "history_import",
        (_FROM, DRY_RUN, JSON), (_SESSION,),
        ("dctx history import", "dctx history import session.jsonl"), store=WRITES,
    ),
    Command(
        "history show", "Show a conversation: who said what, calls and results; or where its tokens are; or a summary.", "history_show",
        (
            _FROM, Option("last", ("--last",), "Only the newest N messages.", metavar="N"),
            Option("full", ("--full",), "Long results in full.", FLAG),
            Option("tokens", ("--tokens",), "Where its tokens are, instead: by kind, by tool, in which results.", FLAG), COUNTER, JSON,
        ),
        (_SESSION.replace(help=f"{_SESSION.help} The id of a summary shows that summary."),),
        ("dctx history show", "dctx history show store --last 20", "dctx history show --tokens"), call="show", store=READS,
    ),
    Command(
        "history search", "Find a text in this project's conversations, archived messages too.", "history_search",
        (
            Option("regex", ("--regex",), "The text is a regular expression.", FLAG),
            Option("all", ("--all",), "Search the conversations of every project.", FLAG),
            Option("last", ("--last",), "Only the newest N matches.", metavar="N"), JSON,
        ),
        (Argument("text", "What to look for.", required=True),),
        ("dctx history search 'retry limit'", "dctx history search --regex 'E[0-9]{4}'"), call="search", store=READS,
    ),
    Command(
        "history handover", "Print what whoever goes on has to know: requests, what is open, files, commits, decisions.", "history_handover",
        (_FROM, _TARGET.replace(help="How long it may be (3000 tokens)."), JSON),
        (_SESSION,), ("dctx history handover", "dctx history handover session.jsonl --json | jq .requests"), store=READS,
    ),
    Command(
        "history summarize", "Put a summary in the place of the store's messages. They stay, archived. "
        "To make a file or what is piped in shorter: dctx compress.", "history_summarize",
        (
            _USING.replace(help="Who writes the summary: extractive (the default, no network), a command such as 'claude -p', or anthropic:MODEL, openai:MODEL."),
            Option("select", ("--select",), "Only these messages by their numbers, such as 1-20,25.", metavar="RANGE"),
            _TARGET.replace(help="How long the summary may be (20000 tokens)."),
            DRY_RUN.replace(help="Print the summary, and change nothing."), YES, JSON, COUNTER,
        ),
        examples=("dctx history summarize --dry-run", "dctx history summarize --using 'claude -p' --yes"), call="summarize", store=WRITES,
    ),
    Command(
        "history remove", "Delete originals from the archive, or show their size.", "history_remove",
        (
            Option("before", ("--before",), "Delete originals that were kept before a date, such as 2026-01-31.", metavar="DATE"),
            Option("all", ("--all",), "Delete all originals.", FLAG), YES, DRY_RUN.replace(help="Only show what would be deleted."), JSON,
        ),
        (Argument("locator", "One original, or a receipt with everything that it holds."),),
        ("dctx history remove --dry-run --all", "dctx history remove --before 2026-01-31 --yes"), store=WRITES,
    ),
    Command(
        "history proxy", "Shorten what goes from a client to its model.", "history_proxy",
        (
            Option("port", ("--port",), "Where to listen on the loopback address (8377; with a client, a free one).", metavar="N"),
            Option("upstream", ("--upstream",), "The model's address, such as https://api.anthropic.com; Claude Code and Codex have one.", metavar="URL"),
            Option("limit", ("--limit",), "Shorten before a request would be larger: tokens, or a share of the model's window such as 90% (180000, and at most 90%).", metavar="N"),
            _TARGET.replace(help="How many tokens a conversation has after a cut (20000, and at most half of the limit)."),
            _STRATEGY, _KEEP, _SET,
            DRY_RUN.replace(help="Only say what would be cut; send everything as it came."),
            COUNTER,
        ),
        arguments=(Argument("client", "A client to run behind it, with its own words, after --. It ends with the client.", many=True),),
        examples=("dctx history proxy -- claude", "dctx history proxy --upstream https://api.anthropic.com",
                  "dctx history proxy --upstream https://api.openai.com --port 0 --dry-run"),
    ),
)  # fmt: skip
