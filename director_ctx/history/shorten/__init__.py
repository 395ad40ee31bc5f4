"""Single results made shorter: pages, consoles, long texts, and the stubs that say so. Begin with
`pages`.
"""
