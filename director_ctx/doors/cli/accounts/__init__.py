"""What agents were told, and what it cost."""
