"""A model behind the proxy asks for what was cut, and gets it without its client noticing. Begin with
`retrieving.py`; `answering.py` is the way of an answer.
"""
