"""What stays of old turns where they collapse: the lines whose concrete items are likely to be used
again. Begin with `choose`.
"""
