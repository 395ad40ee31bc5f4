"""Names that are never printed, wherever the file is."""

from __future__ import annotations

import re

SECRETS = (
    r"\.env.*|.*\.(?:env|pem|key|p12|pfx|jks|keystore|kdbx|gpg|asc)|id_(?:rsa|dsa|ecdsa|ed25519).*|credentials.*"
    r"|\.?(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials)|secrets?(?:\..*)?"
)


def is_secret(path: str) -> bool:
    """Whether any part of a path is the name of something that nobody prints."""
    return any(re.fullmatch(SECRETS, part, re.I | re.S) for part in path.replace("\\", "/").split("/"))
