"""A program that is gone at its n-th change of the disk, as after `kill -9`."""

from __future__ import annotations

COUNT_DOWN = """
import os, sys
left = int(sys.argv[1])
def counted(name):
    real = getattr(os, name)
    def call(*words, **more):
        global left
        left -= 1
        if left < 0:
            os._exit(137)
        return real(*words, **more)
    setattr(os, name, call)
"""
"""The beginning of a script: n is its first argument, and `counted` takes a name of `os`."""
