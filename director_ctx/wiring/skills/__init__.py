"""Skills: found, planned, rendered, linted, installed."""
