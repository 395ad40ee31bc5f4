"""Where a browser is looked for, and what is believed of whatever answers there. No browser is
needed for these.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from chromium import needs_playwright
from conftest import Files, Result, write

from director_ctx import Project, assemble
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.browser import started
from director_ctx.browser.endpoint import Endpoint, parse_endpoint, socket_url
from director_ctx.browser.session import in_browser
from director_ctx.browser.started import Started, keep_started, own_folder, read_started
from director_ctx.browser.state import browser_state
from director_ctx.browser.tab_names import MOST_NAMES
from director_ctx.browser.tabs import LARGEST, NoBrowser, browser_socket, read_tabs
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries

Make = Callable[[Files], Project]
ID = "0A1B"
PAGE = {"id": ID, "type": "page", "title": "Shop", "url": "http://localhost/"}


@contextmanager
def answering(answer: Callable[[socket.socket, str], None]) -> Iterator[int]:
    """A server of our own at some port: it is given each connection and the path that was asked
    for.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def serve() -> None:
            server.settimeout(0.05)
            while not over.is_set():
                try:
                    stream, _ = server.accept()
                except TimeoutError:
                    continue
                with stream:
                    stream.settimeout(5)
                    try:
                        answer(stream, stream.recv(4096).decode().split(" ")[1])
                    except OSError:
                        pass

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


def http(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length:{len(body)}\r\n{more}\r\n".encode() + body


def browser_with(
    pages: object, where: str = "127.0.0.1:{port}"
) -> Callable[[socket.socket, str], None]:
    """What answers like a browser."""

    def answer(stream: socket.socket, path: str) -> None:
        port = stream.getsockname()[1]
        version = {"webSocketDebuggerUrl": f"ws://{where.format(port=port)}/devtools/browser/x-1"}
        stream.sendall(http(json.dumps(version if path == "/json/version" else pages).encode()))

    return answer


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("http://127.0.0.1:9222", Endpoint("127.0.0.1", 9222)),
        ("9222", Endpoint("127.0.0.1", 9222)),
        ("localhost:9222", Endpoint("localhost", 9222)),
        ("http://LOCALHOST:9222/json", Endpoint("localhost", 9222)),
        ("ws://127.0.0.1:9222/devtools/browser/x", Endpoint("127.0.0.1", 9222)),
        ("http://[::1]:9222", Endpoint("::1", 9222)),
        ("127.9.9.9:1", Endpoint("127.9.9.9", 1)),
    ],
)
def test_an_address_may_be_written_in_several_ways(text: str, meant: Endpoint) -> None:
    assert parse_endpoint(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org:9222", "10.0.0.1:9222", "http://127.0.0.1.evil.org:9222", "http://localhost.evil.org:9222",
        "http://0.0.0.0:9222", "http://[::2]:9222", "http://127.1:9222", "127.0.0.256:9", "http://2130706433:9222",
    ],
)  # fmt: skip
def test_another_machine_is_refused_unless_it_is_meant(text: str) -> None:
    with pytest.raises(UsageProblem, match="another machine"):
        parse_endpoint(text)
    assert parse_endpoint(text, remote=True).port


@pytest.mark.parametrize(
    "text", ["", "nope", "http://127.0.0.1", "ftp://127.0.0.1:1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:١",
             "http://a@127.0.0.1:9222", "127.0.0.1:9222\r\nX: y", "http://[::1:9222"],
)  # fmt: skip
def test_what_is_no_address_is_said_so(text: str) -> None:
    with pytest.raises(UsageProblem, match="not the address"):
        parse_endpoint(text, remote=True)


def test_a_websocket_elsewhere_is_refused() -> None:
    here = Endpoint("127.0.0.1", 9222)
    assert (
        socket_url(here, "ws://127.0.0.1:9222/devtools/browser/x")
        == "ws://127.0.0.1:9222/devtools/browser/x"
    )
    places = ("10.0.0.1:9222", "127.0.0.1:9223", "127.0.0.1:9222@evil.org", "127.0.0.1:9222/..")
    for other in (
        *(f"ws://{place}/devtools/browser/x" for place in places),
        "devtools/browser/x",
        None,
        7,
        "",
    ):
        with pytest.raises(DctxError, match="another address, which was not followed"):
            socket_url(here, other)


def test_the_state_is_what_the_browser_says_with_the_active_tab_marked(project: Make) -> None:
    pages = [PAGE, {**PAGE, "id": "2B", "title": "Debug", "url": "http://localhost/debug"}]
    with answering(browser_with(pages)) as port:
        assert browser_state(project({}), str(port)) == (
            "2 tabs open:\n- Main Tab (Active) = http://localhost/\n- Debug = http://localhost/debug"
        )


def test_frames_workers_extensions_and_the_browsers_own_windows_are_no_tabs(project: Make) -> None:
    others = [{**PAGE, "id": str(place), "type": kind} for place, kind in enumerate(
        ("iframe", "service_worker", "background_page", "browser_ui", "worker", "other", 7, None))]  # fmt: skip
    others += [
        {**PAGE, "id": "e", "url": "chrome-extension://x/"},
        {**PAGE, "id": "d", "url": "devtools://x/"},
    ]
    odd = [7, None, {}, {**PAGE, "id": None}, {**PAGE, "id": ""}, {**PAGE, "url": 3}]
    blank = {**PAGE, "id": "b", "title": None, "url": "about:blank"}
    with answering(browser_with([*others, *odd, blank])) as port:
        assert (
            browser_state(project({}), str(port))
            == "1 tab open:\n- Main Tab (Active) = about:blank"
        )


def test_thousands_of_tabs_keep_no_context_waiting_and_fill_no_store(project: Make) -> None:
    made = project({})
    with open_store(made, write=True):
        pass
    with answering(browser_with([{**PAGE, "id": f"a{place}"} for place in range(3000)])) as port:
        assert browser_state(made, str(port)).startswith(
            "3000 tabs open:\n- Main Tab (Active) = http"
        )
    with open_store(made) as store:
        assert store.engine.row("SELECT COUNT(*) FROM dctx_tabs") == (MOST_NAMES,)


def test_the_browser_goes_after_the_conversation_and_before_the_variables(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project({})
    with open_store(made, write=True) as store:
        messages.add(store, [("user", "word " * 1000, {"kind": "said"}) for _ in range(100)])
        entries.put(store, {f"v{number}": json.dumps("x" * 90) for number in range(100)}, "many")
    pages = [
        {**PAGE, "id": f"a{place}", "url": f"http://localhost/{'a' * 150}"} for place in range(30)
    ]
    with answering(browser_with(pages)) as port:
        monkeypatch.setenv("DCTX_CDP", str(port))
        cuts = assemble(made, "director", budget="101").reductions
        whole = assemble(made, "director")
    rungs = list(dict.fromkeys(cut.rung for cut in cuts))
    assert rungs[:4] == ["conversation-20000", "browser-none", "variables-names", "variables-none"]
    assert "(5) BROWSER STATE\n30 tabs open:\n" in whole.text


GARBAGE = [
    b"", b"nonsense", b"HTTP/1.1 200 OK\r\n\r\n", http(b"<html>"), http(b"{}"), http(b"null"), http(b"[" * 100_000),
    http(b"\xff\xfe"), http(b"[]", "404 Not Found"), http(b"[]", "302 Found", "Location: http://10.0.0.1/json\r\n"),
    b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[]", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[]",
    f"HTTP/1.1 200 OK\r\nContent-Length: {LARGEST + 1}\r\n\r\n[".encode(), b"SSH-2.0-OpenSSH\r\n", b"x" * 200_000,
]  # fmt: skip


@pytest.mark.parametrize("answer", GARBAGE, ids=range(len(GARBAGE)))
def test_a_server_that_speaks_nonsense_is_no_browser(answer: bytes, project: Make) -> None:
    with answering(lambda stream, _: stream.sendall(answer)) as port:
        assert browser_state(project({}), str(port)) == ""
        with pytest.raises((NoBrowser, DctxError)) as caught:
            browser_socket(Endpoint("127.0.0.1", port), 1)
        assert caught.value.hint
        with pytest.raises(NoBrowser):
            tabs = read_tabs(Endpoint("127.0.0.1", port), 1)
            assert tabs == [], "an empty object is no list"


def test_a_server_that_never_ends_its_answer_is_left(project: Make) -> None:
    over = threading.Event()

    def drip(stream: socket.socket, _: str) -> None:
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not over.wait(0.01):
            stream.sendall(b" ")

    with answering(drip) as port:
        assert browser_state(project({}), str(port)) == ""
        with pytest.raises(NoBrowser, match="does not answer"):
            read_tabs(Endpoint("127.0.0.1", port), 0.1)
        over.set()


def test_a_browser_that_says_it_is_elsewhere_is_none(project: Make) -> None:
    with answering(browser_with([PAGE], "10.0.0.1:9222")) as port:
        assert browser_state(project({}), str(port)) == ""


def test_a_dead_endpoint_and_none_at_all_are_silent(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert browser_state(project({}), str(port)) == ""
    assert browser_state(project({})) == ""
    monkeypatch.setenv("DCTX_CDP", "not an address")
    assert browser_state(project({})) == ""


def test_an_address_that_cannot_be_meant_is_an_error_even_in_a_context(project: Make) -> None:
    with pytest.raises(UsageProblem):
        browser_state(project({}), "http://example.org:9222")


def test_the_environment_names_a_browser_and_the_option_another(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering(browser_with([PAGE])) as one, answering(browser_with([])) as other:
        monkeypatch.setenv("DCTX_CDP", f"http://127.0.0.1:{one}")
        assert browser_state(project({})).startswith("1 tab open")
        assert browser_state(project({}), str(other)) == "No tabs open."


def test_a_context_makes_no_store_for_the_names(project: Make) -> None:
    made = project({})
    with answering(browser_with([PAGE])) as port:
        assert browser_state(made, str(port))
    assert not (Path(made.root) / ".director" / ".dctx").exists()


def test_another_browser_at_the_port_of_ours_is_not_ours(
    project: Make, dctx: Callable[..., Result]
) -> None:
    made = project({})
    with answering(browser_with([PAGE])) as port:
        Path(own_folder(made.root)).mkdir(parents=True)
        keep_started(made.root, Started(port, 999_999_999, "x-1"))
        assert browser_state(made).startswith("1 tab open")
        keep_started(made.root, Started(port, 999_999_999, "x-2"))
        assert browser_state(made) == ""
        done = dctx("browser", "show", cwd=Path(made.root))
    assert (done.code, done.out) == (1, "")
    assert "does not run any more" in done.err


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "[" * 9_000,
                                  '{"port": "x", "pid": 5, "browser": "b"}', '{"port": 5}',
                                  '{"port": 70000, "pid": 5, "browser": "b"}', '{"port": 5, "pid": 1, "browser": "b"}',
                                  '{"port": true, "pid": 7, "browser": "b"}'])  # fmt: skip
def test_an_odd_record_of_a_started_browser_is_none(text: str, project: Make) -> None:
    made = project({})
    Path(own_folder(made.root)).mkdir(parents=True)
    (Path(own_folder(made.root)) / "browser.json").write_text(text)
    assert read_started(made.root) is None


def test_no_project_can_bring_the_address_of_a_browser_along(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = project({})
    monkeypatch.setenv("XDG_STATE_HOME", f"{made.root}/state")
    place = started.state_place("browsers", started.text_digest(made.root)[:32])
    Path(place).mkdir(parents=True)
    (Path(place) / "browser.json").write_text('{"port": 9222, "pid": 5000, "browser": "b"}')
    assert read_started(made.root) is None
    with pytest.raises(DctxError, match="inside this project"):
        own_folder(made.root)


@pytest.mark.parametrize(
    "words",
    [
        ("open", "http://x", "--tab", "1"),
        ("open", "http://x"),
        ("act", "close", "1"),
        ("act", "click", "#a"),
    ],
)
def test_everything_that_does_something_needs_a_reason(words: tuple[str, ...], dctx: Callable[..., Result],
                                                       tmp_path: Path) -> None:  # fmt: skip
    for more in ((), ("--reason", " ")):
        done = dctx("browser", *words, *more, cwd=tmp_path)
        assert done.code == 2
        assert "No reason is given." in done.err


@pytest.mark.parametrize(
    "words",
    [("inspect",), ("open", "http://x", "--tab", "1"), ("open", "http://x"), ("act", "wait", "0")],
)
def test_without_playwright_that_is_said_before_a_browser_is_looked_for(
    words: tuple[str, ...],
    dctx: Callable[..., Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    reason = () if words == ("inspect",) else ("-r", "x")
    done = dctx("browser", *words, *reason, cwd=write(tmp_path, {}))
    assert done.code == 1
    assert "needs Playwright, which is not installed" in done.err
    assert "director-ctx[browser]" in done.err
    assert not (tmp_path / ".director" / ".dctx").exists()
    assert (
        "No browser is known" in dctx("browser", "act", "close", "1", "-r", "x", cwd=tmp_path).err
    )


@pytest.mark.skipif(os.name == "nt", reason="the program is a script")
def test_whatever_else_answers_at_the_port_is_not_the_browser_that_was_started(
    dctx: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("director_ctx.browser.launch.SECONDS_TO_START", 0.5)
    program = tmp_path / "program"
    with answering(browser_with([PAGE])) as port:
        for words in (
            "nothing",
            f"DevTools listening on ws://127.0.0.1:{port}/devtools/browser/another",
        ):
            program.write_text(
                f"#!/bin/sh\necho $$ > {tmp_path}/pid\necho '{words}' >&2\nexec sleep 60\n"
            )
            program.chmod(0o755)
            done = dctx("browser", "start", "--browser", str(program), cwd=write(tmp_path, {}))
            assert (done.code, done.out) == (1, "")
            assert "The browser did not answer within 0.5 seconds." in done.err
            with pytest.raises(ProcessLookupError):
                os.kill(int((tmp_path / "pid").read_text()), 0)


def test_without_a_browser_the_commands_say_how_to_get_one(
    dctx: Callable[..., Result], tmp_path: Path
) -> None:
    done = dctx("browser", "show", cwd=tmp_path)
    assert done.code == 1
    assert "No browser is known" in done.err
    assert "browser start" in done.err


@needs_playwright
def test_a_websocket_that_is_redirected_is_not_followed() -> None:
    visited: list[str] = []

    def elsewhere(stream: socket.socket, path: str) -> None:
        visited.append(path)

    with answering(elsewhere) as other:
        more = f"Location: ws://127.0.0.1:{other}/devtools/browser/x\r\n"
        with (
            answering(lambda stream, _: stream.sendall(http(b"", "302 Found", more))) as port,
            pytest.raises(DctxError, match="could not be spoken to"),
        ):
            in_browser(f"ws://127.0.0.1:{port}/devtools/browser/x", lambda pages: pages.page("x"))
    assert visited == []
