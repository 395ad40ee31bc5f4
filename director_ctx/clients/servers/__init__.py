"""The server `dctx mcp` in the settings of clients: `places.py` says where, `install.py` writes it."""
