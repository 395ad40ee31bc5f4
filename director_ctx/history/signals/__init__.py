"""What in a conversation matters: errors, files, attempts, phases. Begin with `importance`."""
