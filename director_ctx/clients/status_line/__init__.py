"""One line below a client's input: what is being done, how full the window is. Begin with `line`."""
