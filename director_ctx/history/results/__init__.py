"""Single results made shorter: snapshots of pages, what a console said, and long texts."""
