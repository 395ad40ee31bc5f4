"""Pages as views inside a conversation (MCP Apps): `views.py`."""
