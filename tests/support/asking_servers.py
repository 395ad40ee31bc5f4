"""Clients that ask a server of ours about what happens in them: what they say, and the file by which it
says that it answers.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mcp_server import CLIENT, MODERN, Server, said_in

from director_ctx.clients.by_server import FOLDER
from director_ctx.clients.entries import TOOL, Asking, handlers_in, hook_entries
from director_ctx.clients.table import CLIENTS

CALLERS = {name: client.server_calls for name, client in CLIENTS.items() if client.server_calls}


def announced() -> list[str]:
    """The servers that say that they answer hooks."""
    return sorted(path.name for path in (Path.home() / FOLDER).glob("*"))


class AskingClient:
    """A client that has started a server, and asks it as its hooks say."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.client = server, CLIENTS[name]
        self._answers: dict[Any, Any] = {}
        self.meta = {**MODERN, CLIENT: {"name": CALLERS.get(name, name), "version": "1"}}

    def list_tools(self) -> list[str]:
        """What clients ask for before anything else."""
        answer = self.server.ask("tools/list", meta=self.meta)
        return [tool["name"] for tool in answer["result"]["tools"]]

    def hook(self, event: dict[str, Any], part: int = 0) -> Any:
        """The answer to an event; None where it says nothing."""
        return self.heard(self.send_hook(event, part))

    def send_hook(self, event: dict[str, Any], part: int = 0) -> int:
        """Asks without waiting."""
        called = {"name": "hook", "arguments": self.filled_in(event, part)}
        return self.server.send("tools/call", called, meta=self.meta)

    def heard(self, number: int) -> Any:
        answer = self._answers.pop(number, None)
        while answer is None:
            message = self.server.read()
            if message.get("id") == number:
                answer = message
            else:
                self._answers[message.get("id")] = message
        assert not answer["result"]["isError"]
        return json.loads(said_in(answer["result"])) or None

    def filled_in(self, event: dict[str, Any], part: int) -> dict[str, str]:
        """What the entry of this event says, with the client's own values in it."""
        [template] = [one for one in self._templates(event) if int(one.get("part", 0)) == part]
        values = {}
        for name, text in template.items():
            value = event.get(name, "") if text.startswith("${") else text
            values[name] = value if isinstance(value, str) else json.dumps(value)
        return values

    def _templates(self, event: dict[str, Any]) -> list[dict[str, str]]:
        name = event["hook_event_name"]
        every: dict[str, Any] = {}
        for at in ("spawn", "start"):
            every.update(hook_entries(self.client, ("dctx",), at, True, Asking((TOOL,))))
        return [handler["input"] for handler in handlers_in({name: every[name]})]


def serves(name: str, server: Server) -> str:
    """How the file of a server is called that this process has started."""
    return f"{name}-{os.getpid()}-{server.process.pid}"
