import unittest

from reading_list import add_form, links
from reading_list.web import Request


class AddFormTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)

    def save(self, url: str, title: str = "Title") -> "add_form.Response":
        return add_form.save(Request(self.db, form={"url": url, "title": title}))

    def test_saving_leads_back_to_the_list(self) -> None:
        response = self.save("https://example.org/a")
        self.assertEqual((response.status, response.location), (303, "/"))
        self.assertEqual(len(links.newest_first(self.db)), 1)

    def test_wrong_address_keeps_what_was_typed(self) -> None:
        response = self.save("javascript:alert(1)", "My title")
        self.assertEqual(response.status, 400)
        self.assertIn("My title", response.body)
        self.assertEqual(links.newest_first(self.db), [])

    def test_title_is_required(self) -> None:
        self.assertIn("give the link a title", self.save("https://example.org/", " ").body)

    def test_second_time_is_refused(self) -> None:
        self.save("https://example.org/a")
        self.assertIn("already on the list", self.save("https://example.org/a").body)
