"""Commands by which somebody begins."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import FLAG, ROOT, Argument, Command, Option

COMMANDS: tuple[Command, ...] = (
    Command(
        "init", "Make a .director/ folder, or complete one. Never overwrites.", "init",
        (
            Option("greenfield", ("--greenfield",), "A new project.", FLAG),
            Option("brownfield", ("--brownfield",), "A project that has code already.", FLAG),
            Option("here", ("--here",), "Here, although a folder above has a .director/ already.", FLAG),
            ROOT,
        ),
        examples=("dctx init", "dctx init --brownfield"),
    ),
    Command(
        "help", "Show help: the first screen, every command, one of them, or a topic.", "help",
        (Option("all", ("--all",), "Every command, by subject.", FLAG),),
        (Argument("topic", "A command, or folder, budget, exit-codes or environment.", many=True, complete="topic"),),
        ("dctx help", "dctx help --all", "dctx help task done", "dctx help exit-codes"),
    ),
)  # fmt: skip
