"""Names that are never printed, wherever the file is."""

from __future__ import annotations

import re
import unicodedata

from director_ctx.base.secrets.names import hides_name

OPEN = (".", "..", ".director", ".claude", ".agents", ".codex")
"""All other names that begin with a dot are somebody's settings, or what a program keeps for
itself: `.dctx` too.
"""
ENDINGS = (
    "env|pem|key|p8|p12|pfx|jks|jceks|keystore|kdbx?|ppk|gpg|pgp|asc|ovpn|tfstate|tfvars|tfvars[.]json|kubeconfig"
    "|db|db3|sqlite|sqlite3"
)
COPIES = r"(?:[.~-](?:bak|backup|old|orig|save|copy|tmp|swp|wal|shm|journal|\d+))*~?"
"""How the name of a copy ends, and what a database puts beside itself."""
NAMES = (
    r"_?(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials)|(?:credentials|kubeconfig|kube[._-]?config).*"
    r"|(?:secret|password|passwd)s?(?:\..*)?|service[._-]?account.*\.json|.*adminsdk.*\.json|wallet\.dat|shadow"
    r"|docker[._-]?config\.json"
)
DOCUMENT = ".md"
"""What is written about tokens and ids is no secret; it would be, under these names with another
ending.
"""
_SECRET = re.compile(rf"(?:{NAMES}|.*\.(?:{ENDINGS})){COPIES}", re.S)


def is_secret(path: str) -> bool:
    """Whether any part of a path is the name of something that nobody prints."""
    for part in path.replace("\\", "/").split("/"):
        if any(map(_is_secret_part, _spellings(part))):
            return True
    return any(map(_is_secret_file, _spellings(_last(path))))


def _last(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _spellings(part: str) -> tuple[str, str]:
    """The name in the forms in which some disk may know it: they fold letters, and drop what is not
    seen or at its end.

    Windows takes what stands before a colon for the name.
    """
    folded = unicodedata.normalize("NFKC", part).casefold()
    seen = ""
    for char in folded:
        if unicodedata.category(char) not in ("Cf", "Cc"):
            seen += char
    before_colon = seen.partition(":")[0]
    return _trimmed(seen), _trimmed(before_colon)


def _trimmed(name: str) -> str:
    if name in OPEN:
        return name
    return name.strip(" ").rstrip(". ")


def _is_secret_part(name: str) -> bool:
    """A file, or a folder of such files."""
    if name.startswith(".") and name not in OPEN:
        return True
    return bool(_SECRET.fullmatch(name))


def _is_secret_file(name: str) -> bool:
    """By its words, as the names of variables are judged."""
    if name.endswith(DOCUMENT):
        return False
    stem = name.partition(".")[0]
    return name.startswith("id_") or hides_name(name) or hides_name(stem)
