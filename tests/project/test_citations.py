"""Which paths a note cites: generous with what could be one, strict with what cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.project.notes.citations import LONGEST, MOST, citations

NOTE = ".director/codebase"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("`src/app.py`", "src/app.py"),
        ("`./src/app.py`", "src/app.py"),
        ("`src/app.py:12`", "src/app.py"),
        ("`src/app.py:12-20`", "src/app.py"),
        ("`src/app.py#L12`", "src/app.py"),
        ("`src/app.py:main()`", "src/app.py"),
        ("`tests/test_app.py::test_it`", "tests/test_app.py"),
        ("`src/app()`", "src/app"),
        ("`src/app.py.`, `and`", "src/app.py"),
        ("`src/foo/`", "src/foo/"),
        ("`src/`", "src/"),
        ("`src//foo`", "src/foo"),
        ("`src/x/../app.py`", "src/app.py"),
        ("`src\\win\\app.py`", "src/win/app.py"),
        ("`links.py`", "links.py"),
        ("`.gitignore`", ".gitignore"),
        ("`Makefile`", "Makefile"),
        ("`app/(shop)/[id]/page.tsx`", "app/(shop)/[id]/page.tsx"),
        ("``src/app.py``", "src/app.py"),
        ("` src/app.py `", "src/app.py"),
        ("`grüße/ähm.py`", "grüße/ähm.py"),
        ("| `src/app.py` | what |", "src/app.py"),
        ("- **Entry** (`src/app.py`): this", "src/app.py"),
        ("[app](src/app.py)", "src/app.py"),
        ('[app](src/app.py "The app")', "src/app.py"),
        ("[app](../../src/app.py)", "src/app.py"),
        ("[app](<src/my app.py>)", "src/my app.py"),
        ("[app](src/my%20app.py)", "src/my app.py"),
        ("[app](app/(shop)/page.tsx#top)", "app/(shop)/page.tsx"),
        ("![shot](img/shot.png)", "img/shot.png"),
        ("[app]: src/app.py", "src/app.py"),
    ],
)
def test_cited(text: str, path: str) -> None:
    assert citations(text, NOTE) == (path,)


@pytest.mark.parametrize(
    "text",
    [
        "src/app.py",
        "```\n`src/app.py`\n```",
        "<!-- hidden\n`src/app.py`\n-->",
        "`https://example.org/a.py`",
        "[x](https://example.org/a.py)",
        "[x](#heading)",
        "[x](mailto:a@example.org)",
        "[^1]: src/app.py",
        "`src/*.py`",
        "`src/**`",
        "`src/{a,b}.py`",
        "`/etc/passwd.py`",
        "`\\\\server\\x.py`",
        "`C:\\src\\app.py`",
        "`~/app.py`",
        "`$HOME/app.py`",
        "`../../../out.py`",
        "`src/../../out.py`",
        "`--config=src/app.py`",
        "`-o src/app.py`",
        "`python src/app.py`",
        "`<name>/app.py`",
        "`Project`",
        "`make`",
        "`main()`",
        "`3.11`",
        "`.`",
        "`..`",
        "``",
        "`src/app.py",
        "\\`src/app.py",
        "[x](",
        "[x](src/app.py",
        "`a\x07b/c.py`",
        f"`{'a/' * LONGEST}b.py`",
    ],
)
def test_not_cited(text: str) -> None:
    assert citations(text, NOTE) == ()


def test_each_path_is_cited_once_and_in_the_order_of_the_text() -> None:
    assert citations("`b.py` `a.py` [b](b.py) `a.py:3`", NOTE) == ("b.py", "a.py")


def test_a_path_in_the_text_of_a_link_does_not_hide_the_target() -> None:
    assert citations("[`web.py`](src/web.py)", NOTE) == ("web.py", "src/web.py")


def test_a_note_full_of_paths_is_cut() -> None:
    assert len(citations("\n".join(f"`src/{number}.py`" for number in range(MOST + 50)))) == MOST


@given(st.text(alphabet="`[]()<>./\\:#%~ab \n-*", max_size=200), st.sampled_from(["", NOTE]))
def test_whatever_the_text_every_path_stays_below_the_root(text: str, folder: str) -> None:
    for path in citations(text, folder):
        names = path.removesuffix("/").split("/")
        assert path.isprintable()
        assert not {"", ".", ".."} & set(names)
        assert "://" not in path
        assert not set("*?<>|~\\") & set(path)


names = st.text(alphabet="abcxyz_-", min_size=1, max_size=8).filter(lambda name: name[0] != "-")
paths = st.lists(names, min_size=2, max_size=4).map(lambda parts: "/".join(parts) + ".py")


@given(
    paths,
    st.sampled_from(
        ["`{}`", "`./{}`", "`{}:7`", "[x]({})", "[x](<{}> 'y')", "| `{}` |", "[x](../../{})"]
    ),
)
def test_a_path_is_found_however_it_is_written(path: str, form: str) -> None:
    assert citations(f"Before.\n\nSee {form.format(path)}, then.\n", NOTE) == (path,)
