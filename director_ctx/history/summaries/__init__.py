"""A summary in the place of messages: who writes it, and what it stands for. Begin with
`summaries`.
"""
