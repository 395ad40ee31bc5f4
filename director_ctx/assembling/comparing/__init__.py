"""What it costs to push a context, to have it asked for, or both, turn by turn; pure. Begin with `ways.py`."""
