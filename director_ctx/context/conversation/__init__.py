"""Part 6: a conversation as it is shown, without what contexts brought into it. Begin with `text`."""
