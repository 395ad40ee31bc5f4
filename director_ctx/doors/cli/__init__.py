"""The command line: a room for each subject, with its commands and their table. Begin with `main`."""
