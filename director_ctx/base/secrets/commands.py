"""Command lines with a password in them, as data: the program, and the option behind which the
password stands.

Between both there is no other program of the kind, so that each part of a text is looked through
once.
"""

from __future__ import annotations

_GIVEN = r"(?![\"']?(?:[$<{%*]|-(?:\s|$)))(?:\"[^\"\r\n]+\"|'[^'\r\n]+'|[^\s\"'|;&][^\s|;&]*)"
"""What is given, and not fetched from somewhere: no $PASS, no <password>, no - for standard input.
"""


def _command(programs: str, option: str) -> str:
    between = rf"(?:(?!\b(?:{programs})\b)[^\r\n|;])"
    return rf"\b(?:{programs})\b{between}{{0,200}}?\s{option}{_GIVEN}"


COMMANDS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "curl",
        ("curl ",),
        _command("(?i:curl)", r"(?:-u|--user|-U|--proxy-user)[ =]?[\"']?(?!\$)[^\s:\"']{1,80}:"),
    ),
    (
        "ssh with a password",
        ("sshpass", "plink", "pscp", "psftp"),
        _command("sshpass|plink|pscp|psftp", "-pw? ?"),
    ),
    (
        "MySQL",
        ("mysql", "mariadb"),
        _command(r"mysql(?:dump|admin|import|show)?|mariadb(?:-dump|-admin)?", "-p"),
    ),
    (
        "login",
        (" login ",),
        _command(
            r"(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|registry|oc|az|heroku) login",
            "-p[ =]?",
        ),
    ),
    ("MongoDB", ("mongo",), _command(r"mongo(?:sh|dump|restore|export|import|stat)?", "-p ?")),
    ("archives", ("7z", "7za", "rar"), _command("7za?|unrar|rar", "-p")),
    ("zip and MQTT", ("zip", "mosquitto_"), _command("zip|unzip|mosquitto_(?:pub|sub)", "-P ?")),
    ("Redis", ("redis-cli",), _command("redis-cli", "-a ?")),
    (
        "LDAP",
        ("ldap",),
        _command(r"ldap(?:search|add|modify|delete|passwd|whoami|compare)", "-w ?"),
    ),
    (
        "Samba",
        ("smbclient", "rpcclient"),
        _command("smbclient|rpcclient", r"-U ?[\"']?[^\s%\"']{1,80}%"),
    ),
    ("HTTPie", ("http", "xh "), _command("https?|xh", r"(?:-a|--auth)[ =]?[\"']?[^\s:\"']{1,80}:")),
    (
        "htpasswd",
        ("htpasswd",),
        _command("htpasswd", r"-[a-zA-Z]{0,4}b[a-zA-Z]{0,4} \S{1,200} \S{1,80} "),
    ),
    (
        "other programs",
        ("twine", "snowsql", "ssh-keygen"),
        _command("twine|snowsql|ssh-keygen", "-[pN] ?"),
    ),
    ("GitHub's program", ("gh secret",), _command("gh secret set", r"(?:-b|--body)[ =]?")),
    (
        "RabbitMQ",
        ("rabbitmqctl",),
        _command("rabbitmqctl", r"(?:add_user|change_password) \S{1,80} "),
    ),
    (
        "PowerShell",
        ("ConvertTo-SecureString",),
        rf"ConvertTo-SecureString (?:-String )?(?=[\"']){_GIVEN}",
    ),
    ("SQL*Plus", ("sqlplus", "sqlldr"), _command("sqlplus|sqlldr", r"[\w$#]{1,60}/(?=\S{1,99}@)")),
    (
        "standard input",
        ("--password-stdin", "sudo -s", "--with-token"),
        rf"\becho (?:-n )?{_GIVEN} ?\|[^\r\n|]{{0,80}}?(?:--password-stdin|sudo -S|--with-token)",
    ),
    ("OpenSSL", ("pass:",), rf"(?<=\s)-(?:passin|passout|pass|passwd) pass:{_GIVEN}"),
)
"""Each with what it is, its words, and the pattern, as in the table of shapes."""
