import tempfile
import threading
import unittest
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from reading_list import links, list_page
from reading_list.server import make_server
from reading_list.web import Request


class ListPageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.db = links.connect(":memory:")
        self.addCleanup(self.db.close)

    def test_empty_list_says_so(self) -> None:
        self.assertIn("Nothing to show", list_page.show(Request(self.db)).body)

    def test_titles_are_escaped(self) -> None:
        links.add(self.db, "https://example.org/?a=1&b=2", "<b>Bold</b>")
        body = list_page.show(Request(self.db)).body
        self.assertIn('<a href="https://example.org/?a=1&amp;b=2">&lt;b&gt;Bold', body)


class ServerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = make_server(0, str(Path(folder.name) / "list.db"))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        for step in (server.server_close, thread.join, server.shutdown):
            self.addCleanup(step)
        self.address = f"http://127.0.0.1:{server.server_port}"

    def test_start_page_is_served(self) -> None:
        with urlopen(self.address + "/") as answer:
            self.assertIn("Reading list", answer.read().decode())

    def test_unknown_page_is_not_found(self) -> None:
        with self.assertRaises(HTTPError) as caught:
            urlopen(self.address + "/nowhere")
        self.assertEqual(caught.exception.code, 404)
        caught.exception.close()
