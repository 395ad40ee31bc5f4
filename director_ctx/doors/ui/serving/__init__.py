"""Requests let in, answered and told of changes: `application.py`."""
