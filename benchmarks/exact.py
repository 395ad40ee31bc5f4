"""The floor of an exact count: reads the files of a folder and counts them, and nothing else.

usage: python exact.py FOLDER
"""

from __future__ import annotations

import os
import sys

from director_ctx.context.tokens.tokenizers import load


def main(folder: str) -> None:
    count = load("o200k_base")
    total = 0
    for around, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(around, name), encoding="utf-8") as file:
                total += count(file.read())
    print(total)


if __name__ == "__main__":
    main(sys.argv[1])
