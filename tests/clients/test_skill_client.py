"""The real Claude Code, two versions of it, offline: a skill shows it what `dctx skill show
--rendered` prints.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT, commit
from real_clients import Place

from director_ctx.clients.verify.scripted_model import AnswerRule

pytestmark = pytest.mark.proof

VERSIONS = ("claude 2.1.197", "claude 2.1.326")
FORMS = """\
$ARGUMENTS|$0|$1|$ARGUMENTS[1]|$first|$second|$third|${first}|$0a|\\$0|\\$first|$$0
${CLAUDE_SKILL_DIR} ${CLAUDE_PROJECT_DIR} ${CLAUDE_NONSENSE}

<state>
!`cat .director/STATE.md 2>/dev/null || echo "NO_PROJECT"`
</state>
Inert: x!`cat a` (!`cat b`) `!ls` and `` !`cat .director/config.json` ``

```
!`cat .director/NONE.md 2>/dev/null || echo "NONE"`
```
  - !`cat .director/VISION.md .director/STATE.md | head -n 3` !`cat .director/IDEAS.md`
```!
cat .director/GAMEPLAN.md
git log --oneline -3
```
!`git diff --stat 2>/dev/null || echo "NO_CHANGES"`
!`git log --stat --format="%h %s" -n 2`
Empty: !`git log -1 --author=nobody`
"""
OWN = "!`{dctx} assemble builder --task 2/1/3`\n\n!`{dctx} status`\n!`{dctx} task show 2/1/3 || true`\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    """`dctx` of this checkout, wherever the client looks."""
    path = tmp_path / "bin" / "dctx"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m director_ctx "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("version", VERSIONS)
def test_our_own_skills_show_what_render_prints(
    version: str, example: Path, tmp_path: Path
) -> None:
    place = Place(version, tmp_path, example)
    assert place.dctx("setup", "--what", "skills", "--client", "claude", "--yes").code == 0
    for name in ("dctx-build", "dctx-brainstorm", "dctx-next"):
        place.run([f"/{name} offline mode"], [AnswerRule("done")])
        printed = place.dctx("skill", "show", name, "--rendered", "offline mode")
        assert (
            printed.code == 0
            and "(not available" not in printed.out
            and "offline mode" in printed.out
        )
        assert printed.out.rstrip("\n") in place.first(f"skills/{name}\n")


BODIES = {
    "forms": (FORMS, "alpha 'two words' !not"),
    "own": (OWN, ""),
    "appended": ("No place for them.\n", "some 'of these'"),
    "escaped": ("Five: $5.00 \\$0\n", ""),
}
# Version 2.1.197 still takes `$5` for an argument that is missing.
CASES = [
    pytest.param(version, *BODIES[name], id=f"{version}-{name}")
    for version in VERSIONS
    for name in BODIES
    if (version, name) != ("claude 2.1.197", "escaped")
]


@pytest.mark.parametrize(("version", "body", "arguments"), CASES)
def test_the_client_sees_what_render_prints(
    version: str, body: str, arguments: str, program: str, example: Path, tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    place = Place(version, tmp_path / "run", example)
    skill = place.root / ".claude" / "skills" / "probe" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    head = f"---\nname: probe\ndescription: Looks.\narguments: first second\nallowed-tools: Bash({program} *)\n---\n\n"
    skill.write_text(head + body.replace("{dctx}", program))
    commit(place.root, "A skill")
    (place.root / "README.md").write_text("Changed.\n")
    place.run([f"/probe {arguments}".strip()], [AnswerRule("done")])
    printed = place.dctx(
        "skill", "show", "probe", "--rendered", *([arguments] if arguments else [])
    )
    assert printed.code == 0 and "(not available" not in printed.out, printed
    assert place.first("Base directory for this skill").count(printed.out.rstrip("\n")) == 1
