"""How a command may end, whatever it is given."""

from __future__ import annotations

ALLOWED = {0, 1, 2, 4, 5, 6, 130}
