"""Two tools plan in one project: neither loses what it says to the other."""

from __future__ import annotations

from pathlib import Path

from other_plans import again, copy, files, take

RULES = ".director/reference/spec-kit-CONVENTIONS.md"


def test_what_a_second_tool_says_goes_beside_what_is_there(tmp_path: Path) -> None:
    root = copy("spec-kit", copy("openspec", tmp_path))
    (root / "openspec/project.md").write_text("## Conventions\n\nShort names.\n")
    (root / ".director/codebase").mkdir(parents=True)
    own = root / ".director/codebase/CONVENTIONS.md"
    own.write_text("Mine.\n")
    take(root, "openspec")
    vision = (root / ".director/VISION.md").read_text()

    take(root, "spec-kit")
    assert own.read_text() == "Mine.\n"
    constitution = root / ".specify/memory/constitution.md"
    assert (root / RULES).read_text().strip() == constitution.read_text().strip()
    assert (root / ".director/VISION.md").read_text() == vision
    of_second = (root / ".director/reference/spec-kit-VISION.md").read_text()
    assert of_second.startswith("# Vision") and of_second != vision

    before = files(root)
    take(root, "spec-kit")
    assert files(root) == before


def test_what_went_beside_is_followed_there(tmp_path: Path) -> None:
    root = copy("spec-kit", tmp_path)
    own = root / ".director/codebase/CONVENTIONS.md"
    own.parent.mkdir(parents=True)
    own.write_text("Mine.\n")
    take(root, "spec-kit")
    constitution = root / ".specify/memory/constitution.md"
    constitution.write_text(constitution.read_text() + "\nOne more.\n")
    take(root, "spec-kit")
    assert "One more." in (root / RULES).read_text()
    (root / RULES).unlink()
    assert not again(root, "spec-kit").changes_something


def test_a_vision_that_somebody_wrote_stays_and_one_that_says_nothing_goes_nowhere(
    tmp_path: Path,
) -> None:
    root = copy("todo", tmp_path)
    (root / ".director").mkdir()
    vision = root / ".director/VISION.md"
    vision.write_text("# Vision\n\n## Project Name\nMine\n")
    take(root, "todo")
    assert vision.read_text() == "# Vision\n\n## Project Name\nMine\n"
    assert not (root / ".director/reference").exists()
