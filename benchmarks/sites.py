"""Servers of pages as they run, what they are asked, and an example that has something on every page."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from director_ctx import assemble, load_project, set_variable
from director_ctx.clients.demo.example import make_example
from director_ctx.doors.ui.pages.table import PAGES
from director_ctx.memory.plans.set_task import set_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

HOST = "127.0.0.1"
PATIENCE = 10.0
"""Seconds until an answer counts as lost."""
SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
CALLS = 20
AGENT, TASK, VARIABLE = "builder", "2/1/3", "shelf"
DCTX = (
    sys.executable,
    "-c",
    "from director_ctx.doors.cli.main import main; main()",
    *("ui", "--no-open", "--port", "0"),
)
AT_ONCE = (
    sys.executable,
    "-c",
    "from director_ctx.doors.ui.serving import open_pages; open_pages.SECONDS = 0.005;"
    "from director_ctx.doors.cli.main import main; main()",
    *("ui", "--no-open", "--port", "0"),
)
"""Looks 200 times a second instead of twice, so that thousands of changes take minutes."""
BARE_PROGRAM = """
import socket, sys
listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listening.bind(("127.0.0.1", 0))
listening.listen(128)
print(f"http://127.0.0.1:{listening.getsockname()[1]}/now", flush=True)
import uvicorn
from pathlib import Path
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
pages = {path.stem: path.read_bytes() for path in Path(sys.argv[1]).iterdir()}
async def answer(request):
    return Response(pages[request.path_params["name"]], media_type="text/html")
app = Starlette(routes=[Route("/{name}", answer)])
config = uvicorn.Config(app, log_level="error", access_log=False, lifespan="off", ws="none", http="h11")
uvicorn.Server(config).run(sockets=[listening])
"""


class Site:
    """A server that was started, and one connection to it that stays open."""

    def __init__(self, command: Sequence[str], root: Path) -> None:
        environment = dict(os.environ)
        # Whoever installed it has compiled modules.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            command,
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdout
        printed = self.process.stdout.readline().decode().strip()
        base, _, self.first = printed.removeprefix("http://").partition("/")
        self.port = int(base.partition(":")[2])
        self.connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        self.headers: dict[str, str] = {}

    def answer(self, address: str, form: Mapping[str, str] | None = None) -> tuple[int, str, bytes]:
        """Its status, where it leads to, and what it says. A cookie is kept."""
        method, body, headers = "GET", None, dict(self.headers)
        if form is not None:
            method, body = "POST", urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, address, body, headers)
        response = self.connection.getresponse()
        cookie = response.headers.get("set-cookie", "")
        if cookie:
            self.headers["Cookie"] = cookie.partition(";")[0]
        return response.status, response.headers.get("location", ""), response.read()

    def page(self, address: str) -> bytes:
        status, _, text = self.answer(address)
        assert status == 200, f"{address}: {status}"
        return text

    def enter(self) -> bytes:
        """From the address that was printed to the page that it leads to, as a browser goes."""
        address = f"/{self.first}"
        while True:
            status, leads_to, text = self.answer(address)
            if status == 200:
                return text
            assert status == 303, f"{address}: {status}"
            address = leads_to

    def memory(self) -> float:
        """MB that the process has now."""
        words = ["ps", "-o", "rss=", "-p", str(self.process.pid)]
        return int(subprocess.check_output(words)) * 1024 / 1e6

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.communicate()


@contextmanager
def site(command: Sequence[str], root: Path) -> Iterator[Site]:
    server = Site(command, root)
    try:
        yield server
    finally:
        server.end()


@contextmanager
def stream(server: Site, address: str) -> Iterator[http.client.HTTPResponse]:
    """What an open page listens to."""
    with closing(http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE)) as connection:
        connection.request("GET", address, headers=server.headers)
        with connection.getresponse() as response:
            assert response.status == 200, response.status
            yield response


def next_mark(response: http.client.HTTPResponse) -> str:
    """How the project is, as the next event says; empty where none comes."""
    try:
        for line in response:
            if line.startswith(b"data: "):
                mark: str = json.loads(line.removeprefix(b"data: "))
                return mark
    except OSError:
        pass  # nothing came for too long
    return ""


def fill(root: Path) -> None:
    """An example with a version of the plan, a variable, contexts on record and a conversation."""
    make_example(str(root))
    project = load_project(root=str(root))
    set_task(project, TASK, "in_progress")
    set_variable(project, VARIABLE, ["links"], "To show one")
    for _ in range(2):
        assemble(load_project(root=str(root)), AGENT, record=True)
    _write_session(root)


def _write_session(root: Path) -> None:
    """As Claude Code keeps it, with enough to compress."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.path.realpath(root))
    folder = os.path.join(os.environ["HOME"], ".claude", "projects", slug)
    os.makedirs(folder)
    with open(os.path.join(folder, f"{SESSION}.jsonl"), "w", encoding="utf-8") as file:
        parent = None
        for number, (role, content) in enumerate(_messages(root)):
            line = {
                "parentUuid": parent,
                "type": role,
                "uuid": f"entry-{number}",
                "isSidechain": False,
                "sessionId": SESSION,
                "cwd": os.path.realpath(root),
                "timestamp": f"2026-01-02T03:{number:02}:00.000Z",
                "message": {"role": role, "content": content, "model": "m"},
            }
            parent = line["uuid"]
            file.write(f"{json.dumps(line)}\n")


def _messages(root: Path) -> Iterator[tuple[str, object]]:
    yield "user", "Fix the list of links."
    for number in range(CALLS):
        given = {"file_path": f"{root}/src/{number}.py"}
        call = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": given}
        yield "assistant", [call]
        text = f"line {number}\n" * 200
        yield "user", [{"type": "tool_result", "tool_use_id": f"c{number}", "content": text}]
    yield "assistant", [{"type": "text", "text": "It is done."}]


def addresses(server: Site, project: str) -> dict[str, str]:
    """Of every page in the table, where something is to be seen on it. A session is compressed, so
    that there is a compression.
    """
    form_token = re.search(rb'data-form-token="(\w+)"', server.enter())
    assert form_token
    form = {"form_token": form_token[1].decode(), "keep": "30"}
    compressed = server.answer(f"/{project}/conversations/{SESSION}/compress", form)
    assert compressed[0] == 303, compressed
    told = json.loads(server.page(f"/{project}/told.json"))["contexts"][0]["id"]
    receipts = json.loads(server.page(f"/{project}/compressions.json"))["receipts"]

    parts = {
        "session": SESSION,
        "number": "1",
        "ref:path": TASK,
        "id": told,
        "chat": "new",
    }
    particular = {
        "goal": "goals/2",
        "variable": f"variable?name={VARIABLE}",
        "compression": f"compressions/{receipts[0]['receipt'][:12]}",
    }
    filled = {}
    for page in PAGES:
        address = re.sub(r"{([\w:]+)}", lambda part: parts[part[1]], page.address)
        filled[page.name] = f"/{project}/{particular.get(page.name, address)}"
    return filled
