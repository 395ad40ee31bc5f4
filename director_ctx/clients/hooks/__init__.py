"""Hooks into the clients, and the proof that contexts arrive."""
