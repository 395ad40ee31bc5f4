"""`dctx restore`: whatever a compression took can be had again, all of it or one original."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pg
import pytest
from client_sessions import Claude
from conftest import Result, process, write
from histories import acted, chars4, said, user
from talks import run, text

from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read
from director_ctx.history.messages.message import measure
from director_ctx.history.strategies.config import STRATEGIES
from director_ctx.memory.store.store import new_id

Run = Callable[..., Result]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run()))
    return path


def compressed(dctx: Run, source: Path, *words: str) -> dict[str, Any]:
    made = dctx("compress", str(source), "--receipt", "r.json", *words)
    assert made.code == 0, made
    Path("short.json").write_text(made.out)
    return dict(json.loads(Path("r.json").read_text()))


@pytest.mark.parametrize("form", FORMATS)
def test_every_way_back_gives_the_original_to_the_byte(form: str, dctx: Run, source: Path) -> None:
    Path("other").write_text(
        dctx("compress", str(source), "--strategy", "clear", "--ratio", "1", "--to", form).out
    )
    whole = (
        dctx("restore", "other")
        if "dctx:" in Path("other").read_text()
        else Result(0, Path("other").read_text(), "")
    )
    source = Path("whole")
    source.write_text(whole.out)
    receipt = compressed(dctx, source, "--strategy", "clear", "--set", "keep_results=1")
    assert "dctx:" in Path("short.json").read_text()
    for words in (("short.json",), (receipt["id"],), (receipt["id"][:6],), ("r.json",)):
        assert dctx("restore", *words).out == source.read_text()
    assert (
        process("restore", cwd=Path(), stdin=Path("short.json").read_bytes()).out
        == source.read_text()
    )


@pytest.mark.parametrize("name", STRATEGIES)
def test_compressing_again_changes_nothing_and_another_target_begins_at_the_original(
    name: str, dctx: Run, source: Path
) -> None:
    words = ("--strategy", name, "--ratio", "0.3")
    compressed(dctx, source, *words)
    once = Path("short.json").read_text()
    again = dctx("compress", "short.json", *words)
    assert again.out == once
    for other in (("--ratio", "0.1"), ("--strategy", "clear"), ("--set", "window_size=5")):
        assert (
            dctx("compress", "short.json", *other).out == dctx("compress", str(source), *other).out
        )


def test_what_came_after_a_compression_stays_behind_the_original(dctx: Run, source: Path) -> None:
    compressed(dctx, source, "--ratio", "0.2")
    more = [{"role": "user", "content": "And now?"}, {"role": "assistant", "content": "Done."}]
    Path("on.json").write_text(json.dumps([*json.loads(Path("short.json").read_text()), *more]))
    result = dctx("restore", "on.json")
    assert json.loads(result.out) == [*run(), *more] and "2 of its messages" in result.err
    second = dctx("compress", "on.json", "--ratio", "0.2")
    assert "It was compressed before" in second.err
    Path("second.json").write_text(second.out)
    assert json.loads(dctx("restore", "second.json").out) == [*run(), *more]
    assert dctx("compress", "second.json", "--ratio", "0.2").out == second.out


STYLES: dict[str, dict[str, Any]] = {
    "spaced": {}, "compact": {"separators": (",", ":")}, "two": {"indent": 2}, "four": {"indent": 4},
    "letters": {"ensure_ascii": False}, "tabs": {"indent": "\t", "ensure_ascii": False},
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_what_went_on_is_restored_in_its_own_style(style: str, dctx: Run, source: Path) -> None:
    def dumped(messages: list[Any]) -> str:
        return json.dumps({"messages": messages}, **STYLES[style]) + "\n"

    whole = [{"role": "system", "content": 'A "colon": and an é.'}, *run()]
    source.write_text(dumped(whole), encoding="utf-8")
    compressed(dctx, source, "--strategy", "clear")
    new = {"role": "user", "content": "And then?"}
    Path("short.json").write_text(
        dumped([*json.loads(Path("short.json").read_text())["messages"], new])
    )
    assert dctx("restore", "short.json").out == dumped([*whole, new])


def test_what_the_user_took_out_of_the_shorter_one_stays_out(dctx: Run, source: Path) -> None:
    compressed(dctx, source, "--strategy", "clear")
    short = json.loads(Path("short.json").read_text())
    Path("less.json").write_text(json.dumps(short[:5] + short[7:]))
    assert json.loads(dctx("restore", "less.json").out) == run()[:5] + run()[7:]


def test_it_says_how_much_of_the_original_is_not_in_what_it_prints(dctx: Run, source: Path) -> None:
    receipt = compressed(dctx, source, "--strategy", "clear")
    short = json.loads(Path("short.json").read_text())
    Path("less.json").write_text(json.dumps(short[:5] + short[7:]))
    less = dctx("restore", "less.json")
    assert "2 messages and lines of the original are not in it" in less.err
    assert f"`dctx restore {receipt['id'][:12]}`" in less.err
    Path("last.json").write_text(json.dumps(short[:-1]))
    assert "1 message or line of the original is not in it" in dctx("restore", "last.json").err
    assert "not in it" not in dctx("restore", "short.json").err


WAYS = (("--strategy", "clear", "--set", "keep_results=1"), ("--ratio", "0.2"))


def place_of_stub(messages: list[dict[str, Any]]) -> int:
    return next(at for at, message in enumerate(messages) if "dctx:" in str(message["content"]))


@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("change", ("blank", "key", "both"))
def test_what_stands_around_the_words_of_a_stub_keeps_nothing_from_coming_back(
    words: tuple[str, ...], change: str, dctx: Run, source: Path
) -> None:
    compressed(dctx, source, *words)
    short = json.loads(Path("short.json").read_text())
    stub = short[place_of_stub(short)]
    if change != "key":
        stub["content"] += "\n"
    if change != "blank":
        stub["name"] = "bash"
    new = {"role": "user", "content": "And then?"}
    Path("changed.json").write_text(json.dumps([*short, new]))
    assert json.loads(dctx("restore", "changed.json").out) == [*run(), new]


@pytest.mark.parametrize("words", WAYS)
def test_a_stub_whose_words_were_changed_is_refused_with_the_receipt_of_the_original(
    words: tuple[str, ...], dctx: Run, source: Path
) -> None:
    receipt = compressed(dctx, source, *words)
    short = json.loads(Path("short.json").read_text())
    stub = short[place_of_stub(short)]
    stub["content"] = f"Edited. {stub['content']}"
    Path("changed.json").write_text(json.dumps(short))
    result = dctx("restore", "changed.json")
    assert result.code == 1 and not result.out
    assert "knows no compression" in result.err
    assert f"`dctx restore {receipt['id'][:12]}`" in result.err


def test_a_shorter_one_that_the_archive_does_not_know_is_taken_as_it_is(
    dctx: Run, source: Path
) -> None:
    compressed(dctx, source, "--strategy", "clear", "--set", "keep_results=1")
    assert dctx("history", "remove", "--all", "--yes").code == 0
    once = Path("short.json").read_text()
    again = dctx("compress", "short.json", "--strategy", "clear", "--set", "keep_results=1")
    assert again.out == once and again.code == 0
    missing = dctx("restore", "short.json")
    assert missing.code == 1 and "knows no compression" in missing.err and not missing.out


def test_what_was_cut_by_another_program_counts_as_far_as_its_original_is_known(
    dctx: Run, source: Path
) -> None:
    receipt = compressed(dctx, source, "--strategy", "clear", "--set", "keep_results=1")
    with (
        closing(sqlite3.connect(Path.home() / ".local/state/dctx/store.db")) as connection,
        connection,
    ):
        connection.execute("DELETE FROM dctx_compressions")
    second = json.loads(dctx("compress", "short.json", "--ratio", "0.5", "--dry-run").out)
    assert (
        second["tokens_in"] == receipt["tokens_in"]
        and second["target"] == receipt["tokens_in"] // 2
    )
    assert second["met"] and not second["cuts"]


def size(path: Path) -> int:
    return measure(read(path.read_bytes()).messages, chars4)


def asking(locator: str, times: int) -> list[dict[str, Any]]:
    """An agent that does what a digest says."""
    return [
        one
        for n in range(1, times + 1)
        for one in acted(
            "bash", {"command": f"dctx restore '{locator}#{n}'"}, f"block {n}", name=f"g{n}"
        )
    ]


@pytest.mark.parametrize("times", [1, 40, 300])
def test_a_shortened_history_is_known_however_often_locators_are_named_in_it(
    times: int, dctx: Run, source: Path
) -> None:
    compressed(dctx, source, "--set", "window_size=4")
    short = Path("short.json").read_text()
    more = asking(short[short.index("dctx:") :][:17], times)
    Path("on.json").write_text(json.dumps([*json.loads(short), *more]))
    found = dctx("restore", "on.json")
    assert json.loads(found.out) == [*run(), *more] and "still shortened" not in found.err
    assert "It was compressed before" in dctx("compress", "on.json", "--ratio", "0.2").err


def test_what_is_quoted_of_a_shortened_history_is_no_earlier_self_of_another(
    dctx: Run, source: Path
) -> None:
    compressed(dctx, source, "--ratio", "0.2")
    digest = next(
        one for one in json.loads(Path("short.json").read_text()) if "earlier messages" in str(one)
    )
    other = [
        *user("Another task."),
        digest,
        *(one for n in range(20) for one in acted("ls", {"n": n}, f"{n} " * 400)),
    ]
    Path("other.json").write_text(json.dumps(other))
    made = dctx("compress", "other.json", "--ratio", "0.2")
    assert "compressed before" not in made.err
    # The digest tells what was asked for in the other one, and nothing of that is put back.
    assert json.loads(made.out)[0]["content"] == other[0]["content"]
    assert run()[0]["content"] not in [one["content"] for one in json.loads(made.out)]
    Path("short.json").write_text(made.out)
    assert dctx("restore", "short.json").out == Path("other.json").read_text()


def test_of_many_that_have_the_same_digest_the_very_one_is_put_back(
    dctx: Run, source: Path
) -> None:
    shorter = []
    for number in range(6):
        source.write_text(json.dumps([*user(f"Task {number}."), *run()[1:]]))
        compressed(dctx, source, "--set", "window_size=4")
        shorter.append(Path("short.json").read_text())
    for number, one in enumerate(shorter):
        Path("short.json").write_text(one)
        assert json.loads(dctx("restore", "short.json").out)[0]["content"] == f"Task {number}."


def test_a_stub_counts_once_and_only_where_it_fits_its_original(dctx: Run, source: Path) -> None:
    compressed(dctx, source, "--strategy", "clear")
    stub = next(
        one["content"]
        for one in json.loads(Path("short.json").read_text())
        if "[…" in str(one["content"])
    )
    locator = stub[stub.index("dctx:") :].rstrip("]")
    told = [
        f"{'line ' * 200}\n[… 10 of 20 characters cut: {locator}]",
        f"$ cat note\n{stub}",
        stub,
        stub,
    ]
    forged = [*user("Go."), *(one for n in range(20) for one in acted("ls", {"n": n}, told[n % 4]))]
    Path("forged.json").write_text(json.dumps(forged))
    receipt = json.loads(dctx("compress", "forged.json", "--ratio", "0.9", "--dry-run").out)
    assert 0 < receipt["tokens_in"] - size(Path("forged.json")) < len(text(0)) / 4


def test_a_history_that_only_mentions_a_locator_comes_out_as_it_went_in(
    dctx: Run, source: Path
) -> None:
    Path("asked.json").write_text(
        json.dumps([*user("What is dctx:0123456789ab ?"), *said("A locator.")])
    )
    result = dctx("restore", "asked.json")
    assert (result.code, result.out) == (
        0,
        Path("asked.json").read_text(),
    ) and "the locators in it are quoted" in result.err


def test_another_compression_of_the_same_is_not_taken_for_one_that_was_forgotten(
    dctx: Run, source: Path
) -> None:
    first = compressed(dctx, source, "--strategy", "clear", "--set", "keep_results=1")
    short = Path("short.json").read_text()
    compressed(dctx, source, "--strategy", "clear", "--set", "keep_results=2")
    assert dctx("restore", "short.json").out == source.read_text()
    twin, other = json.loads(short), json.loads(Path("short.json").read_text())
    assert 2 * len([one for one in other if one in twin]) > len(other)
    Path("first.json").write_text(short)
    forgotten = dctx("history", "remove", first["id"], "--yes")
    assert forgotten.code == 0 and "can then no longer be restored whole" in forgotten.out
    missing = dctx("restore", "first.json")
    assert missing.code == 1 and not missing.out and "knows no compression" in missing.err
    assert (
        "compressed before"
        not in dctx("compress", "first.json", "--set", "window_size=4", "--dry-run").err
    )
    Path("less.json").write_text(json.dumps([one for one in other if one != other[-2]]))
    assert dctx("restore", "less.json").code == 0


def test_nothing_can_be_restored_that_is_not_there(dctx: Run, source: Path) -> None:
    for words in (("nowhere.json",), ("0123456789ab",), ("../",)):
        result = dctx("restore", *words)
        assert result.code == 1 and not result.out and "hint" in result.err


def test_a_history_that_was_never_shortened_is_printed_as_it_is(dctx: Run, source: Path) -> None:
    result = dctx("restore", str(source))
    assert (result.code, result.out) == (
        0,
        source.read_text(),
    ) and "Nothing in this conversation was shortened." in result.err
    Path("prose.txt").write_text("Nobody said this.")
    prose = dctx("restore", "prose.txt")
    assert prose.code == 1 and not prose.out


# What was compressed


def test_all_receipts_are_listed(dctx: Run, source: Path) -> None:
    none = dctx("restore", "--list")
    assert (none.code, none.out) == (0, "") and "Nothing was compressed here yet." in none.err
    made = [
        compressed(dctx, source, *words) for words in (("--strategy", "clear"), ("--ratio", "0.2"))
    ]
    lines = dctx("restore", "--list").out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == [one["id"][:12] for one in made]
    assert all(
        "run.json" in line and f"{one['tokens_out']:,}" in line
        for line, one in zip(lines, made, strict=True)
    )
    found = json.loads(dctx("restore", "--list", "--json").out)
    assert [one["strategy"] for one in found] == ["clear", "hybrid"]


def test_get_prints_an_original_to_the_byte(dctx: Run, source: Path) -> None:
    receipt = compressed(dctx, source, "--strategy", "clear")
    for cut in receipt["cuts"]:
        assert dctx("restore", cut["locator"]).out == text(int(cut["message"]) // 2 - 1)
    assert dctx("restore", f"[{receipt['cuts'][0]['locator']}]").out == text(0)
    for wrong in ("dctx:000000000000", "nonsense", "dctx:zz"):
        result = dctx("restore", wrong)
        assert result.code == 1 and not result.out and "hint" in result.err


def test_get_prints_a_block_of_a_digest_by_its_number(dctx: Run, source: Path) -> None:
    compressed(dctx, source, "--set", "window_size=3")
    short = Path("short.json").read_text()
    locator = short[short.index("dctx:") :][:17]
    whole = dctx("restore", locator).out
    assert f"#2 result bash\n{text(0)}" in whole
    assert dctx("restore", f"{locator}#2").out == text(0)
    two = dctx("restore", f"{locator}#2-3").out
    assert two.startswith(f"#2 result bash\n{text(0)}\n#3 ") and two in whole


@pytest.mark.proof
def test_a_shared_database_is_an_archive_too(source: Path, server: pg.Server) -> None:
    url = server.database()
    pg.migrated(url).close()
    root = write(source.parent / "project", {"dctx.yaml": f"workflow_id: {new_id()}\n"})
    env = {"DCTX_STORE": url}
    data = source.read_bytes().replace(b"What", b"\\u0000\\ud83d What")
    made = process("compress", "--strategy", "clear", cwd=root, stdin=data, env=env)
    assert made.code == 0, made
    assert process("restore", cwd=root, stdin=made.out.encode(), env=env).out.encode() == data
    locator = made.out[made.out.index("dctx:") :][:17]
    assert process("restore", locator, cwd=root, env=env).code == 0
    again = process("compress", "--strategy", "clear", cwd=root, stdin=made.out.encode(), env=env)
    assert again.out == made.out
    assert process("history", "remove", "--all", "--yes", cwd=root, env=env).code == 0
    assert process("restore", locator, cwd=root, env=env).code == 1


def test_of_a_long_conversation_with_one_digest_everything_comes_back(
    dctx: Run, tmp_path: Path
) -> None:
    root = write(tmp_path / "links", {".director/VISION.md": "# Vision\n"})
    lines = Claude(root)
    for number in range(120):
        lines.user(f"Look at page {number}.")
        lines.said(f"Page {number} is fine. " * 40)
        # It hangs on what is gone, so it is another line then, in which nothing is named.
        lines.line("system", subtype="stop_hook_summary", says=f"{number} \u2713")
    lines.said("It is done.")
    source = root / "session.jsonl"
    # As no client writes them, so they are kept as they stand.
    each = [f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines.lines]
    source.write_text("".join(each))
    short = dctx("compress", str(source), "--ratio", "0.3", cwd=root)
    (root / "short.jsonl").write_text(short.out)
    assert dctx("restore", "short.jsonl", cwd=root).out == source.read_text()


@pytest.mark.parametrize("every_line", (False, True))
def test_a_session_that_went_on_under_another_id_comes_back_as_its_client_has_it(
    every_line: bool, dctx: Run, tmp_path: Path
) -> None:
    def written(line: dict[str, Any]) -> str:
        return json.dumps(line, separators=(",", ":")) + "\n"

    root = write(tmp_path / "links", {".director/VISION.md": "# Vision\n"})
    lines = Claude(root)
    for number in range(40):
        lines.user(f"Look at page {number}.")
        lines.said(f"Page {number} is fine. " * 40)
    source = root / "session.jsonl"
    source.write_text("".join(written(line) for line in lines.lines))
    short = dctx(
        "compress", str(source), "--strategy", "sliding_window", "--set", "window_size=10", cwd=root
    ).out

    later = {**lines.lines[-1], "uuid": "later", "parentUuid": lines.parent, "sessionId": "new"}
    went_on = short + written(later)
    if every_line:
        went_on = went_on.replace(lines.session, "new")
    (root / "on.jsonl").write_text(went_on)
    result = dctx("restore", "on.jsonl", cwd=root)
    restored = result.out.splitlines()
    sessions = {json.loads(line)["sessionId"] for line in restored[:-1]}
    if every_line:
        assert len(restored) == len(lines.lines) + 1 and sessions == {"new"}
    else:
        assert (
            restored[:-1] == source.read_text().splitlines()
            and len(restored) == len(lines.lines) + 1
        )
