"""Messages and summaries as rows. Begin with `messages`."""
