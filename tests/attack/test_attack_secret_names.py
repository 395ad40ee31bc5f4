"""What a skill may print: no name of a file that holds secrets, however it is spelled."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write

Run = Callable[..., Result]
Figure = Callable[[str, str], None]
HEAD = "---\nname: probe\ndescription: Looks.\n---\n"
SECRET = "hunter2"

NAMES = (
    # the tool's own corner
    ".dctx/store.db", ".dctx/store.db-wal", ".dctx/hooks.log", ".dctx/runs.jsonl", ".dctx/texts/x", ".DCTX/store.db",
    # keys and certificates
    "server.pem", "server.PEM", "server.pem.bak", "server.key", "server.key~", "prod.p12", "prod.pfx", "a.p8",
    "app.jks", "release.keystore", "vault.kdbx", "putty.ppk", "mail.gpg", "mail.asc", "work.ovpn", "id_rsa",
    "id_ed25519",    "id_rsa.pub", "id_ecdsa_sk", "ID_RSA", "keys/id_dsa.old", "master.key", "ssl/private.KEY",
    # accounts of programs
    ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".htpasswd", ".git-credentials", ".vault-token", ".my.cnf",
    ".s3cfg", ".boto", ".terraformrc", ".yarnrc.yml", ".dockercfg", ".docker/config.json", ".aws/config",
    ".aws/credentials", ".ssh/config", ".ssh/known_hosts", ".gnupg/pubring.kbx", ".kube/config", ".azure/msal.json",
    ".config/gh/hosts.yml", ".git/config", ".password-store/mail", "docker-config.json", "kube-config.yaml",
    "kubeconfig", "kubeconfig.yaml", "prod.kubeconfig", "KubeConfig", "wallet.dat", "shadow",
    # environments
    ".env", ".env.local", ".env.production.bak", "prod.env", ".ENV", ".envrc",
    # by their words
    "credentials", "credentials.json", "credentials.md", "Credentials.csv", "aws_credentials", "creds.json", "secret",
    "secrets.yaml", "secrets.md", "secrets.enc.json", "client_secret_12.json", "my-secret.txt", "token", "token.txt",
    "tokens.json", "token_store.json", "github-token", "api_key.txt", "apikey", "api-keys.json", "access_token.json",
    "refreshToken.txt", "password.txt", "passwords.md", "passwd", "db_password", "vault_pass.txt", "auth.json",
    "private_key.json", "session_cookie.txt", "service-account.json", "service_account-prod.json",
    "serviceAccount.json", "firebase-adminsdk-x1.json", "application_default_credentials.json", "jwt.txt",
    # what infrastructure remembers
    "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars.json", "app.db", "app.sqlite3",
    "app.sqlite-journal",
)  # fmt: skip

SPELLINGS = (
    "./.director/.dctx/token.txt", ".director//.dctx//token.txt", ".director/./.dctx/./token.txt",
    ".director/../.director/.dctx/token.txt", "./.director/x/../.dctx/token.txt", "{root}/.director/.dctx/token.txt",
    "{root}/./.director/.dctx/token.txt", ".director/.DCTX/TOKEN.TXT", ".director/.dctx./token.txt.",
    ".director/.dctx /token.txt ", ".director/.dctx::$INDEX_ALLOCATION/token.txt", ".director/token.txt::$DATA",
    ".director/.d\N{ZERO WIDTH NON-JOINER}ctx/token.txt", ".director/to\N{KELVIN SIGN}en.txt",
    ".director/.dct\N{FULLWIDTH LATIN SMALL LETTER X}/token.txt", ".director/\N{ONE DOT LEADER}dctx/token.txt",
    ".director\\.dctx\\token.txt", ".director/.dctx/*", ".director/.dctx/tok??.txt", ".director/{.dctx,}/token.txt",
    ".director/corner/token.txt", ".director/plain.md", ".director/notes/plain.md", ".director/hop.md",
)  # fmt: skip
"""`corner` is a link to the tool's corner, the documents are links to what is in it."""

HARMLESS = (
    "VISION.md", "config.json", "dctx.yaml", "STATE.md", "research/token-usage.md", "research/tokens.md",
    "goals/01-auth/GOAL.md", "goals/02-session-tokens/01-login/STEP.md",
    "goals/01-a/01-secret-keeping/tasks/01-auth.md",
    "reference/api-keys.md", "codebase/STACK.md", "notes.txt", "names.csv", "key-points.txt", "compass.txt",
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "p", {"VISION.md": "# Vision\n"})


def rendered(root: Path, path: str, dctx: Run) -> str:
    """What a skill that prints this path shows to an agent."""
    write(root, {"/.claude/skills/probe/SKILL.md": f"{HEAD}!`cat {path}`\n"})
    return dctx("skill", "show", "probe", "--rendered", cwd=root).out


def test_no_name_of_a_file_with_secrets_is_printed(root: Path, dctx: Run, figure: Figure) -> None:
    printed = []
    for name in NAMES:
        path = root / ".director" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
        if SECRET in rendered(root, shlex.quote(f".director/{name}"), dctx):
            printed.append(name)
    figure("Files with secrets that a skill prints", f"{len(printed)} of {len(NAMES)} printed")
    assert printed == []


@pytest.mark.skipif(os.name == "nt", reason="needs links, and names that Windows does not have")
def test_no_spelling_leads_a_skill_to_the_tools_own_corner(root: Path, dctx: Run) -> None:
    corner = root / ".director/.dctx"
    for folder in (corner, root / ".director/x", root / ".director/notes"):
        folder.mkdir()
    (corner / "token.txt").write_text(SECRET)
    (root / ".director/corner").symlink_to(".dctx")
    (root / ".director/plain.md").symlink_to(".dctx/token.txt")
    (root / ".director/notes/plain.md").symlink_to("../corner/token.txt")
    (root / ".director/hop.md").symlink_to("plain.md")
    printed = []
    for spelling in SPELLINGS:
        path = spelling.format(root=root) if "{root}" in spelling else spelling
        at = root / path
        if not at.exists() and "*" not in path and "\\" not in path:
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(SECRET)  # as a disk would have it that takes the names for the same
        if any(SECRET in rendered(root, written, dctx) for written in (path, shlex.quote(path))):
            printed.append(spelling)
    assert printed == []


def test_the_documents_of_a_plan_are_printed_whatever_they_are_about(root: Path, dctx: Run) -> None:
    refused = []
    for name in HARMLESS:
        text = "hooks: {}\n" if name == "dctx.yaml" else "Text here.\n"
        write(root, {name: text})
        if text.strip() not in rendered(root, f".director/{name}", dctx):
            refused.append(name)
    assert refused == []


def test_a_project_in_a_folder_with_a_dot_is_a_project(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path / ".worktrees" / "tokens", {"VISION.md": "# Vision\n"})
    assert rendered(root, f"{root}/.director/VISION.md", dctx) == "# Vision\n"
