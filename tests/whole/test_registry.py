"""How others find the server: its entry for the registry of servers, and links that editors know."""

from __future__ import annotations

import base64
import json
import os
import re
import tomllib
from typing import Any
from urllib.parse import quote

from conftest import ROOT

from director_ctx import __version__
from director_ctx.clients.servers.description import described
from director_ctx.clients.servers.places import PLACES, server_files

DOCUMENT = ROOT / "docs" / "mcp.md"
BLOCK = re.compile(r"(?<=<!-- links:begin -->\n).*?(?=<!-- links:end -->)", re.DOTALL)


def entry() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / "server.json").read_text("utf-8"))
    return read


def test_the_registry_is_told_the_version_that_is_released() -> None:
    versions = {package["version"] for package in entry()["packages"]}
    assert {entry()["version"], *versions} == {__version__}


def test_the_registry_can_see_in_the_readme_that_the_package_is_ours() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"<!-- mcp-name: {entry()['name']} -->" in readme
    assert re.fullmatch(r"io\.github\.[\w.-]+/[\w.-]+", entry()["name"])
    assert 0 < len(entry()["description"]) <= 100


def test_what_the_registry_says_starts_the_server() -> None:
    [package] = entry()["packages"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert package["identifier"] == project["name"]
    # `uvx NAME` runs the program of that name.
    scripts = project["scripts"]
    assert scripts[package["identifier"]] == scripts["dctx"]
    assert [argument["value"] for argument in package["packageArguments"]] == ["mcp"]
    assert package["transport"] == {"type": "stdio"}


def test_the_document_names_the_files_of_every_client() -> None:
    text = DOCUMENT.read_text("utf-8")
    for place in PLACES.values():
        [row] = [line for line in text.splitlines() if line.startswith(f"| {place.title} |")]
        _, _, project, user, *_ = row.split("|")
        assert f"`{place.file}`" in project
        assert os.path.basename(place.user_file) in user


def server_of(client: str) -> dict[str, Any]:
    """As an installation for every project would write it."""
    return described(server_files(PLACES[client], None)[0], ("dctx",))


def links() -> dict[str, str]:
    """The links by what they are called."""
    cursor = base64.b64encode(json.dumps(server_of("cursor")).encode()).decode()
    vscode = server_of("vscode")
    whole = quote(json.dumps({"name": "dctx", **vscode}), safe="")
    described_alone = quote(json.dumps(vscode), safe="")
    redirect = f"redirect/mcp/install?name=dctx&config={described_alone}"
    return {
        "Cursor": f"https://cursor.com/en/install-mcp?name=dctx&config={quote(cursor, safe='')}",
        "VS Code": f"https://insiders.vscode.dev/{redirect}",
        "VS Code Insiders": f"https://insiders.vscode.dev/{redirect}&quality=insiders",
        "cursor:": f"cursor://anysphere.cursor-deeplink/mcp/install?name=dctx&config={quote(cursor, safe='')}",
        "vscode:": f"vscode:mcp/install?{whole}",
    }


def block() -> str:
    urls = links()
    by_web = [f"[{name}]({url})" for name, url in urls.items() if not name.endswith(":")]
    direct = [f"    {url}\n" for name, url in urls.items() if name.endswith(":")]
    between = "Where a page may not lead to one of them, type the link itself:"
    return f"{' · '.join(by_web)}\n\n{between}\n\n{''.join(direct)}"


def test_the_links_of_the_document_install_what_a_command_would() -> None:
    text = DOCUMENT.read_text("utf-8")
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        text = BLOCK.sub(lambda _: block(), text)
        DOCUMENT.write_text(text, "utf-8")
    [shown] = BLOCK.findall(text)
    assert shown == block()
