"""From a project to a prompt, pure: sections, the ladder, layouts. Begin with `draft`."""
