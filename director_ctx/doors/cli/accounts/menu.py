"""Commands that count, and that tell what agents were told."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    COUNTER,
    FLAG,
    JSON,
    Argument,
    Command,
    Option,
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "diff", "Show what changed between two contexts that were assembled, section by section.", "diff",
        (
            Option("agent", ("--agent",), "Only contexts of this agent.", metavar="AGENT", complete="agent"),
            Option("summary", ("--summary",), "The table alone, without the changed lines.", FLAG),
            JSON,
        ),
        (
            Argument("old", "A run, as `dctx budget --history` shows it. Default: the one before.", complete="run"),
            Argument("new", "Another run. Default: the newest.", complete="run"),
        ),
        ("dctx diff", "dctx diff --agent builder", "dctx diff r4f2a91 r77c0d3 --summary"),
    ),
    Command(
        "tokens", "Count tokens of files, folders or standard input.", "tokens",
        (COUNTER, Option("model", ("--model", "-m"), "The model to count for, where it matters.", metavar="MODEL", complete="model"),
         Option("tree", ("--tree",), "As a tree, with the sum of each folder.", FLAG),
         Option("sort", ("--sort",), "path (the default), or tokens: the largest first.", metavar="ORDER", values=("path", "tokens")), JSON),
        (Argument("files", "Files and folders, or - for standard input. Default: the project's .director/; what is piped in, where there is no project.", many=True),),
        ("dctx tokens", "dctx tokens README.md --counter estimate", "dctx assemble builder | dctx tokens - --counter o200k_base",
         "dctx tokens .director --tree --sort tokens"),
    ),
)  # fmt: skip
