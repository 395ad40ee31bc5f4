"""Conversations: what was said, turn by turn, and how it gets shorter with nothing lost for good.

Begin with `messages/message`, then `compress/compress`.
"""
