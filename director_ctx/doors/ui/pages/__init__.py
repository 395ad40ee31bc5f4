"""What the page shows: `table.py` lists it."""
