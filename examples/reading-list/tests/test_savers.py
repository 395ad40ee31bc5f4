import unittest

from reading_list import add_form, links, savers
from reading_list.web import Request


class SaversTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)

    def saved_by(self, name: str) -> int:
        form = {"url": "https://example.org/a", "title": "A", "saver": name}
        add_form.save(Request(self.db, form=form))
        return links.newest_first(self.db)[0].id

    def test_name_is_tidied(self) -> None:
        self.assertEqual(savers.name_of(self.db, self.saved_by("  Ada   L. ")), "Ada L.")

    def test_blank_name_is_not_kept(self) -> None:
        self.assertEqual(savers.label(self.db, self.saved_by("  ")), "")

    def test_name_is_escaped_on_the_list(self) -> None:
        self.assertIn("saved by &lt;Ada&gt;", savers.label(self.db, self.saved_by("<Ada>")))
