"""Answers on their way to a client, whole, cut, or stopped in the middle."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

from asking_models import STREAM_HEAD, plain, streamed

Json = dict[str, Any]


def send_stream(
    client: socket.socket,
    events: Iterator[Json | str],
    trouble: str,
    second_half: threading.Event | None = None,
) -> None:
    data = streamed(events)
    if second_half:
        # Behind the first half of the first text.
        middle = data.index(b"\n\n", data.index(b"delta")) + 2
        client.sendall(STREAM_HEAD + b"%x\r\n%s\r\n" % (middle, data[:middle]))
        assert second_half.wait(60)
        client.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(data) - middle, data[middle:]))
        return
    if trouble == "cut":
        half = data[: len(data) // 2]
        client.sendall(STREAM_HEAD + b"%x\r\n%s\r\n" % (len(half), half))
        raise OSError
    client.sendall(STREAM_HEAD + b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data))


def send_whole(client: socket.socket, document: Json, trouble: str) -> None:
    data = plain(document)
    if trouble == "cut":
        client.sendall(data[: len(data) // 2])
        raise OSError
    client.sendall(data)


def cut_response(whole: Json, reason: str) -> None:
    """A call at its end is cut in its middle; a model that refuses says so, and is done."""
    if not reason:
        return
    if reason == "refusal":
        for item in whole["output"]:
            item["content"] = [{"type": "refusal", "refusal": item["content"][0]["text"]}]
        return
    whole["status"], whole["incomplete_details"] = "incomplete", {"reason": reason}
    last = whole["output"][-1] if whole["output"] else {}
    if last.get("type") == "function_call":
        last["status"] = "incomplete"
        last["arguments"] = last["arguments"][:-3]
