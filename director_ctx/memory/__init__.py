"""What lasts between runs: plans, variables, messages and summaries, over one store."""
