"""The lock and what it locks: pyproject.toml decides, requirements-dev.txt says which bytes."""

from __future__ import annotations

import re
import tomllib

from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

LOCK = (ROOT / "requirements-dev.txt").read_text("utf-8")
STALE = "requirements-dev.txt is behind pyproject.toml: `make lock` renews it"


def wanted() -> list[Requirement]:
    """What pyproject.toml asks for, to run and to develop."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    return [Requirement(line) for line in lines]


def entries() -> dict[str, str]:
    """The text about each package: its version, its hashes, and who asked for it."""
    texts = re.split(r"^(?=\w)", LOCK, flags=re.MULTILINE)
    return {text.partition("==")[0]: text for text in texts if not text.startswith("#")}


def version_of(entry: str) -> Version:
    words = entry.split()
    return Version(words[0].partition("==")[2])


def test_each_requirement_is_locked_to_a_version_that_it_allows() -> None:
    locked = entries()
    for requirement in wanted():
        entry = locked.get(canonicalize_name(requirement.name))
        assert entry is not None, f"{requirement.name}: {STALE}"
        assert requirement.specifier.contains(version_of(entry)), f"{requirement}: {STALE}"


def test_nothing_is_locked_for_a_requirement_that_is_gone() -> None:
    asked = {name for name, entry in entries().items() if "director-ctx (pyproject.toml" in entry}
    assert asked == {canonicalize_name(requirement.name) for requirement in wanted()}, STALE


def test_each_locked_package_has_the_hash_of_its_files() -> None:
    without = [name for name, entry in entries().items() if "--hash=sha256:" not in entry]
    assert entries() and without == []


def test_the_lock_names_no_index_and_no_folder() -> None:
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK
    assert not re.search(r"(^|\s)/", LOCK)
