import unittest

from reading_list import links


class LinksTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)

    def test_newest_link_comes_first(self) -> None:
        links.add(self.db, "https://example.org/a", "A")
        links.add(self.db, "https://example.org/b", "B")
        self.assertEqual([link.title for link in links.newest_first(self.db)], ["B", "A"])

    def test_same_address_is_saved_once(self) -> None:
        links.add(self.db, "https://example.org/a", "A")
        with self.assertRaises(links.AlreadySaved):
            links.add(self.db, "https://example.org/a", "Again")
        self.assertEqual(len(links.newest_first(self.db)), 1)
