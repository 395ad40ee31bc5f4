"""What is needed to make a context again a month later. Begin with `lock`."""
