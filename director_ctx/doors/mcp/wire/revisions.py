"""What the revisions of the protocol call things, as data."""

from __future__ import annotations

MODERN = ("2026-07-28",)
"""Every request says for itself who asks, and in which revision."""
BY_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
"""A connection begins with `initialize`, which settles that for all that follows."""
SUPPORTED = (*MODERN, *BY_HANDSHAKE)
WITH_BATCHES = ("2025-03-26",)
"""Several messages may come in one frame."""

_OWN = "io.modelcontextprotocol/"
VERSION = f"{_OWN}protocolVersion"
CLIENT = f"{_OWN}clientInfo"
CAPABILITIES = f"{_OWN}clientCapabilities"
SERVER = f"{_OWN}serverInfo"
"""Keys of `_meta`."""

NOT_JSON = -32700
NO_REQUEST = -32600
NO_METHOD = -32601
BAD_PARAMETERS = -32602
BUG = -32603
BUSY = -32000
OTHER_REVISION = -32022
NO_RESOURCE_BEFORE = -32002
"""What a missing resource was before 2026-07-28; since then it is a bad parameter."""
