"""Conversations, pure: what was said, turn by turn, and how it gets shorter with nothing lost for
good.
"""
