"""Readers of other tools' plans, one each: `openspec.py` is the shortest whole one; `../table.py` lists them."""
