"""`dctx ui` as it runs: a process, and requests that say exactly what a test wants said."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from proofs import belongs_to_a_proof

COMMAND = (sys.executable, "-m", "director_ctx", "ui", "--no-open")


class PageAnswer:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Pages:
    """One server, of one folder."""

    def __init__(self, folder: Path, *words: str, port: int = 0, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--port", str(port), *words],
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().decode().strip()
        self.token = self.address.rpartition("token=")[2]
        self.base = self.address.partition("/?")[0]
        self.port = int(self.base.rpartition(":")[2])

    def end(self, how: int = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code, and what it said."""
        self.process.send_signal(how)
        _, log = self.process.communicate(timeout=20)
        return self.process.returncode, log.decode()

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str | None
    ) -> PageAnswer:
        """As whoever has the token; a header is said otherwise, or not at all for None."""
        said = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            said["Content-Type"] = "application/x-www-form-urlencoded"
        for name, value in headers.items():
            said.pop(name.replace("_", "-"), None)
            if value is not None:
                said[name.replace("_", "-")] = value
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, said)
            return PageAnswer(connection.getresponse())
        finally:
            connection.close()

    def send(self, path: str, form: dict[str, str], **headers: str | None) -> PageAnswer:
        """A form, filled in as the page has it."""
        fields = {"form_token": self.form_token(), **form}
        return self.ask(path, "POST", urlencode(fields), **headers)

    @contextmanager
    def events(self, path: str) -> Iterator[Iterator[tuple[str, Any]]]:
        """What an open page is told, one after the other."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        response = connection.getresponse()
        try:
            yield _events_in(response)
        finally:
            response.close()
            connection.close()

    def form_token(self) -> str:
        home = self.ask("/").headers["location"] or ""
        known = re.search(r'data-form-token="(\w+)"', self.ask(home).text)
        assert known
        return known[1]


def _events_in(response: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in response:
        field, _, value = line.decode().strip().partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


@contextmanager
def pages(folder: Path, *words: str, port: int = 0, **environment: str) -> Iterator[Pages]:
    """A server, until the end of the block. It ends by itself, and never with a traceback."""
    running = Pages(folder, *words, port=port, **environment)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            code, log = running.end()
            assert (code, "Traceback" in log) == (0, False), log


@contextmanager
def tab(address: str, expected: str = "", **settings: Any) -> Iterator[Any]:
    """A tab of a real browser that has the page open, with cookies and a storage of its own.
    Nothing is said on its console but what is expected there.
    """
    belongs_to_a_proof("a real browser")
    from chromium import for_tabs
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(for_tabs().url)
        context = browser.new_context(**settings)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        try:
            yield page
            if expected:
                said = [text for text in said if expected not in text]
            assert said == []
        finally:
            context.close()
            browser.close()
