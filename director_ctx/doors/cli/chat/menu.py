"""The command that talks with a model."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    FLAG,
    JSON,
    WRITES,
    Argument,
    Command,
    Option,
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "chat", "Talk with a model that asks for context itself, in a conversation that keeps itself small.", "chat",
        (
            Option("continue_", ("--continue", "-c"), "Go on with the last chat.", FLAG),
            Option("id", ("--id",), "Go on with this chat: its id, or the beginning of it.", metavar="ID"),
            Option("list", ("--list",), "List the chats of this project, newest first, and say nothing.", FLAG),
            Option("model", ("--model", "-m"), "The model, such as gpt-6.1-terra, claude-sonnet-5-5 or openai:NAME.", metavar="MODEL", complete="model"),
            Option("base_url", ("--base-url",), "A server that speaks the Responses API (or, for anthropic:NAME, the Messages API), such as a model here.", metavar="URL"),
            Option("write", ("--write",), "What the model may change: plan, variables, tasks, browser, with commas between. Default: nothing.", metavar="AREAS"),
            Option("reset", ("--reset",), "What is done when the conversation has grown: summary (the default), refresh or checkpoint.", metavar="WAY",
                   values=("summary", "refresh", "checkpoint")),
            JSON,
        ),
        (Argument("message", "What to say. Default: what is piped in, else a conversation here."),),
        ("dctx chat", "dctx chat 'What is next, and why?'", "dctx chat --json < question.md | jq -r .text",
         "dctx chat --continue 'And after that?'", "dctx chat --list", "dctx chat --base-url http://127.0.0.1:11434/v1 --model qwen3"),
        store=WRITES,
    ),
)  # fmt: skip
