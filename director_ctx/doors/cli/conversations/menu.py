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
    "claude-code",
    "anthropic",
    "openai-chat",
    "openai-responses",
    "codex",
    "langchain",
    "rows",
)
_STRATEGIES = (
    "sliding_window",
    "compression",
    "checkpoint",
    "pruning",
    "hybrid",
    "clear",
    "auto",
    "summary",
)
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
_SHRINK = (
    Option(
        "strategy",
        ("--strategy",),
        f"hybrid (the default), sliding_window, {_OTHERS}.",
        metavar="NAME",
        values=_STRATEGIES,
    ),
    Option(
        "target_tokens",
        ("--target-tokens",),
        "How many tokens the result may have (with --strategy hybrid 20000).",
        metavar="N",
    ),
    Option(
        "ratio",
        ("--ratio",),
        "The share of the tokens that may stay, such as 0.2 or 20% (50% if you name neither a size nor a strategy).",
        metavar="R",
    ),
    Option(
        "window",
        ("--window",),
        "How many of the newest messages sliding_window keeps (15).",
        metavar="N",
    ),
    Option(
        "using",
        ("--using",),
        "Who writes what the strategy summary puts in the place of the older messages: extractive (no network), a command such as 'claude -p', or anthropic:MODEL, openai:MODEL.",
        metavar="SUMMARIZER",
    ),
    Option(
        "keep",
        ("--keep",),
        "Keep messages that match this regular expression; may be given several times.",
        LIST,
        "PATTERN",
    ),
    Option(
        "config",
        ("--config",),
        "Settings from a YAML file, by the names of ContextConfig.",
        metavar="FILE",
    ),
    Option(
        "set_",
        ("--set",),
        "One setting, such as compression_level=high; may be given several times.",
        LIST,
        "NAME=VALUE",
    ),
)
_TO_A_LIMIT = {
    "target_tokens": "How many tokens a conversation has after a cut (20000, and at most half of the limit).",
    "ratio": "The same as a share of the limit, such as 0.5 or 50%.",
}
"""What is different for a proxy, which has a limit."""
_LIMIT = Option("limit", ("--limit",), "How many tokens count as full (180000).", metavar="N")

_PIPE = (
    Command(
        "compress", "Shorten a conversation; originals go into the archive. The format stays. "
        "For a summary of the store's messages: dctx history summarize.", "compress",
        (
            *_SHRINK[:3],
            Option("diff", ("--diff",), "Print what changes, instead of the result.", FLAG),
            DRY_RUN.replace(help="Only print the receipt: what would be cut."),
            Option("explain", ("--explain",), "Say on stderr what was decided and when it pays.", FLAG),
            *grouped("What goes first, and what stays", *_SHRINK[3:]),
            *grouped(
                "Format and output",
                _FROM, _TO,
                Option("output", ("--output", "-o"), "Write the shorter conversation to a file instead.", metavar="FILE"),
                Option("receipt", ("--receipt",), "Write what was cut to a file, as JSON.", metavar="FILE"),
                Option("force", ("--force",), "Write over a file that holds something else.", FLAG),
                Option("strict", ("--strict",), "Exit with 4 and print nothing if the target cannot be met.", FLAG),
                COUNTER,
            ),
        ),
        (_FILE,),
        ("dctx compress session.jsonl --ratio 0.2 > shorter.jsonl", "dctx compress --window 20 < messages.json",
         "dctx compress session.jsonl --target-tokens 20000 --dry-run | jq .tokens_out"),
    ),
    Command(
        "restore", "Undo a compression: print the original history.", "restore",
        (_FROM, Option("list", ("--list",), "List the compressions that there are, instead.", FLAG), JSON.replace(help="The list as JSON.")),
        (Argument("what", "A shortened history, a receipt, or the id of a compression; - or nothing reads standard input."),),
        ("dctx restore shorter.jsonl > session.jsonl", "dctx restore 4f1c2a9be01d", "dctx restore --list"), store=READS,
    ),
)  # fmt: skip
_HISTORY = (
    Command(
        "history list", "List this project's conversations, whoever keeps them.", "history_list",
        (
            Option("all", ("--all",), "Conversations of every project.", FLAG),
            Option("client", ("--client",), "Only conversations of one client.", metavar="NAME", values=("claude", "codex", "store")),
            Option("last", ("--last",), "Only the newest N.", metavar="N"), JSON,
        ),
        examples=("dctx history list", "dctx history list --client codex --json"), store=READS,
    ),
    Command(
        "history import", "Take a client's session into the store.", "history_import",
        (_FROM, DRY_RUN, JSON), (_SESSION,),
        ("dctx history import", "dctx history import session.jsonl"), store=WRITES,
    ),
    Command(
        "history show", "Show a conversation: who said what, calls and results.", "history_show",
        (
            _FROM, Option("last", ("--last",), "Only the newest N messages.", metavar="N"),
            Option("full", ("--full",), "Long results in full.", FLAG), JSON,
        ),
        (_SESSION,), ("dctx history show", "dctx history show store --last 20"), call="show", store=READS,
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
        "history stats", "Say where a conversation's tokens are: by kind, by tool.", "history_stats",
        (_FROM, COUNTER, JSON),
        (_SESSION,), ("dctx history stats", "dctx history stats session.jsonl --json"),
        store=READS,
    ),
    Command(
        "history handover", "Print what whoever goes on has to know: requests, what is open, files, commits, decisions.", "history_handover",
        (
            _FROM, Option("target_tokens", ("--target-tokens",), "How long it may be (3000 tokens).", metavar="N"),
            JSON,
        ),
        (_SESSION,), ("dctx history handover", "dctx history handover session.jsonl --json | jq .requests"), store=READS,
    ),
    Command(
        "history check", "Find what a provider would reject, and mend it. Exit code 1 if there is any.", "history_check",
        (
            _FROM, Option("fix", ("--fix",), "Print the history again with what is missing put in; nothing is deleted.", FLAG),
            JSON,
        ),
        (_FILE,), ("dctx history check messages.json", "dctx history check --fix broken.json > mended.json"), call="check",
    ),
    Command(
        "history get", "Print an original from the archive, exactly.", "history_get",
        (), (Argument("locator", "A locator, such as dctx:3f2a9c01b4de, or dctx:3f2a9c01b4de#12 of a digest.", required=True),),
        ("dctx history get dctx:3f2a9c01b4de",), call="get", store=READS,
    ),
    Command(
        "history summarize", "Put a summary in the place of the store's messages. They stay, archived. "
        "To make a file or what is piped in shorter: dctx compress.", "history_summarize",
        (
            Option("using", ("--using",), "Who writes the summary: extractive (the default, no network), a command such as "
                   "'claude -p', or anthropic:MODEL, openai:MODEL.", metavar="SUMMARIZER"),
            Option("select", ("--select",), "Only these messages by their numbers, such as 1-20,25.", metavar="RANGE"),
            Option("messages", ("--messages",), "Only these messages by their ids.", LIST, "IDS"),
            Option("target_tokens", ("--target-tokens",), "How long the summary may be (20000 tokens).", metavar="N"),
            Option("timeout", ("--timeout",), "Seconds that a command may take (300).", metavar="S"),
            _LIMIT.replace(help="Warn where what --using is given would be larger (180000 tokens)."),
            Option("preview", ("--preview",), "Print the summary, and change nothing.", FLAG), YES, JSON, COUNTER,
        ),
        examples=("dctx history summarize --preview", "dctx history summarize --using 'claude -p' --yes"), call="summarize", store=WRITES,
    ),
    Command(
        "history summaries", "List the summaries, show one, or export them.", "history_summarize",
        (JSON,),
        (Argument("action", "list (the default), show or export."), Argument("id", "A summary, by the start of its id.")),
        ("dctx history summaries", "dctx history summaries show 4f1c", "dctx history summaries export > summaries.md"),
        call="summaries", store=READS,
    ),
    Command(
        "history forget", "Delete originals from the archive, or show their size.", "history_get",
        (
            Option("before", ("--before",), "Delete originals that were kept before a date, such as 2026-01-31.", metavar="DATE"),
            Option("all", ("--all",), "Delete all originals.", FLAG), YES, DRY_RUN.replace(help="Only show what would be deleted."), JSON,
        ),
        (Argument("locator", "One original, or a receipt with everything that it holds."),),
        ("dctx history forget --dry-run --all", "dctx history forget --before 2026-01-31 --yes"), call="forget", store=WRITES,
    ),
)  # fmt: skip
_CUTS = (
    Command(
        "history proxy", "Shorten what goes from a client to its model.", "history_proxy",
        (
            Option("port", ("--port",), "Where to listen on the loopback address (8377; with a client, a free one).", metavar="N"),
            Option("upstream", ("--upstream",), "The model's address, such as https://api.anthropic.com; Claude Code and Codex have one.", metavar="URL"),
            _LIMIT.replace(help="Shorten before a request would be larger: tokens, or a share of the model's window such as 90% (180000, and at most 90%)."),
            *(option.replace(help=_TO_A_LIMIT.get(option.name, option.help)) for option in _SHRINK),
            DRY_RUN.replace(help="Only say what would be cut; send everything as it came."),
            COUNTER,
        ),
        arguments=(Argument("client", "A client to run behind it, with its own words, after --. It ends with the client.", many=True),),
        examples=("dctx history proxy -- claude", "dctx history proxy --upstream https://api.anthropic.com",
                  "dctx history proxy --upstream https://api.openai.com --port 0 --dry-run"),
    ),
)  # fmt: skip
COMMANDS = (*_PIPE, *_HISTORY, *_CUTS)
