"""Messages and blocks, as every format is read, and the stubs that stand where something was cut. Begin with `message`."""
