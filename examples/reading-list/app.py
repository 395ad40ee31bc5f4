"""Start the reading list."""

from __future__ import annotations

import argparse

from reading_list.server import make_server


def main() -> None:
    parser = argparse.ArgumentParser(description="A shared reading list.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--file", default="reading-list.db", help="where the links are kept")
    options = parser.parse_args()
    server = make_server(options.port, options.file)
    print(f"Open http://localhost:{server.server_port} (stop with Ctrl-C)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("Stopped.")
    finally:
        server.server_close()


if __name__ == "__main__":
    main()
