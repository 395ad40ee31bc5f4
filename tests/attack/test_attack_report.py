"""`dctx report` of folders, records and sessions that somebody made to break it or to get out of it."""

from __future__ import annotations

import re
from pathlib import Path

from client_sessions import Claude
from conftest import process, write
from folders import CANARY, FILES, every_folder, good

from director_ctx.base.errors import DctxError
from director_ctx.doors.ui.sharing.report import report
from director_ctx.memory.runs.choose import find_run
from director_ctx.memory.runs.storage import read_runs
from director_ctx.project.project import load_project

HOSTILE = (
    "</style></title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<svg/onload=alert(1)>",
    "<base href=http://evil.example><meta http-equiv=refresh content=0>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><form action=http://evil.example>",
    "<!--<script>",
    "javascript:alert(1)",
)
OWN_LABEL = '<foreignobject width="100%" height="30"><div class="room"><div class="label">'
TAG = re.compile(r"<(script|img|iframe|object|embed|base|form|link|foreignObject|use)\b", re.I)


def test_no_folder_breaks_a_report_or_leads_it_out(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", dict.fromkeys(FILES, f"# {CANARY}\n")) / ".director"
    tried, bad = 0, {}
    for number, (title, damage) in enumerate(every_folder()):
        # What a link leads to is tried in full; of the others every eighth.
        if " links " not in title and number % 8:
            continue
        root = write(tmp_path / f"p{number}", {**good(), "/beside.md": f"{CANARY}\n"})
        try:
            damage(root / ".director", outside)
        except (OSError, ValueError):
            continue
        tried += 1
        try:
            text = report(load_project(root=str(root)))
        except DctxError:
            continue  # said in a sentence
        except Exception as error:
            bad[title] = repr(error)[:200]
            continue
        if CANARY in text or TAG.search(text):
            bad[title] = "leads out"
    assert bad == {}
    assert tried > 40


def test_what_was_said_in_a_session_and_on_record_is_words_in_a_report(tmp_path: Path) -> None:
    hostile = "\n".join(HOSTILE)
    root = write(tmp_path / "p", good())
    talk = Claude(root).user(hostile)
    talk.called("c1", hostile, hostile, file_path=hostile).said(hostile, tokens=30_000).write()
    corner = root / ".director" / ".dctx"
    assert process("assemble", "builder", cwd=root).code == 0
    lines = (corner / "runs.jsonl").read_text().splitlines()
    odd = [lines[-1].replace('"builder"', '"</script><script>alert(1)"')]
    odd += ['{"id": 1e999, "agent": ["x"]}', "[" * 5_000, '{"used": -1}', "\x00\ud7ff"]
    (corner / "runs.jsonl").write_text("\n".join([*lines, *odd, *lines]) + "\n")
    (corner / "copies.json").write_text('[{"path": "/etc/passwd"}, 1, "x"]')
    place = tmp_path / "report.html"
    result = process("report", "-o", str(place), cwd=root)
    assert (result.code, "Traceback" in result.err) == (0, False), result
    text = place.read_text()
    assert OWN_LABEL in text, "the picture of the tokens"
    assert TAG.search(text.replace(OWN_LABEL, "")) is None
    assert text.count("</style>") == 1
    assert "&lt;svg/onload" in text


def test_a_context_that_is_on_record_twice_is_found_by_its_id(tmp_path: Path) -> None:
    root = write(tmp_path / "p", good())
    assert process("assemble", "builder", cwd=root).code == 0
    record = root / ".director" / ".dctx" / "runs.jsonl"
    record.write_text(record.read_text() * 2)
    run = read_runs(str(root))[-1]
    assert find_run(read_runs(str(root)), run.id).id == run.id
    assert "The newest context" in report(load_project(root=str(root)))
