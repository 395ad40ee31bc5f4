"""The page and those who should not come in, or who wrote something for it."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from conftest import plan, task, write
from folders import CANARY, FILES, every_folder, good
from pages import Pages, pages
from starlette.testclient import TestClient

from director_ctx.doors.ui.serving.application import Application
from director_ctx.doors.ui.serving.entrance import EntranceRules
from director_ctx.doors.ui.serving.markdown import as_html

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><style>*{display:none}</style></svg>",
    "[a](javascript:alert(1))",
    "[b](data:text/html,<script>alert(1)</script>)",
    "[c](vbscript:x)",
    "[d](//evil.example/x)",
    "[e](/links/plan/set)",
    "[f](file:///etc/passwd)",
    "![g](http://evil.example/pixel.png)",
    '[h](http://ok.example "onmouseover=alert(1)")',
    '<a href="javascript:alert(1)">i</a>',
    "<!-- --><script>alert(2)</script>",
    "<http://ok.example/<script>>",
    "`<script>`",
    "[j]: javascript:alert(1)\n\n[j]",
    "| a |\n|--:|\n| <b>x</b> |",
    "&lt;script&gt; &#60;script&#62;",
)
ADDRESSES = "now plan plan?as=board project tasks/1/1/1 events places.json plan.json".split()
REACHED = "now plan project goals/1/1 tasks/1/1/1 variables health places.json".split()
"""What is asked for in every damaged folder."""
DONE = {"change": "1/1/2 pending completed", "version": "0"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hostile = "\n\n".join(HOSTILE)
    files = {
        "VISION.md": "# V\n\n## Project Name\n\n<script>alert('name')</script>\n",
        **plan(
            {
                "01-one.md": f'# Task: "><img src=x onerror=alert(1)>\n\n{hostile}\n',
                "02-two.md": task("Two"),
            }
        ),
    }
    return write(tmp_path_factory.mktemp("ui") / "links", files)


@pytest.fixture(scope="module")
def site(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    home = str(tmp_path_factory.mktemp("home"))
    with pages(root, HOME=home) as running:
        yield running


@pytest.mark.parametrize("address", ADDRESSES)
def test_nobody_reads_without_the_token(site: Pages, address: str) -> None:
    for cookie in (
        None,
        f"dctx-{site.port}=",
        f"dctx-{site.port}={'x' * 32}",
        "dctx-1=" + site.token,
    ):
        answer = site.ask(f"/links/{address}", Authorization=None, Cookie=cookie)
        assert answer.status == 403
        assert "script" not in answer.text
    bare = address.partition("?")[0]
    assert site.ask(f"/links/{bare}?token=wrong").status == 403
    assert site.ask(f"/links/{bare}?token=", Authorization=None).status == 403


def test_another_name_for_us_is_turned_away_although_the_token_is_right(site: Pages) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1", "localhost:1", ""):
        assert site.ask("/links/now", Host=host).status == 403, host


def test_a_page_from_elsewhere_neither_reads_nor_writes(site: Pages) -> None:
    for origin in ("http://evil.example", "null", "http://localhost:1", "file://"):
        assert site.ask("/links/now", Origin=origin).status == 403, origin
        assert site.send("/links/plan/set", DONE, Origin=origin).status == 403, origin


@pytest.mark.parametrize("second", ["Host: evil.example", "Authorization: Bearer x"])
def test_no_header_that_decides_comes_twice(site: Pages, second: str) -> None:
    request = (
        f"GET /links/now HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n{second}\r\n"
        f"Authorization: Bearer {site.token}\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line:
        line.sendall(request.encode())
        answer = line.makefile("rb").read()
    assert answer.split()[1] == b"400"


def test_a_change_needs_the_token_of_the_form(site: Pages, root: Path) -> None:
    for token in ("", "x", site.token):
        assert site.send("/links/plan/set", {**DONE, "form_token": token}).status == 403
    assert site.send("/links/plan/set", DONE, Sec_Fetch_Site="cross-site").status == 403
    for kind in ("text/plain", "multipart/form-data"):
        assert site.send("/links/plan/set", DONE, Content_Type=kind).status == 415
    assert site.ask("/links/plan/set?change=1/1/2+pending+completed").status in (404, 405)
    assert not list(root.rglob("02-two.done.md"))


def test_nothing_is_changed_where_it_was_started_to_show(root: Path) -> None:
    with pages(root, "--read-only") as site:
        assert site.send("/links/plan/set", DONE).status == 403
        assert "disabled" in site.ask("/links/plan").text
    assert not list(root.rglob("02-two.done.md"))


def test_bodies_addresses_and_methods_have_limits(site: Pages) -> None:
    assert site.ask("/links/plan/set", "POST", "x" * 1_100_000).status == 413
    assert site.ask("/links/now?" + "x" * 9_000).status == 414
    assert site.ask("/links/now", "PUT", "x").status == 405
    assert site.ask("/links/now", "OPTIONS").status == 405
    many = "&".join(f"a{number}=1" for number in range(2_000))
    assert site.ask("/links/plan/set", "POST", many).status == 400


def test_whoever_says_nothing_keeps_nobody_out(site: Pages) -> None:
    hanging = [socket.create_connection(("127.0.0.1", site.port), 10) for _ in range(600)]
    for line in hanging:
        line.sendall(f"GET /links/now HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n".encode())
    deadline = time.monotonic() + 10
    statuses = [site.ask("/links/now").status]
    while statuses[-1] != 200 and time.monotonic() < deadline:
        time.sleep(0.2)
        statuses.append(site.ask("/links/now").status)
    for line in hanging:
        line.close()
    assert set(statuses) <= {200, 503} and statuses[-1] == 200


PATHS = (
    "/assets/../pages/now.py",
    "/assets/..%2fpages%2fnow.py",
    "/assets/%2e%2e/__init__.py",
    "/assets/page.css%00.js",
    "/assets/.hidden.css",
    "/links/..%2f..%2fetc%2fpasswd",
    "/links/tasks/../../VISION.md",
    "/links/tasks/%2e%2e%2f%2e%2e%2fVISION.md",
    "/links/tasks//etc/passwd",
    "/links/tasks/.director/VISION.md",
    "//etc/passwd",
)


def test_no_path_leads_to_a_file(site: Pages) -> None:
    for path in PATHS:
        answer = site.ask(path)
        assert answer.status in (400, 404), path
        assert "root:" not in answer.text, path


def test_the_first_redirect_stays_here(site: Pages) -> None:
    answer = site.ask(f"//evil.example/x?token={site.token}", Authorization=None)
    assert answer.headers["location"] == "/evil.example/x"


@pytest.mark.parametrize("address", ["now", "nothing", "plan.json"])
def test_every_answer_tells_browsers_to_trust_nothing(site: Pages, address: str) -> None:
    headers = site.ask(f"/links/{address}").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["access-control-allow-origin"] is None


@pytest.mark.parametrize(
    "address", ["now", "plan", "plan?as=board", "project", "tasks/1/1/1", "health"]
)
def test_hostile_words_are_words(site: Pages, address: str) -> None:
    text = site.ask(f"/links/{address}").text
    for tag in ("<img", "<script>alert", "<style", "onload=alert(1)>", "<b>x"):
        assert tag not in text
    assert text.count("<script") == 1
    assert " style=" not in text


@pytest.mark.parametrize("document", HOSTILE)
def test_a_document_makes_nothing_but_words_and_links_to_other_servers(document: str) -> None:
    shown = as_html(document)
    tags = set(re.findall(r"<(\w+)", shown))
    assert tags <= {"p", "a", "code", "table", "thead", "tbody", "tr", "th", "td"}
    attributes = set(re.findall(r"<[^>]*? (\w+)=", shown))
    assert attributes <= {"href", "title", "rel", "target", "class"}
    for start in ('href="javascript', 'href="data', 'href="vb', 'href="/', 'href="file'):
        assert start not in shown


def test_no_folder_breaks_a_page_or_leads_it_out(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", dict.fromkeys(FILES, f"# {CANARY}\n")) / ".director"
    tried, bad = 0, {}
    with start_blocking_portal() as one_loop:
        for number, (title, damage) in enumerate(every_folder()):
            # A link out of each file is tried; of all others every ninth.
            if "links to {outside}" not in title and number % 9:
                continue
            root = write(tmp_path / f"p{number}", {**good(), "/beside.md": f"{CANARY}\n"})
            try:
                damage(root / ".director", outside)
            except (OSError, ValueError):
                continue
            tried += 1
            client = client_of(root)
            client.portal = one_loop
            for address in REACHED:
                answer = client.get(f"/p/{address}")
                if answer.status_code >= 500 or CANARY in answer.text:
                    bad[title, address] = answer.status_code
    assert bad == {} and tried > 50


def client_of(root: Path) -> TestClient:
    """Asks the application, without a server around it."""
    rules = EntranceRules(frozenset(("here",)), "t" * 32, False, 80)
    application = Application(str(root), rules)
    application.name = "p"
    allowed = {"Authorization": f"Bearer {'t' * 32}"}
    return TestClient(
        application.app(), base_url="http://here", raise_server_exceptions=False, headers=allowed
    )


def test_a_mistake_of_ours_is_said_without_its_details(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "p", good())

    def broken(_: object) -> None:
        raise RuntimeError(f"a secret path {root}")

    monkeypatch.setattr("director_ctx.doors.ui.pages.now.status", broken)
    answer = client_of(root).get("/p/now")
    assert answer.status_code == 500
    assert str(root) not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
