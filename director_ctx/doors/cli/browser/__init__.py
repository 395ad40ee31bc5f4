"""A browser looked into and acted in."""
