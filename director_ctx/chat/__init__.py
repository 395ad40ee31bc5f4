"""A conversation with a provider's model that keeps itself small. `turn.py` is one turn as values: what is
asked, and what is done with what comes back. `conversation.py` carries it out, `providers/` are the wires.
"""
