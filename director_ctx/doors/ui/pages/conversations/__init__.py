"""Conversations, one of them, its messages, and what was compressed: `conversation.py`."""
