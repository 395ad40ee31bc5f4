"""What whoever goes on with a conversation has to know of it: `running.py` gathers, `write.py` writes
it into a room.
"""
