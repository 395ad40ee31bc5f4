"""From a project to a prompt: sections, the ladder, layouts; these files are pure. Begin with `draft`."""
