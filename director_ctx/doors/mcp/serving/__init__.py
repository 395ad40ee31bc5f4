"""Requests listened to and answered. Begin with `stdio.py`; `methods.py` is the table of what is answered."""
