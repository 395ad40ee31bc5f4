"""What each coding agent's client speaks, and what is put into it. Begin with `table`."""
