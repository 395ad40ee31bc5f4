"""The web server around the pages."""

from __future__ import annotations

from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

from .links import connect
from .routes import answer
from .web import Request, Response

LARGEST_FORM = 100_000


class Handler(BaseHTTPRequestHandler):
    file = ""

    def do_GET(self) -> None:
        self.handle_with({})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > LARGEST_FORM:
            self.send_error(413)
            return
        text = self.rfile.read(int(length)).decode("utf-8", "replace")
        self.handle_with(dict(parse_qsl(text, keep_blank_values=True)))

    def handle_with(self, form: dict[str, str]) -> None:
        address = urlsplit(self.path)
        with closing(connect(self.file)) as db:
            request = Request(db, dict(parse_qsl(address.query)), form)
            self.send(answer(self.command, address.path, request))

    def send(self, response: Response) -> None:
        body = response.body.encode("utf-8")
        self.send_response(response.status)
        if response.location:
            self.send_header("Location", response.location)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal quiet."""


def make_server(port: int, file: str) -> HTTPServer:
    """A server for this computer only, keeping its links in `file`."""
    handler = type("ListHandler", (Handler,), {"file": file})
    return HTTPServer(("127.0.0.1", port), handler)
