"""The one place that knows every adapter: use cases, each in the order in which it happens."""
