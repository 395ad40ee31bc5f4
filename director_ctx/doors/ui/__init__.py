"""The page, `dctx ui`: what the command line tells, in a browser, live. Begin with
`pages/table.py`, the list of all pages, and `pages/now.py`, one of them.

A page is four things of one name:

- a row in `PAGES` of `pages/table.py`: its address below the project's, its title, its key;
- a module in `pages/` with `data(visit)`, which calls use cases and gives their JSON, and
  `view(data)`, which makes of that what the template needs: a pure function, values to values;
- a template in `templates/`, which fills the block `page` of `layout.html`;
- nothing for `ADDRESS.json`: that is `data`, as it is.

What a page changes is a row in `ACTIONS` there, and a function `(visit, form) -> Done`, which calls
one use case. Nothing else changes anything, so tokens, limits and `--read-only` are looked after in
one place, `serving/`. A failure is a `DctxError`, shown above the page that it came from.

A piece of a page that has an `id` is kept while others around it change, and so is what is typed,
opened or scrolled in it. A list whose entries come and go has a `data-key` on each of them.
"""
