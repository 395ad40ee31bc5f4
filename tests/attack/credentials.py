"""Credentials as they are written in the wild, each of random characters that were made for this
and open nothing.

Prefixes are put together from parts, so that no scanner takes this file for a find.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Iterator
from typing import Any, NamedTuple

_RANDOM = random.Random("credentials that open nothing")
ALNUM = string.ascii_letters + string.digits
HEX, LOWER, UPPER = (
    string.hexdigits.lower()[:16],
    string.ascii_lowercase,
    string.ascii_uppercase + string.digits,
)
URL = ALNUM + "-_"
_SYLLABLES = ("ab", "ride", "cot", "men", "lo", "sta", "grip", "fen", "mul", "tor", "pel", "wick")


class Form(NamedTuple):
    """What is written, and what of it may not be shown."""

    kind: str
    text: Any
    secrets: tuple[str, ...]


def some(length: int, letters: str = ALNUM) -> str:
    """Random characters, the first of them a letter and one of them a digit, where that is
    possible.
    """
    body = "".join(_RANDOM.choice(letters) for _ in range(length))
    return body if length < 4 or not set("1") <= set(letters) else f"{body[:2]}7{body[3:]}"


def password() -> str:
    return f"{some(6)}!{some(5)}"


def words(count: int) -> str:
    """Small words of three to eight letters, as a phrase to remember has them."""
    return " ".join(
        _RANDOM.choice(_SYLLABLES) + _RANDOM.choice(("an", "ed", "ing", "le", "s"))
        for _ in range(count)
    )


def pem_lines(kind: str = "RSA ", lines: int = 4) -> list[str]:
    mark = "PRIVATE" + " KEY-----"
    return [
        f"-----BEGIN {kind}{mark}",
        *(some(64, ALNUM + "+/") for _ in range(lines)),
        f"-----END {kind}{mark}",
    ]


def web_token() -> str:
    return f"ey{'J'}{some(24, URL)}.ey{'J'}{some(40, URL)}.{some(43, URL)}"


TOKENS = {
    "GitHub": lambda: "gh" + "p_" + some(36),
    "GitHub app": lambda: "gh" + "s_" + some(36),
    "GitHub, fine-grained": lambda: "github" + "_pat_" + some(22) + "_" + some(59),
    "GitLab": lambda: "gl" + "pat-" + some(20, URL),
    "GitLab runner": lambda: "gl" + "rt-" + some(20, URL),
    "GitLab CI": lambda: "gl" + "cbt-" + some(24, URL),
    "AWS id": lambda: "AK" + "IA" + some(16, UPPER),
    "GCP": lambda: "AI" + "za" + some(35, URL),
    "GCP OAuth": lambda: "GO" + "CSPX-" + some(28, URL),
    "GCP access": lambda: "ya" + "29." + some(60, URL),
    "Slack": lambda: "xo" + f"xb-{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}",
    "Slack app": lambda: (
        "xa" + f"pp-1-A{some(10, UPPER)}-{some(13, string.digits)}-{some(64, HEX)}"
    ),
    "Slack webhook": lambda: (
        "https://hooks.slack" + f".com/services/T{some(8, UPPER)}/B{some(8, UPPER)}/{some(24)}"
    ),
    "Stripe": lambda: "sk" + "_live_" + some(24),
    "Stripe restricted": lambda: "rk" + "_live_" + some(24),
    "Stripe webhook": lambda: "wh" + "sec_" + some(32),
    "Twilio": lambda: "S" + "K" + some(32, HEX),
    "SendGrid": lambda: "S" + f"G.{some(22, URL)}.{some(43, URL)}",
    "npm": lambda: "np" + "m_" + some(36),
    "PyPI": lambda: "py" + "pi-AgEIcHlwaS5vcmc" + some(80, URL),
    "Docker": lambda: "dckr" + "_pat_" + some(27, URL),
    "Docker organisation": lambda: "dckr" + "_oat_" + some(32, URL),
    "Hugging Face": lambda: "h" + "f_" + some(34),
    "OpenAI": lambda: "s" + "k-proj-" + some(48, URL),
    "OpenAI service": lambda: "s" + "k-svcacct-" + some(60, URL),
    "Anthropic": lambda: "s" + "k-ant-api03-" + some(93, URL) + "AA",
    "Tailscale": lambda: "ts" + f"key-auth-{some(12)}CNTRL-{some(32)}",
    "Tailscale API": lambda: "ts" + f"key-api-{some(12)}CNTRL-{some(32)}",
    "Doppler": lambda: "d" + "p.pt." + some(43),
    "Doppler service": lambda: "d" + "p.st.prd." + some(43),
    "Doppler account": lambda: "d" + "p.sa." + some(43),
    "Doppler CLI": lambda: "d" + "p.ct." + some(43),
    "Vault": lambda: "hv" + "s." + some(90, URL),
    "Vault, older": lambda: "s" + "." + some(24),
    "DigitalOcean": lambda: "do" + "p_v1_" + some(64, HEX),
    "Databricks": lambda: "da" + "pi" + some(32, HEX),
    "Linear": lambda: "lin" + "_api_" + some(40),
    "Notion": lambda: "nt" + "n_" + some(46),
    "Notion, older": lambda: "sec" + "ret_" + some(43),
    "Sentry": lambda: "sn" + "trys_" + some(80, ALNUM + "_") + some(43),
    "Sentry user": lambda: "sn" + "tryu_" + some(64, HEX),
    "Supabase": lambda: "sb" + "p_" + some(40, HEX),
    "Supabase key": lambda: "sb" + "_secret_" + some(31, URL),
    "Telegram": lambda: some(9, "123456789") + ":AA" + some(33, URL),
    "Discord": lambda: "M" + some(23) + "." + some(6) + "." + some(27, URL),
    "JSON web token": web_token,
    "Cloudflare origin": lambda: "v1" + f".0-{some(24, HEX)}-{some(146, HEX)}",
    "New Relic": lambda: "NR" + "AK-" + some(27, UPPER),
    "Grafana": lambda: "gl" + f"sa_{some(32)}_{some(8, HEX)}",
    "Terraform": lambda: some(14) + "." + "atlas" + "v1." + some(64),
    "Pulumi": lambda: "pu" + "l-" + some(40, HEX),
    "Fly": lambda: "fo" + "1_" + some(43, URL),
    "Netlify": lambda: "nf" + "p_" + some(36),
    "Render": lambda: "rn" + "d_" + some(32),
    "PlanetScale": lambda: "pscale" + "_tkn_" + some(43, URL),
    "Replicate": lambda: "r" + "8_" + some(37),
    "Dropbox": lambda: "sl" + ".B" + some(130, URL),
    "Square": lambda: "EAAA" + "E" + some(59, URL),
    "Shopify": lambda: "sh" + "pat_" + some(32, HEX),
    "Mailgun": lambda: "ke" + "y-" + some(32, HEX),
    "Brevo": lambda: "xkey" + f"sib-{some(64, HEX)}-{some(16)}",
    "Figma": lambda: "fig" + "d_" + some(43, URL),
    "Asana": lambda: f"1/{some(16, '123456789')}:{some(32, HEX)}",
    "Perplexity": lambda: "ppl" + "x-" + some(48),
    "Groq": lambda: "gs" + "k_" + some(52),
    "age": lambda: "AGE" + "-SECRET-KEY-1" + some(58, UPPER),
    "Azure connection": lambda: f"AccountKey={some(86, ALNUM + '+/')}==",
}
"""By provider, a token as it stands alone in a sentence."""

CONTEXTS = (
    ("URL userinfo", "postgresql://app:{}@db.example.org:5432/main"),
    ("URL userinfo without a user", "redis://:{}@cache:6379/0"),
    ("URL token", "https://{}@git.example.org/a/b.git"),
    ("query", "GET https://api.example.org/v1/x?limit=5&access_token={}&page=2"),
    ("query, signature", "https://store.blob.core.windows.net/c/b?sv=2024-11-04&se=2027&sig={}"),
    ("fragment", "https://app.example.org/cb#id_token={}&state=5"),
    ("escaped query", "https://x.example.org/?next=https%3A%2F%2Fy%3Ftoken%3D{}%26z%3D1"),
    ("header", "X-Api-Key: {}"),
    ("header, bearer", "Authorization: Bearer {}"),
    ("header, custom", "X-Vault-Token: {}"),
    ("header in code", 'headers = {{"Authorization": "token {}"}}'),
    ("cookie", "Cookie: theme=dark; sessionid={}"),
    ("set cookie", "Set-Cookie: session={}; HttpOnly; Path=/"),
    ("flag", "deploy --token {} --region eu"),
    ("flag with a sign", "deploy --api-key={} --region eu"),
    ("flag quoted", "deploy --password '{}'"),
    ("curl", "curl -u robin:{} https://api.example.org/x"),
    ("curl, header", "curl -H 'X-Auth-Token: {}' https://api.example.org/x"),
    ("docker login", "docker login -u robin -p {} registry.example.org"),
    ("docker login, first", "docker login -p {} -u robin registry.example.org"),
    ("podman login", "podman login --username robin --password {} quay.example.org"),
    ("helm login", "helm registry login -u robin -p {} registry.example.org"),
    ("sshpass", "sshpass -p {} ssh robin@host.example.org"),
    ("sshpass, attached", "sshpass -p{} scp a robin@host:"),
    ("sshpass, quoted", "sshpass -p '{}' rsync -a . robin@host:/srv"),
    ("mysql", "mysql -h db -u root -p{} shop < dump.sql"),
    ("mysqldump", "mysqldump -uroot -p{} shop"),
    ("mariadb, quoted", "mariadb -u root -p'{}' shop"),
    ("redis-cli", "redis-cli -h cache -a {} ping"),
    ("ldapsearch", "ldapsearch -x -D cn=admin -w {} -b dc=example"),
    ("smbclient", "smbclient //host/share -U robin%{}"),
    ("zip", "zip -P {} out.zip a.txt"),
    ("7z", "7z x a.7z -p{}"),
    ("openssl", "openssl rsa -in key.enc -passin pass:{}"),
    ("httpie", "http -a robin:{} GET api.example.org"),
    ("htpasswd", "htpasswd -bc .htpasswd robin {}"),
    ("plink", "plink -pw {} robin@host"),
    ("mongosh", "mongosh -u root -p {} --host db"),
    ("wget", "wget --user robin --password={} https://x.example.org/a"),
    ("environment", "export DATABASE_PASSWORD={}"),
    ("environment, quoted", 'AWS_SECRET_ACCESS_KEY="{}"'),
    ("environment, docker", "docker run -e POSTGRES_PASSWORD={} postgres"),
    ("environment, PowerShell", "$env:API_TOKEN = '{}'"),
    ("environment, Dockerfile", "ENV NPM_TOKEN {}"),
    ("INI", "[db]\nuser = app\npassword = {}\n"),
    ("TOML", '[auth]\nclient_secret = "{}"\n'),
    ("YAML", "database:\n  user: app\n  password: {}\n"),
    ("YAML, block", "api_token: >-\n  {}\nname: x\n"),
    ("YAML, name and value", "env:\n  - name: DB_PASSWORD\n    value: {}\n"),
    ("YAML, value first", "env:\n  - value: {}\n    name: DB_PASSWORD\n"),
    ("JSON", '{{"user": "app", "db": {{"credentials": {{"password": "{}"}}}}}}'),
    ("JSON in JSON", '"{{\\"api_key\\": \\"{}\\"}}"'),
    ("JSON, key and val", '{{"key": "password", "val": "{}"}}'),
    ("JSON, name and value", '[{{"name": "API_KEY", "value": "{}"}}]'),
    ("JSON, Name and Value", '{{"Name": "DbPassword", "Type": "String", "Value": "{}"}}'),
    ("JSON, value first", '{{"value": "{}", "name": "client_secret"}}'),
    ("XML", "<settings><password>{}</password></settings>"),
    ("XML, add", '<add key="ApiToken" value="{}" />'),
    ("XML, property", '<property name="db.password">{}</property>'),
    ("XML, attribute", '<server host="x" password="{}"/>'),
    ("HTML form", '<input type="text" name="api_key" value="{}">'),
    ("HTML form, password", '<input value="{}" type="password" id="p">'),
    ("netrc", "machine api.example.org login robin password {}"),
    ("netrc, lines", "machine api.example.org\n  login robin\n  password {}\n"),
    ("npmrc", "//registry.example.org/:_authToken={}"),
    ("npmrc, basic", "//registry.example.org/:_password={}"),
    ("pypirc", "[pypi]\nusername = __token__\npassword = {}\n"),
    ("pgpass", "db.example.org:5432:main:app:{}"),
    ("pgpass, any", "*:*:*:app:{}"),
    ("ADO", "Server=tcp:db.example.org;Database=x;User Id=app;Password={};Encrypt=True"),
    ("ADO, short", "Data Source=db;uid=app;pwd={};"),
    ("JDBC", "jdbc:mysql://db:3306/x?user=app&password={}&useSSL=true"),
    ("JDBC, Oracle", "jdbc:oracle:thin:app/{}@db.example.org:1521/x"),
    ("ODBC", "Driver={{PostgreSQL}};Server=db;Uid=app;Pwd={};"),
    ("libpq", "host=db user=app password={} dbname=x"),
    ("kubeconfig", "users:\n- name: admin\n  user:\n    token: {}\n"),
    ("Kubernetes secret", "kind: Secret\ndata:\n  password: {}\n"),
    ("Docker config", '{{"auths": {{"registry.example.org": {{"auth": "{}"}}}}}}'),
    ("Rails", "secret_key_base: {}"),
    ("Django", "SECRET_KEY = '{}'"),
    ("Terraform variables", 'db_password = "{}"'),
    ("properties", "spring.datasource.password={}"),
    ("PHP", "define('DB_PASSWORD', '{}');"),
    ("JavaScript", 'const client = new Client({{ apiKey: "{}" }});'),
    ("Python", 'client = Client(api_key="{}")'),
    ("Java", 'props.setProperty("db.password", "{}");'),
    ("SQL", "CREATE USER app WITH PASSWORD '{}';"),
    ("SQL, MySQL", "CREATE USER 'app'@'%' IDENTIFIED BY '{}';"),
    ("Markdown table", "| User | Password |\n|---|---|\n| robin | {} |\n"),
    ("Markdown table, ticks", "| Service | API token | Since |\n|:--|:-:|--:|\n| x | `{}` | 2026 |\n"),
    ("text table", "NAME     PASSWORD          AGE\nrobin    {}    5d\n"),
    ("psql", " user  | password \n-------+----------\n robin | {}\n"),
    ("CSV", "name,email,password\nrobin,r@example.org,{}\n"),
    ("TSV", "name\tsecret\nrobin\t{}\n"),
    ("words", "The password is {}."),
    ("words, colon", "Login: robin\nPassword: {}\n"),
    ("words, German", "Passwort: {}"),
    ("chat", "here is the token: `{}` please rotate"),
    ("URL in a remote", "git remote add origin https://robin:{}@github.example.org/a/b.git"),
    ("proxy", "https_proxy=http://robin:{}@proxy.example.org:3128"),
    ("rclone", "pass = {}"),
    ("WireGuard", "[Interface]\nPrivateKey = {}\n"),
    ("WPA", 'network={{\n  ssid="x"\n  psk="{}"\n}}'),
    ("aws configure", "aws configure set aws_secret_access_key {}"),
    ("setx", "setx API_KEY {}"),
    ("twine", "twine upload -u robin -p {} dist/*"),
    ("ssh-keygen", "ssh-keygen -f key -N '{}'"),
    ("GitHub's program", "gh secret set DEPLOY --body {}"),
    ("RabbitMQ", "rabbitmqctl add_user robin {}"),
    ("sqlplus", "sqlplus app/{}@db"),
    ("PowerShell, secure", 'ConvertTo-SecureString "{}" -AsPlainText -Force'),
    ("standard input", "echo {} | docker login -u robin --password-stdin"),
    ("standard input, sudo", "echo '{}' | sudo -S ls"),
    ("kubectl", "kubectl create secret generic x --from-literal=password={}"),
    ("Terraform, variable", "terraform apply -var db_password={}"),
    ("Markdown, bold", "**Password:** {}"),
    ("Markdown, bold and ticks", "**Password**: `{}`"),
    ("Markdown table, rows", "| Field | Value |\n|---|---|\n| Host | db |\n| Password | {} |\n"),
    ("HTML table", "<tr><td>Password</td><td>{}</td></tr>"),
    ("HTML list", "<dt>API key</dt> <dd><code>{}</code></dd>"),
    ("Swift", 'let apiKey: String = "{}"'),
    ("Python, typed", 'password: str = "{}"'),
    ("C", '#define DB_PASSWORD "{}"'),
    ("Ruby", ':password => "{}"'),
    ("words, token", "my token is {}"),
    ("log", "2026-11-19 10:00:00 DEBUG auth: token={} user=5"),
)  # fmt: skip
"""Where a password or a token without any form of its own is known by what stands around it."""


def forms() -> Iterator[Form]:
    """All of them. A text is redacted; a value is hidden in parts."""
    for kind, make in TOKENS.items():
        token = make()
        yield Form(
            f"token: {kind}", f"We use {token} for it.", (token.removeprefix("AccountKey="),)
        )
    for kind, template in CONTEXTS:
        secret = (
            password()
            if "{}" in template and "URL" not in kind and "JDBC, O" not in kind
            else some(24)
        )
        yield Form(f"context: {kind}", template.format(secret), (secret,))
    yield from _keys()
    yield from _phrases()
    yield from _broken()
    yield from _values()


def _keys() -> Iterator[Form]:
    lines = pem_lines()
    inner = tuple(lines[1:-1])
    yield Form("key: PEM", "\n".join(lines), inner)
    yield Form("key: PEM in a string", json.dumps({"private_key": "\n".join(lines)}), inner)
    yield Form("key: PEM as a list, in text", json.dumps(lines), inner)
    yield Form("key: PEM as a list", lines, inner)
    yield Form("key: PEM in a list of fields", {"key": {"lines": lines}}, inner)
    spread = {
        "head": lines[0],
        "one": lines[1],
        "two": lines[2],
        "three": lines[3],
        "four": lines[4],
        "tail": lines[5],
    }
    yield Form("key: PEM spread over fields", spread, inner)
    yield Form("key: PEM without its end", "\n".join(lines[:-1]), inner)
    yield Form("key: OpenSSH", "\n".join(pem_lines("OPENSSH ")), ())
    encrypted = pem_lines("ENCRYPTED ")
    yield Form(
        "key: encrypted, indented",
        "key: |\n" + "\n".join(f"    {one}" for one in encrypted),
        tuple(encrypted[1:-1]),
    )
    coded = base64.b64encode("\n".join(lines).encode()).decode()
    yield Form("key: PEM in base64", f"client-key-data: {coded}", (coded,))
    private = {name: some(43, URL) for name in ("d", "p", "q", "dp", "dq", "qi")}
    web_key = {"kty": "RSA", "n": some(86, URL), "e": "AQAB", **private}
    yield Form("key: JWK", web_key, tuple(private.values()))
    yield Form("key: JWK in text", json.dumps(web_key, indent=2), tuple(private.values()))
    shared = some(43, URL)
    yield Form(
        "key: JWK, shared", {"keys": [{"kty": "oct", "k": shared, "alg": "HS256"}]}, (shared,)
    )
    yield Form("key: JWK, shared, in text", json.dumps({"k": shared, "kty": "oct"}), (shared,))
    curve = some(43, URL)
    yield Form(
        "key: JWK, curve",
        json.dumps({"kty": "OKP", "crv": "Ed25519", "x": some(43, URL), "d": curve}),
        (curve,),
    )
    account = {
        "type": "service_account",
        "private_key_id": some(40, HEX),
        "private_key": "\n".join(lines),
    }
    yield Form("key: GCP service account", account, inner)


def _phrases() -> Iterator[Form]:
    for count in (12, 15, 18, 21, 24):
        phrase = words(count)
        yield Form(f"phrase: {count} words", f"Seed phrase: {phrase}", (phrase,))
    phrase = words(12)
    yield Form("phrase: environment", f'MNEMONIC="{phrase}"', (phrase,))
    yield Form("phrase: recovery", f"my recovery phrase is {phrase}", (phrase,))
    yield Form("phrase: value", {"wallet": {"mnemonic": phrase}}, (phrase,))
    yield Form("phrase: list", {"seed_phrase": phrase.split()}, (json.dumps(phrase.split())[1:-1],))
    numbered = "\n".join(f"{place}. {word}" for place, word in enumerate(phrase.split(), 1))
    yield Form("phrase: numbered", f"Recovery words\n\n{numbered}\n", (numbered,))
    yield Form("phrase: JSON", json.dumps({"secretRecoveryPhrase": phrase}), (phrase,))


def _broken() -> Iterator[Form]:
    """With something in them that nobody sees: whoever copies them has the key all the same."""
    for kind, unseen in (
        ("blank", "\u200b"),
        ("joiner", "\u2060"),
        ("hyphen", "\xad"),
        ("mark", "\ufeff"),
        ("tag", "\U000e0020"),
    ):
        token = TOKENS["GitHub"]()
        yield Form(
            f"broken: {kind}",
            f"Use {token[:9]}{unseen}{token[9:20]}{unseen}{token[20:]} here",
            (token[9:20], token[21:]),
        )
    secret = password()
    yield Form("broken: name", f"pass\u200bword={secret}", (secret,))
    yield Form("broken: prefix", f"g\u200dh\u200dp\u200d_{some(3)}" + (rest := some(33)), (rest,))


def _values() -> Iterator[Form]:
    secret = password()
    for name, value in (
        ("name", "value"),
        ("key", "val"),
        ("Name", "Value"),
        ("Key", "Value"),
        ("field", "content"),
        ("param", "data"),
    ):
        yield Form(
            f"value: {name} and {value}",
            {"list": [{name: "db_password", value: secret}]},
            (secret,),
        )
    yield Form("value: nested", {"a": {"b": [{"clientSecret": secret}]}}, (secret,))
    yield Form("value: pair", {"headers": [["X-Api-Key", secret]]}, (secret,))
    yield Form(
        "value: rows",
        {"columns": ["user", "password"], "rows": [["robin", secret], ["kim", secret]]},
        (secret,),
    )
    yield Form("value: table", [["user", "password"], ["robin", secret], ["kim", "-"]], (secret,))


FORMS = list(forms())
