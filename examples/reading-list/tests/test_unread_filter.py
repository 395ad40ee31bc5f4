import unittest

from reading_list import links, list_page, read_marks
from reading_list.web import Request


class UnreadFilterTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)
        read = links.add(self.db, "https://example.org/a", "Finished article")
        links.add(self.db, "https://example.org/b", "Fresh article")
        read_marks.set_read(self.db, read, True)

    def test_unread_only(self) -> None:
        body = list_page.show(Request(self.db, {"show": "unread"})).body
        self.assertNotIn("Finished article", body)
        self.assertIn("Fresh article", body)
        self.assertIn("Show all", body)

    def test_everything_by_default(self) -> None:
        body = list_page.show(Request(self.db)).body
        self.assertIn("Finished article", body)
        self.assertIn("Show only unread", body)
