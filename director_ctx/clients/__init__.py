"""What each coding agent's client speaks: its events, its answers, its files and its limits. Pure."""
