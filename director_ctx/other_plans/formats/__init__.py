"""Readers of other tools' plans, one each; `../find.py` lists them."""
