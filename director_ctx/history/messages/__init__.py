"""Messages and blocks as every format is read, and the stubs where something was cut. Begin with
`message`.
"""
