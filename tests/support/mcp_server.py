"""`dctx mcp` as clients start it: a process, lines in, lines out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any, Self

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
MODERN = {VERSION: "2026-07-28", CAPABILITIES: {}}
LONGEST_WAIT = 20.0
COMMAND = (sys.executable, "-m", "director_ctx", "mcp")

Message = dict[str, Any]


class Server:
    """One server, and a client that writes what it likes."""

    def __init__(self, root: Path, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=root,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.number = 0
        self.told: list[Message] = []
        """Notices that came before an answer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            with suppress(BrokenPipeError):
                stream.close()
        self.process.wait()

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        # A test that waits for ever says nothing about what is wrong.
        alarm = Timer(LONGEST_WAIT, self.process.kill)
        alarm.start()
        line = self.process.stdout.readline()
        alarm.cancel()
        assert line, "the server is gone"
        return json.loads(line)

    def send(
        self, method: str, parameters: Message | None = None, meta: Message | None = None
    ) -> int:
        """A request by the modern rules, or by other ones where `meta` says so; its id."""
        self.number += 1
        whole = {**(parameters or {}), "_meta": MODERN if meta is None else meta}
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": whole}
        self.write(json.dumps(message).encode() + b"\n")
        return self.number

    def notify(self, method: str, parameters: Message) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        self.write(json.dumps(message).encode() + b"\n")

    def answer_to(self, name: int) -> Message:
        """The message that answers a request; what else comes before is kept."""
        while True:
            message: Message = self.read()
            if message.get("id") == name:
                return message
            self.told.append(message)

    def ask(
        self, method: str, parameters: Message | None = None, meta: Message | None = None
    ) -> Message:
        return self.answer_to(self.send(method, parameters, meta))

    def call(self, tool: str, **arguments: Any) -> Message:
        """The result of a tool."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        result: Message = answer["result"]
        return result

    def text(self, tool: str, **arguments: Any) -> str:
        """What a tool says, where nothing went wrong."""
        result = self.call(tool, **arguments)
        said = said_in(result)
        assert not result["isError"], said
        return said

    def refusal(self, tool: str, **arguments: Any) -> str:
        """What a tool says where something did."""
        result = self.call(tool, **arguments)
        said = said_in(result)
        assert result["isError"], said
        return said

    def begin(self, revision: str, client: str = "test") -> Message:
        """The handshake of an earlier revision."""
        info = {"name": client, "version": "1"}
        parameters = {"protocolVersion": revision, "capabilities": {}, "clientInfo": info}
        answer = self.ask("initialize", parameters, meta={})
        self.notify("notifications/initialized", {})
        return answer

    def close(self, seconds: float = 10) -> tuple[int, bytes]:
        """As a client ends it: the exit code, and the log."""
        assert self.process.stdin and self.process.stderr
        self.process.stdin.close()
        code = self.process.wait(seconds)
        return code, self.process.stderr.read()


def said_in(result: Message) -> str:
    [content] = result["content"]
    assert content["type"] == "text"
    text: str = content["text"]
    return text
