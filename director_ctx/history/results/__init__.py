"""Single results made shorter, each by what it is. Begin with `shorten`: one way in; `forms` lists the
forms, and each has a module.
"""
