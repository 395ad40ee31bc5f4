"""`dctx chat`: a message and its answer, or a conversation at the terminal. Begin with `chat.py`."""
