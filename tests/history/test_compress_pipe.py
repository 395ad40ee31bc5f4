"""`dctx compress` as it stands in a pipe: any format in, the same format out, shorter, valid, and
to be had back.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import measure
from director_ctx.history.valid.check import check

Raw = dict[str, object]


def chat(steps: int) -> list[Raw]:
    made: list[Raw] = [
        {"role": "user", "content": "Find out which module reads the feed, and mend it."}
    ]
    for step in range(steps):
        given = json.dumps({"command": f"cat src/module_{step}.py"})
        call = {
            "id": f"call_{step}",
            "type": "function",
            "function": {"name": "bash", "arguments": given},
        }
        made.append(
            {"role": "assistant", "content": f"Look at number {step}.", "tool_calls": [call]}
        )
        text = (
            "\n".join(f"    line {line} of what it says" for line in range(40))
            + f"\ndef read_feed_{step}(): ..."
        )
        made.append({"role": "tool", "tool_call_id": f"call_{step}", "content": text})
    return made


def talk(steps: int) -> list[Raw]:
    """The same in rows of another project's words, without marked calls."""
    said = {"user": "human", "assistant": "gpt", "tool": "human"}
    return [{"from": said[str(one["role"])], "value": one["content"]} for one in chat(steps)]


def piped(words: list[str], data: bytes, home: Path) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "director_ctx", *words],
        input=data,
        capture_output=True,
        check=False,
        cwd=home,
        env={**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home)},
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def tokens(data: bytes) -> int:
    return measure(read(data).messages, lambda text: -(-len(text) // 4))


@pytest.mark.parametrize("form", FORMATS)
def test_a_pipe_shortens_each_format_and_gives_it_back(form: str, tmp_path: Path) -> None:
    source = read(json.dumps(chat(30)).encode())
    data = write(source, source.messages, form)
    shorter = piped(["compress", "--ratio", "0.2"], data, tmp_path)
    assert read(data).format == form
    assert tokens(shorter) <= tokens(data) * 0.2
    assert check(read(shorter, form)) == []
    assert "read_feed_12" in shorter.decode()
    assert piped(["restore"], shorter, tmp_path) == data
