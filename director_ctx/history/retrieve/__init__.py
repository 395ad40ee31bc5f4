"""What was cut, asked for by a model: the tool that it is offered, `tool.py`, and what it is answered,
`answering.py`.
"""
