"""Starts a Chromium with a profile of its own that goes on when dctx ends, and ends the one that
was started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from director_ctx.base.errors import DctxError
from director_ctx.browser.endpoint import Endpoint
from director_ctx.browser.started import Started, own_place
from director_ctx.browser.tabs import NoBrowser, browser_id, browser_socket

PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "brave-browser", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip
SECONDS_TO_START, SECONDS_TO_STOP = 30.0, 10.0
LISTENING = b"DevTools listening on ws://127.0.0.1:"
QUIET = (
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic", "--password-store=basic",
)  # fmt: skip
"""A browser for trying things in: it asks nothing, and calls nobody by itself."""


def find_program(named: str | None) -> str:
    import shutil

    names = (named,) if named else PROGRAMS
    for name in names:
        path = shutil.which(name)
        if path:
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


def launch(root: str | None, program: str, url: str | None, port: int, headless: bool) -> Started:
    """Starts it and waits until it answers."""
    folder = own_place(root)
    profile = os.path.join(folder, "profile")
    log = os.path.join(folder, "browser.log")
    os.makedirs(profile, 0o700, exist_ok=True)
    _check_free(port)

    words = [program, f"--remote-debugging-port={port}", f"--user-data-dir={profile}", *QUIET]
    if headless:
        words += ("--headless=new", "--disable-gpu")
    if is_root():
        words.append("--no-sandbox")
    words.append(url or "about:blank")
    with open(log, "wb") as said:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
                cwd=profile,
            )
        except OSError as error:
            raise DctxError(
                f"{program} could not be started: {error.strerror or error}.", "Name another."
            ) from error

    try:
        started = _answering(process, log)
    except BaseException:
        _end(process)
        raise
    process.returncode = 0  # it outlives us, so nobody waits for it
    return started


def _check_free(port: int) -> None:
    """A browser whose port is taken starts all the same, and listens nowhere."""
    import socket

    with socket.socket() as probe:
        if port and not probe.connect_ex(("127.0.0.1", port)):
            raise DctxError(f"Port {port} is taken.", "Choose another, or leave --port out.")


def _answering(process: subprocess.Popen[bytes], log: str) -> Started:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        listening = _listening(log)
        if listening:
            port, browser = listening
            if _is_there(port, browser):
                return Started(port, process.pid, browser)
        if process.poll() is not None:
            raise DctxError(
                f"The browser ended at once: {_last_words(log)}.", f"All it said is in {log}."
            )
        time.sleep(0.02)
    raise DctxError(
        f"The browser did not answer within {SECONDS_TO_START:g} seconds.",
        f"What it said is in {log}.",
    )


def _is_there(port: int, browser: str) -> bool:
    try:
        return browser_id(browser_socket(Endpoint("127.0.0.1", port))) == browser
    except NoBrowser:
        return False


def _listening(log: str) -> tuple[int, str] | None:
    """Port and id, in the browser's own words: whatever else answers at a port, this is the one
    that was started.

    It writes its port into the profile too, but only where it chose that itself.
    """
    for line in _said(log):
        is_whole = line.endswith(b"\n")
        if is_whole and line.startswith(LISTENING):
            address = line.removeprefix(LISTENING).strip().decode("ascii", "replace")
            port, _, path = address.partition("/")
            return (int(port), browser_id(path)) if port.isdigit() else None
    return None


def _said(log: str) -> list[bytes]:
    with open(log, "rb") as file:
        return file.read(100_000).splitlines(keepends=True)


def _last_words(log: str) -> str:
    from director_ctx.base.text import plain

    decoded = [line.decode("utf-8", "replace").strip() for line in _said(log)]
    lines = [line for line in decoded if line]
    if not lines:
        return "it said nothing"
    # An error says more than whatever came last.
    errors = [line for line in lines if "ERROR" in line]
    telling = errors[0] if errors else lines[-1]
    return plain(telling)[:200]


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def is_ours(root: str | None, pid: int) -> bool:
    """Whether this process is the browser with our profile, and not another one that got its number
    since.
    """
    return os.path.join(own_place(root), "profile") in _command_of(pid)


def _command_of(pid: int) -> str:
    try:
        if os.path.isdir("/proc/self"):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return os.fsdecode(file.read()).replace("\0", " ")
        asked = subprocess.run(
            ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
        )
        return asked.stdout.decode("utf-8", "replace")
    except OSError:
        return ""


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
            _reap(started.pid)
            if not is_ours(root, started.pid):
                return True
            time.sleep(0.02)
    raise DctxError("The browser does not end.", f"Its process is {started.pid}.")


def _reap(pid: int) -> None:
    """Where this very process started it (a library, a test), it stays as a zombie until it is
    asked for.
    """
    try:
        os.waitpid(pid, os.WNOHANG)
    except (OSError, AttributeError):
        pass
