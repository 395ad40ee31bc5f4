"""The time as records in the folder have it."""

from __future__ import annotations

from time import localtime, strftime


def local_minute() -> str:
    """`2026-02-16 09:05`, by the clock on the wall."""
    return strftime("%Y-%m-%d %H:%M", localtime())
