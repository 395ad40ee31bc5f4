"""A real browser: its tabs by plain HTTP, its pages through Playwright. Begin with `state`."""
