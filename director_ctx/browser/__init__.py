"""A real browser, over its debugging protocol: its tabs by plain HTTP, its pages through
Playwright.
"""
