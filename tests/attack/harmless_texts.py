"""What only looks like a credential, or stands where one could: docs, code, tables, command lines.
All of it stays.
"""

from __future__ import annotations

from typing import Any

from harmless import TEXTS

_LINES = r"""
docker run -p 8080:80 -e TZ=UTC nginx
docker login registry.example.org
docker login -u robin --password-stdin registry.example.org
echo "$TOKEN" | docker login -u robin --password-stdin
docker login -u robin -p "$REGISTRY_PASSWORD" registry.example.org
docker login -u robin -p ${TOKEN} registry.example.org
docker compose -p shop up -d
mkdir -p build/out
ssh -p 2222 robin@host.example.org
scp -P 2222 a.txt robin@host:
rsync -avP src/ host:/srv
cp -pr a b
tar -xpf a.tar
sshpass -p "$PASS" ssh robin@host
sshpass -f file ssh robin@host
sshpass -e ssh robin@host
mysql -u root -p
mysql -u root -p shop
mysql -h db -P 3306 -u root -p < dump.sql
mysql -h db -u root -p$MYSQL_PWD shop
mysqldump --single-transaction shop > dump.sql
redis-cli -h cache -p 6379 ping
redis-cli -a "$REDIS_PASSWORD" ping
ldapsearch -x -W -D cn=admin
zip -r out.zip src
unzip -p a.zip b.txt
7z a out.7z -mx=9 src
openssl rsa -in key.pem -passin env:KEY_PASS
openssl req -x509 -newkey rsa:4096 -days 365
http GET api.example.org/x
curl -fsSL https://example.org/install.sh
curl -u "$USER:$PASS" https://x.example.org
psql -h db -p 5432 -U app
mongosh --host db --port 27017
git log -p --stat
pytest -p no:cacheprovider -x
npm login --scope=@a
helm install -f values.yaml web ./chart
htpasswd -c .htpasswd robin
kubectl get secret db -o yaml
kubectl create secret generic db --from-env-file=.env
aws configure set region eu-central-1
gcloud auth login
vault kv get secret/db
src/auth.py:5432:main:error:x
localhost:5432
db.example.org:5432/main
12:34:56:789
2026-11-19T10:00:00:000:Z
a:1:b:c:d
file.c:12:5: error: expected ';'
root:x:0:0:root:/root:/bin/bash
robin:*:1000:1000::/home/robin:/bin/sh
ts-key-auth
tskey
the tskey-auth prefix marks a Tailscale key
dp.pt is how Doppler's tokens begin
dp.sa
secret_santa
secret_name_of_the_game
snt_rys
rnd_seed_for_all_of_the_tests_in_this_file
figd
fo1
s.startswith
v1.0-rc
atlas.v1
sl.B
npm_config_registry
npm_lifecycle_event
hf_hub_download
kty: RSA
{"kty": "RSA", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfA", "e": "AQAB"}
{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8T", "y": "x_FEzRu9m36HLN_tue659LNpXW6"}
{"d": 5, "p": 0.05, "q": 7, "k": 3}
let p = "abcdefghijklmnopqrstuvwxyz";
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5zGk0Pq5Yk3yQm1 robin@host
{"key": "title", "val": "My page"}
{"name": "PORT", "value": "8080"}
{"name": "token_type", "value": "bearer"}
{"Name": "Environment", "Value": "production"}
- name: LOG_LEVEL
- name: DB_PASSWORD_FILE
<input type="text" name="city" value="Munich">
<input type="submit" value="Show password">
<input type="password" name="password" value="">
<add key="Theme" value="dark" />
<property name="timeout">30</property>
<label for="token">Token</label>
The mnemonic for the planets is my very excellent mother just served us nine pizzas
A seed phrase is a list of words that opens a wallet; never show it to anybody
Recovery phrase: write it down and keep it safe
mnemonic: ROY G BIV
{"mnemonic": "mov", "operands": 2}
seed: 42
Seed words for the search: boats, harbours, tides
the quick brown fox jumps over the lazy dog and runs far away
please make sure that you have read every page before you begin
Rotate the password every 90 days
The password is stored in Vault
The password is hashed with argon2id
The token is issued by the server and expires after one hour
Password reset links are valid for 10 minutes
Where do I find my API key?
SELECT token, count(*) FROM t GROUP BY token
CREATE USER app;
ALTER TABLE users ADD COLUMN password text NOT NULL
IDENTIFIED BY the team as a risk
jdbc:postgresql://db:5432/main
jdbc:oracle:thin:@db.example.org:1521/x
Server=db;Database=x;Trusted_Connection=True
password: !vault
password: ENC[AES256_GCM]
password = var.db_password
password = data.vault_generic_secret.db.data["password"]
password: {{ .Values.db.password }}
password: "{{ lookup('env', 'DB_PASSWORD') }}"
password = os.environ.get("DB_PASSWORD")
const { token } = useAuth();
setToken(response.token)
token = token.strip()
assert token.type == "NAME"
for token in tokens:
def token_for(user): ...
class PasswordField extends React.Component {}
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
from secrets import token_hex
tokens = 1,024 of 200,000
session: 5 tasks, 3 done
smbclient //host/share -U robin
pass the salt
pass = True
PASS tests/test_a.py
auth: oauth2
pin: latest
🔑 The keys are under the mat
""".strip("\n").split("\n")  # fmt: skip
_BLOCKS = (
    "| Token | Meaning |\n|---|---|\n| `NAME` | an identifier |\n| `+` | plus |\n| `==` | equal |\n",
    "| Field | Secret | Note |\n|---|---|---|\n| name | no | shown |\n| password | yes | never logged |\n",
    "| Model | Tokens | Price |\n|---|---:|---:|\n| small | 4,096 | $5 |\n| large | 128k | $9 |\n",
    "| Key | Action |\n|---|---|\n| Ctrl+K | search |\n| F5 | run |\n",
    "| Variable | Password | Required |\n|---|---|---|\n| `DB_PASSWORD` | the database's password | yes |\n",
    "| Design token | Value |\n|---|---|\n| color.primary | #ff0000 |\n| space-2 | 8px |\n",
    "| Page | Cookie | Purpose |\n|---|---|---|\n| shop | _ga | statistics |\n| all | consent | your choice |\n",
    "| User | Password set | Last login |\n|---|---|---|\n| robin | 2026-01-01 | today |\n",
    "| Check | Auth |\n|---|---|\n| /health | none |\n| /users | required |\n",
    "NAME     TYPE      AGE\ndb       Opaque    5d\nweb      TLS       7d\n",
    "NAME     TOKENS    COST\nsmall    1200      0.05\nlarge    98000     1.25\n",
    "id,name,token_count\n1,a,5\n2,b,7\n",
    "name,email,city\nrobin,r@example.org,Munich\n",
    "(\n    'token-efficient-tools-2025-02-19',\n    'files-api-2025-04-14',\n)\n",
    "call(data=make(kind='session', id=session_id), name='x')",
    "openssl ciphers -v PSK, ERR_TLS_PSK_SET_HINT_FAILED: `tls` and others",
    "| Field | Type |\n|---|---|\n| password | string |\n| token | varchar(255) |\n| api_key | text, 40 characters |\n",
    "<tr><td>Password</td><td>string</td></tr><tr><td>Token</td><td>see below</td></tr>",
    "def count(tokens: int = -1, token: str = '', password: str | None = None): ...\n",
    "git config set token and then secret set later; set token next\n",
    "The password is optional. The token is valid for one hour. The API key is in the vault.\n",
    "echo done | tee log; echo $TOKEN | docker login --password-stdin\n",
    "First the token, then the secret, then the rest\nof it, as always, in the same order\n",
    "user, password, and token\nall of them, none of them, some of them\n",
    "Passwords, tokens and keys\nare kept, always, elsewhere\n",
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: password-reset\nspec:\n  tokens: 5\n",
    "env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: db\n        key: password\n",
    "env:\n  - name: PORT\n    value: 8080\n  - name: DB_PASSWORD\n    valueFrom: {secretKeyRef: db}\n",
    "env:\n  - name: DB_PASSWORD\n    valueFrom: {secretKeyRef: db}\n  - name: MODE\n    value: fast\n",
    "inputs:\n  token:\n    description: The token of the deployment\n    required: true\n",
    "## Password rules\n\n1. at least twelve characters\n2. no word of a dictionary\n3. not one of the last five\n",
    "def login(user, password):\n    return check(user, hash(password))\n",
    "type Token struct {\n\tKind  string\n\tValue string\n}\n",
    "CREATE TABLE users (\n  id serial,\n  password varchar(255) not null,\n  token text\n);\n",
    "Usage: tool [OPTIONS]\n\n  --password TEXT  The password of the user\n  --token TEXT     An access token\n",
    "می\u200cخواهم token را ببینم 👩\u200d💻",
)
_VALUES: tuple[Any, ...] = (
    {"columns": ["user", "tokens"], "rows": [["robin", 5], ["kim", 7]]},
    [["key", "value"], ["a", "b"]],
    [["name", "token_count"], ["a", "5"]],
    {"name": "title", "val": "x"},
    {"field": "city", "content": "Munich"},
    {
        "kty": "RSA",
        "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiA",
        "e": "AQAB",
        "use": "sig",
        "alg": "RS256",
    },
    {"d": "M0 0L10 10", "k": 5},
    {"mnemonic": "mov"},
    {"mnemonic": "my very excellent mother"},
    {"seed": 42, "words": ["boat", "tide"]},
    ["-----BEGIN PUBLIC KEY-----", "MIIBIjANBgkq", "-----END PUBLIC KEY-----"],
    {"steps": ["Create a private key", "Upload it"]},
    {"headers": [["Accept", "*/*"], ["Host", "x"]]},
)
HARMLESS: list[Any] = [*TEXTS, *_LINES, *_BLOCKS, *_VALUES]
