"""Starts a Chromium with a profile of its own that goes on when dctx ends, and ends the one that
was started.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.browser.endpoint import Endpoint
from director_ctx.browser.started import (
    Started,
    forget_started,
    keep_started,
    own_folder,
    read_started,
)
from director_ctx.browser.state import find_own, open_tabs
from director_ctx.browser.tabs import NoBrowser, browser_id, browser_socket
from director_ctx.project.reading.lock import alone_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.browser.state import Browser
    from director_ctx.project.project import Project

PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "brave-browser", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip
SECONDS_TO_START = 30.0
SECONDS_TO_STOP = 10.0
LISTENING = b"DevTools listening on ws://127.0.0.1:"
QUIET = (
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic", "--password-store=basic",
)  # fmt: skip
"""A browser for trying things in: it asks nothing, and calls nobody by itself."""


def start(
    project: Project | None, url: str | None, port: int, program: str | None, headless: bool
) -> tuple[Browser, int, bool]:
    """The browser, its process, and whether it was started just now. Two who start at once get one
    browser.
    """
    root = project.root if project else None
    folder = own_folder(root)
    os.makedirs(folder, 0o700, exist_ok=True)
    with alone_in(folder):
        started = read_started(root)
        if started is not None:
            try:
                return find_own(root), started.pid, False
            except DctxError:
                # It hangs, or something else listens there: it must not go on beside the new one.
                stop(root, started)
        started = _launch(folder, find_program(program), url, port, headless)
        keep_started(root, started)
    browser = find_own(root)
    open_tabs(project, browser)
    return browser, started.pid, True


def end(project: Project | None) -> int:
    """The process that was ended; 0 where none of ours was running."""
    root = project.root if project else None
    started = read_started(root)
    if started is None:
        return 0
    was_running = stop(root, started)
    forget_started(root)
    return started.pid if was_running else 0


def find_program(named: str | None) -> str:
    for name in (named,) if named else PROGRAMS:
        if path := shutil.which(name):
            return path
    raise DctxError(
        f"{named} is not a program." if named else "No Chromium or Chrome was found.",
        "Name one with --browser FILE; on Debian: apt-get install chromium.",
    )


def has_display() -> bool:
    """Whether a window could be shown."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _launch(folder: str, program: str, url: str | None, port: int, headless: bool) -> Started:
    """Starts it and waits until it answers."""
    profile = os.path.join(folder, "profile")
    log = os.path.join(folder, "browser.log")
    os.makedirs(profile, 0o700, exist_ok=True)
    # A browser whose port is taken starts all the same, and listens nowhere.
    with socket.socket() as probe:
        if port and not probe.connect_ex(("127.0.0.1", port)):
            raise DctxError(f"Port {port} is taken.", "Choose another port, or leave --port out.")

    words = [program, f"--remote-debugging-port={port}", f"--user-data-dir={profile}", *QUIET]
    if headless:
        words += ("--headless=new", "--disable-gpu")
    if is_root():
        # Chromium refuses to start as root with its sandbox.
        words.append("--no-sandbox")
    with open(log, "wb") as output:
        try:
            process = subprocess.Popen(
                [*words, url or "about:blank"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd=profile,
            )
        except OSError as error:
            raise DctxError(
                f"{program} could not be started: {error.strerror or error}.",
                "Name another browser with --browser.",
            ) from error

    try:
        started = _wait_until_answering(process, log)
    except BaseException:
        process.kill()
        process.wait()
        raise
    process.returncode = 0  # it outlives us, so nobody waits for it
    return started


def _wait_until_answering(process: subprocess.Popen[bytes], log: str) -> Started:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        port, browser = _announced(log)
        try:
            if port and browser_id(browser_socket(Endpoint("127.0.0.1", port))) == browser:
                return Started(port, process.pid, browser)
        except NoBrowser:
            pass
        if process.poll() is not None:
            lines = [line.decode("utf-8", "replace").strip() for line in _log_lines(log)]
            # An error says more than whatever came last.
            telling = [line for line in lines if "ERROR" in line] or [
                line for line in lines if line
            ][-1:]
            last = plain(telling[0])[:200] if telling else "it said nothing"
            raise DctxError(
                f"The browser ended at once: {last}.",
                f"Everything that the browser printed is in {log}.",
            )
        time.sleep(0.02)
    raise DctxError(
        f"The browser did not answer within {SECONDS_TO_START:g} seconds.",
        f"What the browser printed is in {log}.",
    )


def _announced(log: str) -> tuple[int, str]:
    """Port and id, in the browser's own words: whatever else answers at a port, this is the one
    that was started.

    It writes its port into the profile too, but only where it chose that itself.
    """
    for line in _log_lines(log):
        if line.startswith(LISTENING) and line.endswith(b"\n"):
            address = line.removeprefix(LISTENING).strip().decode("ascii", "replace")
            port, _, path = address.partition("/")
            return (int(port), browser_id(path)) if port.isdigit() else (0, "")
    return 0, ""


def _log_lines(log: str) -> list[bytes]:
    with open(log, "rb") as file:
        return file.read(100_000).splitlines(keepends=True)


def is_ours(root: str | None, pid: int) -> bool:
    """Whether this process is the browser with our profile, and not another one that got its number
    since.
    """
    try:
        if os.path.isdir("/proc/self"):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read()
        else:
            words = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
            command = subprocess.run(words, capture_output=True, check=False).stdout
    except OSError:
        return False
    return os.fsencode(os.path.join(own_folder(root), "profile")) in command


def stop(root: str | None, started: Started) -> bool:
    """Ends the browser that was started, if it still runs; whether it did."""
    if not is_ours(root, started.pid):
        return False
    kill = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has none
    for how in (signal.SIGTERM, kill):
        deadline = time.monotonic() + SECONDS_TO_STOP
        try:
            os.kill(started.pid, how)
        except OSError:
            return True
        while time.monotonic() < deadline:
            # Where this very process started it (a library, a test), it stays as a zombie until it is
            # asked for.
            try:
                os.waitpid(started.pid, os.WNOHANG)
            except (OSError, AttributeError):
                pass
            if not is_ours(root, started.pid):
                return True
            time.sleep(0.02)
    raise DctxError("The browser does not end.", f"Its process is {started.pid}.")
