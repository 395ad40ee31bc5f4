import unittest

from reading_list import links, read_marks
from reading_list.web import Request


class ReadMarksTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)
        self.link_id = links.add(self.db, "https://example.org/a", "A")

    def press(self, link_id: str, read: str) -> None:
        read_marks.mark(Request(self.db, form={"id": link_id, "read": read}))

    def test_mark_and_take_back(self) -> None:
        self.press(str(self.link_id), "yes")
        self.press(str(self.link_id), "yes")
        self.assertTrue(read_marks.is_read(self.db, self.link_id))
        self.press(str(self.link_id), "no")
        self.assertFalse(read_marks.is_read(self.db, self.link_id))

    def test_unknown_links_are_ignored(self) -> None:
        for nonsense in ("", "x", "99", "9" * 30):
            self.press(nonsense, "yes")
        self.assertEqual(self.db.execute("SELECT * FROM read_marks").fetchall(), [])
