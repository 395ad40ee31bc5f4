"""What people have in their variables and pages that is no secret, and what looks a little like
one.
"""

from __future__ import annotations

TEXTS = r"""
1b1264ea-a6ea-45c4-b654-6654dfbd3070
9e6ba1b4fbb84d76bf91d8eed32c1b4f2d91ab00
da39a3ee5e6b4b0d3255bfef95601890afd80709
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
d41d8cd98f00b204e9800998ecf8427e
http://localhost:3000/api/users/1
https://user-images.githubusercontent.com/1234/5678-abc.png
http://127.0.0.1:9222/json/version
https://developers.google.com/gmail/api/reference/rest?hl=en#auth
https://mail.google.com/mail/u/0/#inbox/FMfcgzGtwVpHqWnLmGXkzhvBcWfDdKJr
https://accounts.google.com/signin/v2/identifier?continue=https%3A%2F%2Fmail.google.com&service=mail&flowName=GlifWebSignIn
https://airtable.com/app123/tbl456
https://airtable.com/appABCDEFGHIJKLMN/tblABCDEFGHIJKLMN/viwABCDEFGHIJKLMN
https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLabcdefghijklmnop
https://docs.google.com/document/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdef/edit
https://github.com/a/b/blob/9e6ba1b4fbb84d76bf91d8eed32c1b4f2d91ab00/src/token.py#L10-L20
https://example.org/reset-password?lang=de
https://example.org/login?next=/account
https://example.org/?q=password+manager&page=2
https://example.org/?sort=key&dir=asc
https://example.org/?utm_source=x&utm_campaign=token-launch
https://example.org/list?key=title
https://maps.example.org/@48.1,11.5,15z
user@gmail.com
debug@test.com
investor@vc.com
First.Last+tag@sub.example.co.uk
git@github.com:a/b.git
ssh://git@github.com/a/b.git
postgresql://localhost:5432/db
postgresql://bob@db.example.org:5432/team
redis://cache:6379/0
amqp://guest@localhost/vhost
#identifierId, #identifierNext
input[type="password"]
input[name='password']
#password > input
button[aria-label="Show password"]
//input[@type='password']
div.token-list > li:nth-child(2)
[data-token-id="5"]
[data-key="row-5"]
form#login input[type=password]
a[href="/forgot-password"]
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==
2026-11-18T20:46:55.457006Z
2026-11-18 20:46:55+01:00
Wed, 18 Nov 2026 20:46:55 GMT
/home/robin/.ssh/id_rsa.pub
/usr/lib/python3/dist-packages/secretstorage/util.py
C:\Users\Robin\AppData\Local\Temp
src/auth/token_store.py:42
src/components/PasswordField.tsx
tests/test_api_key.py::test_it
.btn-primary:hover { color: #ff00aa; margin: 0 auto }
.password { color: red; }
#token { display: none }
body { --secret-color: blue; }
def set_password(self, password: str) -> None:
const token = getToken();
let token: string;
password: str = Field(...)
self.token = token
if token == "(":
token = next(tokens)
const key = "title";
for (const key of keys) {}
return { key: value }
export const API_KEY = process.env.API_KEY;
api_key = os.environ["API_KEY"]
password = getpass.getpass()
token: ${{ secrets.GITHUB_TOKEN }}
Enter your password
Wrong password. Try again or click Forgot password to reset it.
Password must have at least 8 characters
Password: required
The token is invalid
Token expired at 12:30
Please accept our cookies
Cookie policy: we use cookies
The API key is missing
Key features: fast, small
Key: Value pairs
primary key: id
foreign key (user_id) references users(id)
keyboard shortcut: Ctrl+K
monkey: banana
compass: north
passenger: Robin
secretary: Kim
author: Robin Reader
tokenizer: cl100k_base
max_tokens: 4096
token_count: 512
tokens: 1200
total tokens: 1,024
Basic usage: see README
basic authentication
Bearer of good news
session: morning
code: 404
Status code: 200
error code=E1234
zip code: 80331
promo code: none
order id: 123456789
+49 89 1234567
4111 1111 1111 1111
v1.2.3-rc.1+build.5
npm install left-pad@1.3.0
pip install director-ctx[postgres]
docker run -u 1000:1000 -p 8080:80 img
ACCOUNTING
APPROXIMATELY
APPLICATION2
APPLE
SKYSCRAPER
glorious-battle-of-the-hill-2024-a
sk-learn-2024-contrib
patient.record
T-shirt: XL
SELECT id, token FROM sessions WHERE key = 'a'
{"id": 5, "key": "title", "code": 200}
{"a": {"session": 3, "auth": true}}
eyJ
WyJhIiwiYiJd
aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q=
ISBN 978-3-16-148410-0
0x52908400098527886E0F7030069857D2E4169EE7
bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq
DE89 3704 0044 0532 0130 00
01ARZ3NDEKTSV4RRFFQ69G5FAV
507f1f77bcf86cd799439011
cus_NffrFeUfNV2Hib
pk_live_51H8x
arn:aws:iam::123456789012:role/x
s3://bucket/path/key.json
aws s3 cp "x" 'y'
AKIDXXX
I18N_KEYS = 5
Author: Robin <r@example.org>
x-request-id: 9f8e7d6c5b4a
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
Content-Security-Policy: default-src 'self'
integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"
OPS-1234 Fix the "key" error
10:30:45 GET /api 200
Passed: 12, failed: 3
pass: 12
Pass 2 of 3
auth: none
author_key: robin
token bucket: 5 per second
secret santa: Kim
node7.token_type=word
sort keys: name, date
--key name
--token-limit 500
a > b > token
<label for="password">Password</label>
<input type="password" name="password">
<token>
List<Token> tokens = new ArrayList<>();
map.get("key")
Bearer token authentication is used
""".strip().split("\n")
NAMES: tuple[tuple[str, object], ...] = (
    ("keyboard", "x"),
    ("monkey", "x"),
    ("compass", "x"),
    ("passenger", "x"),
    ("secretary", "x"),
    ("author", "x"),
    ("token_count", 5),
    ("token_count", "5"),
    ("author_id", "x"),
    ("primary_key", "id"),
    ("sort_key", "x"),
    ("partition_key", "x"),
    ("key", "x"),
    ("keys", ["a"]),
    ("keywords", ["a"]),
    ("passport_number", "x"),
    ("password_hint", "x"),
    ("passed", "x"),
    ("tests_passed", 3),
    ("auth_method", "oauth"),
    ("authenticated", True),
    ("authentication", "basic"),
    ("authorized_users", ["a"]),
    ("author_email", "x"),
    ("cookie_count", 3),
    ("cookie_policy", "x"),
    ("cookies_accepted", "yes"),
    ("token_type", "bearer"),
    ("next_page_token", "CAUQAA"),
    ("nextPageToken", "CAUQAA"),
    ("tokens_used", 5),
    ("input_tokens", 5),
    ("usage.tokens", {"a": 1}),
    ("session", "x"),
    ("session_count", 3),
    ("access", "x"),
    ("access_level", "admin"),
    ("private", "x"),
    ("public_key", "x"),
    ("publicKey", "x"),
    ("ssh_public_key", "x"),
    ("key_name", "x"),
    ("keyId", "x"),
    ("api_key_id", "x"),
    ("secret_name", "x"),
    ("secret_arn", "x"),
    ("pins", ["a"]),
    ("pinned", "x"),
    ("pinterest_url", "x"),
    ("opinion", "x"),
    ("spin", "x"),
    ("shipping", "x"),
    ("zip_code", "80331"),
    ("postal_code", "x"),
    ("country_code", "DE"),
    ("status_code", 200),
    ("error_code", "E1"),
    ("security_code_sent", True),
    ("code", "print(1)"),
    ("source_code", "x"),
    ("oauth_provider", "google"),
    ("bearer_name", "x"),
    ("bypass", "x"),
    ("password_reset_url", "x"),
    ("forgot_password_link", "x"),
    ("password_label", "Password"),
    ("password_input", "#p"),
    ("passwordSelector", "#p"),
    ("password_css", "x"),
    ("password_xpath", "x"),
    ("token_symbol", "ETH"),
    ("token_address", "0x5"),
    ("master", "x"),
    ("account", "x"),
    ("total", "x"),
    ("totp_enabled", True),
    ("foreign_key", "x"),
    ("composite_key", "x"),
    ("cookie_domain", "x"),
    ("credentials_file", "x"),
    ("credentialsProvider", "x"),
    ("jwt_issuer", "x"),
    ("key_events", ["x"]),
    ("hotkey", "x"),
    ("hotkeys", ["x"]),
    ("turnkey", "x"),
    ("api_keys_page", "x"),
    ("session_title", "x"),
    ("password_visible", "x"),
    ("password_changed_at", "2026-01-01"),
    ("password_last_changed", "2026"),
    ("token_expires_at", "2026"),
    ("token_id", "x"),
    ("secret_version", "3"),
    ("tokens_remaining", "5"),
    ("tokenized", "x"),
    ("secrets_manager", "aws"),
    ("passwordless", "x"),
    ("password_manager", "x"),
    ("password_strength_meter", "x"),
    ("node4.passwordButton", "#x"),
)
