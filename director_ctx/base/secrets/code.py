"""Source code says where a secret comes from, and not what it is: such a value may be shown."""

from __future__ import annotations

import re

_FROM_ELSEWHERE = re.compile(
    r"\$[A-Z_]{3,60}\b(?![^\s\"'`;,)}\]])"  # $TOKEN
    r"|\$\{\{?[\w .:-]{1,80}\}"  # ${TOKEN}, ${{ secrets.TOKEN }}
    r"|\{\{[^{}\r\n]{1,200}\}\}"  # {{ .Values.token }}
    r"|!(?:vault|secret|Ref|Sub|GetAtt|ENV|env_var)\b"  # a tag of YAML
    r"|(?:var|local|data|module|each)\.[a-z_]"  # Terraform
    r"|ENC\["  # encrypted where it stands
    r"|(?:os\.environ|process\.env|import\.meta\.env)[.\[]"
    r"|(?:new|await) [A-Za-z_]"
    r"|[A-Za-z_]{3,60}(?:\.[A-Za-z_]{2,60}){0,5}\([A-Za-z_., ]{0,60}\)(?=[\s;,)}\]]|$)"  # getToken()
)
_NAME = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)*")


def is_code(text: str, start: int) -> bool:
    """Whether what stands there is fetched, not given."""
    return _FROM_ELSEWHERE.match(text, start) is not None


def is_name(value: str) -> bool:
    """Whether it may be a name, as in login(password=db.password)."""
    return _NAME.fullmatch(value) is not None
