"""The protocol: its revisions, and messages read and written. Begin with `revisions.py`."""
