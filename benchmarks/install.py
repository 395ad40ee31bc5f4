"""Puts dctx and the tools it is compared with into `.bench/`, each as its users install it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BENCH = REPOSITORY / ".bench"
TOOLS, DCTX, PEERS, NODE = BENCH / "tools", BENCH / "dctx", BENCH / "peers", BENCH / "node"
EMPTY = REPOSITORY / "benchmarks" / "empty"
REPOMIX = NODE / "node_modules" / "repomix"


class Missing(Exception):
    """Why a tool could not be installed."""


def run(*command: str | Path) -> None:
    """One step of an installation, in an environment in which Python keeps its compiled files."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    except OSError as error:
        raise Missing(f"{command[0]} cannot be started: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        said = [line for line in f"{error.stdout}\n{error.stderr}".splitlines() if line.strip()]
        raise Missing(said[-1] if said else f"{command[0]} failed") from error


def _pip(target: Path, *arguments: str | Path) -> None:
    """Installs into a venv that has nothing of its own, with today's pip: older ones write slower
    scripts.
    """
    if not TOOLS.exists():
        run(sys.executable, "-m", "venv", TOOLS)
        run(TOOLS / "bin" / "python", "-m", "pip", "install", "--quiet", "--upgrade", "pip")
    if not target.exists():
        run(sys.executable, "-m", "venv", "--without-pip", target)
    python = target / "bin" / "python"
    run(
        TOOLS / "bin" / "python",
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--compile",
        *arguments,
    )


def install_dctx() -> None:
    """Builds the wheel anew and installs it: what is measured is the code as it is now."""
    new = not any(DCTX.glob("lib/*/site-packages/*bpe*"))
    _pip(DCTX, *(() if new else ("--force-reinstall", "--no-deps")), f"{REPOSITORY}[exact]")
    if not (DCTX / "bin" / "empty-script").exists():
        _pip(DCTX, EMPTY)


def install_packages(target: Path, *names: str) -> None:
    _pip(target, *names)


def install_python_peer(name: str) -> None:
    if not (PEERS / "bin" / name).exists():
        _pip(PEERS, name)


def install_repomix() -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm is not installed")
    if not REPOMIX.exists():
        NODE.mkdir(parents=True, exist_ok=True)
        run(npm, "install", "--prefix", NODE, "--no-audit", "--no-fund", "--silent", "repomix")


def python_version_of(name: str) -> str:
    code = f"from importlib.metadata import version; print(version({name!r}))"
    done = subprocess.run(
        [PEERS / "bin" / "python", "-c", code], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def repomix_version() -> str:
    return str(json.loads((REPOMIX / "package.json").read_text(encoding="utf-8"))["version"])
