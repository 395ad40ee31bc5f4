"""Conversations made shorter, read, searched and kept."""
