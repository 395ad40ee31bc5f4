"""Credentials as they are written in the wild, each of random characters that were made for this
and open nothing.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Iterator
from typing import Any, NamedTuple

_RANDOM = random.Random("credentials that open nothing")
LETTERS = {
    "": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "up": string.ascii_uppercase + string.digits,
    "num": "123456789",
    "url": string.ascii_letters + string.digits + "-_",
    "b64": string.ascii_letters + string.digits + "+/",
}
_SYLLABLES = "ab ride cot men lo sta grip fen mul tor pel wick".split()
_ENDINGS = "an ed ing le s".split()


class Form(NamedTuple):
    """What is written, and what of it may not be shown."""

    text: Any
    secrets: tuple[str, ...]


def some(length: int, kind: str = "") -> str:
    """Random characters, one of them a digit in all but the shortest."""
    body = "".join(_RANDOM.choice(LETTERS[kind]) for _ in range(length))
    return body if length < 4 else f"{body[:2]}7{body[3:]}"


def password() -> str:
    return f"{some(6)}!{some(5)}"


def words(count: int) -> str:
    """Small words of three to eight letters, as a phrase to remember has them."""
    return " ".join(_RANDOM.choice(_SYLLABLES) + _RANDOM.choice(_ENDINGS) for _ in range(count))


def pem_lines(kind: str) -> list[str]:
    mark = "PRIVATE" + " KEY-----"
    lines = [some(64, "b64") for _ in range(4)]
    return [f"-----BEGIN {kind}{mark}", *lines, f"-----END {kind}{mark}"]


TOKENS = """
GitHub:                 ghp_<36>
GitHub app:             ghs_<36>
GitHub, fine-grained:   github_pat_<22>_<59>
GitLab:                 glpat-<20 url>
GitLab runner:          glrt-<20 url>
GitLab CI:              glcbt-<24 url>
AWS id:                 AKIA<16 up>
GCP:                    AIza<35 url>
GCP OAuth:              GOCSPX-<28 url>
GCP access:             ya29.<60 url>
Slack:                  xoxb-<12 num>-<12 num>-<24>
Slack app:              xapp-1-A<10 up>-<13 num>-<64 hex>
Slack webhook:          https://hooks.slack.com/services/T<8 up>/B<8 up>/<24>
Stripe:                 sk_live_<24>
Stripe restricted:      rk_live_<24>
Stripe webhook:         whsec_<32>
Twilio:                 SK<32 hex>
SendGrid:               SG.<22 url>.<43 url>
npm:                    npm_<36>
PyPI:                   pypi-AgEIcHlwaS5vcmc<80 url>
Docker:                 dckr_pat_<27 url>
Docker organisation:    dckr_oat_<32 url>
Hugging Face:           hf_<34>
OpenAI:                 sk-proj-<48 url>
OpenAI service:         sk-svcacct-<60 url>
Anthropic:              sk-ant-api03-<93 url>AA
Tailscale:              tskey-auth-<12>CNTRL-<32>
Tailscale API:          tskey-api-<12>CNTRL-<32>
Doppler:                dp.pt.<43>
Doppler service:        dp.st.prd.<43>
Doppler account:        dp.sa.<43>
Doppler CLI:            dp.ct.<43>
Vault:                  hvs.<90 url>
Vault, older:           s.<24>
DigitalOcean:           dop_v1_<64 hex>
Databricks:             dapi<32 hex>
Linear:                 lin_api_<40>
Notion:                 ntn_<46>
Notion, older:          secret_<43>
Sentry:                 sntrys_<80 url><43>
Sentry user:            sntryu_<64 hex>
Supabase:               sbp_<40 hex>
Supabase key:           sb_secret_<31 url>
Telegram:               <9 num>:AA<33 url>
Discord:                M<23>.<6>.<27 url>
JSON web token:         eyJ<24 url>.eyJ<40 url>.<43 url>
Cloudflare origin:      v1.0-<24 hex>-<146 hex>
New Relic:              NRAK-<27 up>
Grafana:                glsa_<32>_<8 hex>
Terraform:              <14>.atlasv1.<64>
Pulumi:                 pul-<40 hex>
Fly:                    fo1_<43 url>
Netlify:                nfp_<36>
Render:                 rnd_<32>
PlanetScale:            pscale_tkn_<43 url>
Replicate:              r8_<37>
Dropbox:                sl.B<130 url>
Square:                 EAAAE<59 url>
Shopify:                shpat_<32 hex>
Mailgun:                key-<32 hex>
Brevo:                  xkeysib-<64 hex>-<16>
Figma:                  figd_<43 url>
Asana:                  1/<16 num>:<32 hex>
Perplexity:             pplx-<48>
Groq:                   gsk_<52>
age:                    AGE-SECRET-KEY-1<58 up>
Azure connection:       AccountKey=<86 b64>==
"""
"""By provider, a token as it stands alone in a sentence: how many random characters, and which. A
scanner does not take this for a find.
"""


def token(template: str) -> str:
    return re.sub(r"<(\d+) ?(\w*)>", lambda found: some(int(found[1]), found[2]), template)


CONTEXTS = (
    "postgresql://app:{}@db.example.org:5432/main",
    "redis://:{}@cache:6379/0",
    "https://{}@git.example.org/a/b.git",
    "GET https://api.example.org/v1/x?limit=5&access_token={}&page=2",
    "https://store.blob.core.windows.net/c/b?sv=2024-11-04&se=2027&sig={}",
    "https://app.example.org/cb#id_token={}&state=5",
    "https://x.example.org/?next=https%3A%2F%2Fy%3Ftoken%3D{}%26z%3D1",
    "X-Api-Key: {}",
    "Authorization: Bearer {}",
    "X-Vault-Token: {}",
    'headers = {"Authorization": "token {}"}',
    "Cookie: theme=dark; sessionid={}",
    "Set-Cookie: session={}; HttpOnly; Path=/",
    "deploy --token {} --region eu",
    "deploy --api-key={} --region eu",
    "deploy --password '{}'",
    "curl -u robin:{} https://api.example.org/x",
    "curl -H 'X-Auth-Token: {}' https://api.example.org/x",
    "docker login -u robin -p {} registry.example.org",
    "docker login -p {} -u robin registry.example.org",
    "podman login --username robin --password {} quay.example.org",
    "helm registry login -u robin -p {} registry.example.org",
    "sshpass -p {} ssh robin@host.example.org",
    "sshpass -p{} scp a robin@host:",
    "sshpass -p '{}' rsync -a . robin@host:/srv",
    "mysql -h db -u root -p{} shop < dump.sql",
    "mysqldump -uroot -p{} shop",
    "mariadb -u root -p'{}' shop",
    "redis-cli -h cache -a {} ping",
    "ldapsearch -x -D cn=admin -w {} -b dc=example",
    "smbclient //host/share -U robin%{}",
    "zip -P {} out.zip a.txt",
    "7z x a.7z -p{}",
    "openssl rsa -in key.enc -passin pass:{}",
    "http -a robin:{} GET api.example.org",
    "htpasswd -bc .htpasswd robin {}",
    "plink -pw {} robin@host",
    "mongosh -u root -p {} --host db",
    "wget --user robin --password={} https://x.example.org/a",
    "export DATABASE_PASSWORD={}",
    'AWS_SECRET_ACCESS_KEY="{}"',
    "docker run -e POSTGRES_PASSWORD={} postgres",
    "$env:API_TOKEN = '{}'",
    "ENV NPM_TOKEN {}",
    "[db]\nuser = app\npassword = {}\n",
    '[auth]\nclient_secret = "{}"\n',
    "database:\n  user: app\n  password: {}\n",
    "api_token: >-\n  {}\nname: x\n",
    "env:\n  - name: DB_PASSWORD\n    value: {}\n",
    "env:\n  - value: {}\n    name: DB_PASSWORD\n",
    '{"user": "app", "db": {"credentials": {"password": "{}"}}}',
    '"{\\"api_key\\": \\"{}\\"}"',
    '{"key": "password", "val": "{}"}',
    '[{"name": "API_KEY", "value": "{}"}]',
    '{"Name": "DbPassword", "Type": "String", "Value": "{}"}',
    '{"value": "{}", "name": "client_secret"}',
    "<settings><password>{}</password></settings>",
    '<add key="ApiToken" value="{}" />',
    '<property name="db.password">{}</property>',
    '<server host="x" password="{}"/>',
    '<input type="text" name="api_key" value="{}">',
    '<input value="{}" type="password" id="p">',
    "machine api.example.org login robin password {}",
    "machine api.example.org\n  login robin\n  password {}\n",
    "//registry.example.org/:_authToken={}",
    "//registry.example.org/:_password={}",
    "[pypi]\nusername = __token__\npassword = {}\n",
    "db.example.org:5432:main:app:{}",
    "*:*:*:app:{}",
    "Server=tcp:db.example.org;Database=x;User Id=app;Password={};Encrypt=True",
    "Data Source=db;uid=app;pwd={};",
    "jdbc:mysql://db:3306/x?user=app&password={}&useSSL=true",
    "jdbc:oracle:thin:app/{}@db.example.org:1521/x",
    "Driver={PostgreSQL};Server=db;Uid=app;Pwd={};",
    "host=db user=app password={} dbname=x",
    "users:\n- name: admin\n  user:\n    token: {}\n",
    "kind: Secret\ndata:\n  password: {}\n",
    '{"auths": {"registry.example.org": {"auth": "{}"}}}',
    "secret_key_base: {}",
    "SECRET_KEY = '{}'",
    'db_password = "{}"',
    "spring.datasource.password={}",
    "define('DB_PASSWORD', '{}');",
    'const client = new Client({ apiKey: "{}" });',
    'client = Client(api_key="{}")',
    'props.setProperty("db.password", "{}");',
    "CREATE USER app WITH PASSWORD '{}';",
    "CREATE USER 'app'@'%' IDENTIFIED BY '{}';",
    "| User | Password |\n|---|---|\n| robin | {} |\n",
    "| Service | API token | Since |\n|:--|:-:|--:|\n| x | `{}` | 2026 |\n",
    "NAME     PASSWORD          AGE\nrobin    {}    5d\n",
    " user  | password \n-------+----------\n robin | {}\n",
    "name,email,password\nrobin,r@example.org,{}\n",
    "name\tsecret\nrobin\t{}\n",
    "The password is {}.",
    "Login: robin\nPassword: {}\n",
    "Passwort: {}",
    "here is the token: `{}` please rotate",
    "git remote add origin https://robin:{}@github.example.org/a/b.git",
    "https_proxy=http://robin:{}@proxy.example.org:3128",
    "pass = {}",
    "[Interface]\nPrivateKey = {}\n",
    'network={\n  ssid="x"\n  psk="{}"\n}',
    "aws configure set aws_secret_access_key {}",
    "setx API_KEY {}",
    "twine upload -u robin -p {} dist/*",
    "ssh-keygen -f key -N '{}'",
    "gh secret set DEPLOY --body {}",
    "rabbitmqctl add_user robin {}",
    "sqlplus app/{}@db",
    'ConvertTo-SecureString "{}" -AsPlainText -Force',
    "echo {} | docker login -u robin --password-stdin",
    "echo '{}' | sudo -S ls",
    "kubectl create secret generic x --from-literal=password={}",
    "terraform apply -var db_password={}",
    "**Password:** {}",
    "**Password**: `{}`",
    "| Field | Value |\n|---|---|\n| Host | db |\n| Password | {} |\n",
    "<tr><td>Password</td><td>{}</td></tr>",
    "<dt>API key</dt> <dd><code>{}</code></dd>",
    'let apiKey: String = "{}"',
    'password: str = "{}"',
    '#define DB_PASSWORD "{}"',
    ':password => "{}"',
    "my token is {}",
    "2026-11-19 10:00:00 DEBUG auth: token={} user=5",
)  # fmt: skip
"""Where a password or a token without any form of its own is known by what stands around it."""


def forms() -> Iterator[Form]:
    """All of them. A text is redacted; a value is hidden in parts."""
    for row in TOKENS.strip().splitlines():
        made = token(row.partition(":")[2].strip())
        yield Form(f"We use {made} for it.", (made.removeprefix("AccountKey="),))
    for template in CONTEXTS:
        secret = some(24) if "{}@" in template else password()
        yield Form(template.replace("{}", secret), (secret,))
    yield from _keys()
    yield from _phrases()
    yield from _broken()
    yield from _values()


def _keys() -> Iterator[Form]:
    lines = pem_lines("RSA ")
    inner = tuple(lines[1:-1])
    whole = "\n".join(lines)
    coded = base64.b64encode(whole.encode()).decode()
    account = {"type": "service_account", "private_key_id": some(40, "hex"), "private_key": whole}
    for value in (
        whole,
        json.dumps({"private_key": whole}),
        json.dumps(lines),
        lines,
        {"key": {"lines": lines}},
        dict(zip("abcdef", lines, strict=True)),
        whole.rpartition("\n")[0],
        account,
    ):
        yield Form(value, inner)
    for kind in ("OPENSSH ", "ENCRYPTED "):
        other = pem_lines(kind)
        yield Form("key: |\n" + "\n".join(f"    {line}" for line in other), tuple(other[1:-1]))
    yield Form(f"client-key-data: {coded}", (coded,))
    private = {name: some(43, "url") for name in ("d", "p", "q", "dp", "dq", "qi")}
    shared = some(43, "url")
    for key, secrets in (
        ({"kty": "RSA", "n": some(86, "url"), "e": "AQAB", **private}, tuple(private.values())),
        ({"kty": "oct", "k": shared, "alg": "HS256"}, (shared,)),
        ({"kty": "OKP", "crv": "Ed25519", "x": some(43, "url"), "d": shared}, (shared,)),
    ):
        yield Form({"keys": [key]}, secrets)
        yield Form(json.dumps(key, indent=2), secrets)


def _phrases() -> Iterator[Form]:
    for count in (12, 15, 18, 21, 24):
        phrase = words(count)
        yield Form(f"Seed phrase: {phrase}", (phrase,))
    for text in (
        f'MNEMONIC="{phrase}"',
        f"my recovery phrase is {phrase}",
        {"wallet": {"mnemonic": phrase}},
        json.dumps({"secretRecoveryPhrase": phrase}),
    ):
        yield Form(text, (phrase,))
    yield Form({"seed_phrase": phrase.split()}, (json.dumps(phrase.split())[1:-1],))
    numbered = "\n".join(f"{place}. {word}" for place, word in enumerate(phrase.split(), 1))
    yield Form(f"Recovery words\n\n{numbered}\n", (numbered,))


def _broken() -> Iterator[Form]:
    """With something in them that nobody sees: whoever copies them has the key all the same."""
    start, end = "gh" + "p_" + some(5), some(16)
    for unseen in "\u200b\u2060\xad\ufeff\U000e0020":
        rest = some(11)
        yield Form(f"Use {start}{unseen}{rest}{unseen}{end} here", (rest, end))
    secret = some(33)
    yield Form(f"pass\u200bword={secret}", (secret,))
    yield Form(f"g\u200dh\u200dp\u200d_{some(3)}{secret}", (secret,))


def _values() -> Iterator[Form]:
    secret = password()
    pairs = "name value, key val, Name Value, Key Value, field content, param data"
    for name, value in (pair.split() for pair in pairs.split(", ")):
        yield Form({"list": [{name: "db_password", value: secret}]}, (secret,))
    rows = [["robin", secret], ["kim", "-"]]
    for made in (
        {"a": {"b": [{"clientSecret": secret}]}},
        {"headers": [["X-Api-Key", secret]]},
        {"columns": ["user", "password"], "rows": rows},
        [["user", "password"], *rows],
    ):
        yield Form(made, (secret,))


FORMS = list(forms())
