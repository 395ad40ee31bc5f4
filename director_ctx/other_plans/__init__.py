"""Plans of other tools, taken over into `.director/` and followed from then on: `take_over.py` is the whole story."""
