"""The page, `dctx ui`: what the command line tells, in a browser, live. Begin with
`pages/table.py`, the list of all pages, and `pages/now.py`, one of them.

A page is four things of one name:

- a row in `PAGES` of `pages/table.py`: its address below the project's, its title, its key;
- in the module of its noun in `pages/`, `NAME_data(visit)`, which calls use cases and gives their JSON, and
  `NAME_view(data)`, which makes of that what the template needs: a pure function, values to values;
- a template in `templates/`, which extends `layout` and fills its block `page`;
- nothing for `ADDRESS.json`: that is `data`, as it is.

What a page changes is a row in `ACTIONS` there, and a function `(visit, form) -> Done`, which calls
one use case. Nothing else changes anything, so tokens, limits and `--read-only` are looked after in
one place, `serving/`. A failure is a `DctxError`, shown above the page that it came from.

For templates, beside forms and links that work by themselves: `parts.html` has bars, times and hidden
fields; `<form data-live>` is sent without leaving the page, and a field in it with `data-now` sends it
at once; `data-press="x"` gives a button of an entry a key; `data-open="ID"` opens a `<dialog>`;
`<details data-from="ADDRESS">` is filled when it is opened, and `<a class="fold">` opens what it leads
to behind itself, which costs a long list a third; `progress(NAME, LABEL)` of `parts.html` shows what
an action says by `visit.progress(NAME, ...)`, on every page that has it. No style or script stands in
a template: the policy of the page would not take it. Lengths of bars are attributes of SVG.

A piece of a page that has an `id` is kept while others around it change, and so is what is typed,
opened or scrolled in it. A list whose entries come and go has a `data-key` on each of them.
"""
