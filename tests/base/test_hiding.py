"""What is hidden by its name or its format, judged by a detector that others keep, and what is left
alone.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from typing import Any

import detect_secrets.plugins
import pytest
from detect_secrets.plugins.base import RegexBasedDetector
from harmless import NAMES, TEXTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from secret_formats import FORMATS

from director_ctx.base.secrets import HIDDEN, hides_name, hides_value, redact
from director_ctx.base.secrets.running_text import MOST_NAMES
from director_ctx.base.secrets.shapes import SHAPES
from director_ctx.base.secrets.values import without_hidden

ASCII = st.characters(min_codepoint=32, max_codepoint=126)
slowly = settings(max_examples=40, suppress_health_check=list(HealthCheck))


def credentials() -> st.SearchStrategy[str]:
    return st.sampled_from(sorted(FORMATS)).flatmap(
        lambda kind: st.from_regex(FORMATS[kind], fullmatch=True)
    )


def test_every_format_of_the_table_has_a_sample() -> None:
    assert sorted(FORMATS) == sorted(kind for kind, _, _ in SHAPES)


@pytest.mark.parametrize("kind", sorted(FORMATS))
@settings(slowly, max_examples=6)
@given(
    data=st.data(),
    before=st.sampled_from(["", "x = ", "see (", "\n", '"', "https://h/?a=", "日本 "]),
    after=ASCII,
)
def test_a_known_format_is_hidden_wherever_it_stands(
    kind: str, data: st.DataObject, before: str, after: str
) -> None:
    secret = data.draw(st.from_regex(FORMATS[kind], fullmatch=True))
    text = f"{before}{secret} {after}"
    assert hides_value(text)
    assert secret not in redact(text)
    assert HIDDEN in redact(text)


def detectors() -> Iterator[tuple[str, Any, int]]:
    """The formats of detect-secrets, without guesses by entropy or keyword and without plain
    addresses.
    """
    for module in pkgutil.iter_modules(detect_secrets.plugins.__path__):
        found = importlib.import_module(f"detect_secrets.plugins.{module.name}")
        for cls in vars(found).values():
            ours = (
                isinstance(cls, type)
                and issubclass(cls, RegexBasedDetector)
                and cls.__module__ == found.__name__
            )
            if ours and module.name not in ("base", "ip_public"):
                for place in range(len(list(cls.denylist))):
                    yield f"{module.name} {place}", cls, place


ASSIGNMENTS = ("cloudant 0", "cloudant 1", "ibm_cloud_iam 0", "ibm_cos_hmac 0", "softlayer 0")
"""These find whatever is assigned to names, in ways that nobody writes too; see the next test."""


@pytest.mark.parametrize(
    ("cls", "place"),
    [(cls, place) for name, cls, place in detectors() if name not in ASSIGNMENTS],
    ids=str,
)
@settings(slowly, max_examples=10)
@given(data=st.data())
def test_what_a_well_kept_detector_finds_in_its_own_formats_is_hidden(
    cls: Any, place: int, data: st.DataObject
) -> None:
    detector = cls()
    text = data.draw(st.from_regex(list(detector.denylist)[place], fullmatch=True, alphabet=ASCII))
    shown = redact(text)
    for found in detector.analyze_string(text):
        secret = found if isinstance(found, str) else found[0]
        assert len(secret) < 4 or secret not in shown.replace(HIDDEN, "")


@pytest.mark.parametrize(
    "name", ["cloudant_password", "cl_key", "ibm_cloud_iam_api_key", "secret_access_key", "sl_key"]
)
@pytest.mark.parametrize(
    "way",
    ["{}={}", "{} = '{}'", '"{}": "{}"', "{}: {}", "['{}'] = \"{}\"", "{} := {}", "{} => '{}'"],
)
def test_what_is_assigned_to_a_secret_name_is_hidden(name: str, way: str) -> None:
    assert "Zb3x9q7a" not in redact(way.format(name, "Zb3x9q7aZb3x9q7a"))
    assert "Zb3x9q7a" not in redact(way.format(name.upper(), "Zb3x9q7aZb3x9q7a"))


@pytest.mark.parametrize(
    "text, shown",
    [
        ("postgresql://bob:p@ss@db.example.org/x", "postgresql://[hidden]@db.example.org/x"),
        ("postgres://bob:pa/ss@db/x?a=1", "postgres://[hidden]@db/x?a=1"),
        ("redis://:hunter2@h:6379/0", "redis://[hidden]@h:6379/0"),
        ("https://h/?token=abc&page=2", "https://h/?token=[hidden]&page=2"),
        ("https://h/cb#access_token=abc&x=1", "https://h/cb#access_token=[hidden]&x=1"),
        ("https://h/cb?code=4f2d91ab&state=1", "https://h/cb?code=[hidden]&state=1"),
        ("https://h/?to=https%3A%2F%2Fx%3Ftoken%3Dabc%26y%3D1", "https://h/?to=https%3A%2F%2Fx%3Ftoken%3D[hidden]%26y%3D1"),
        ("curl -H 'Authorization: Bearer abcdef' https://x", "curl -H 'Authorization: [hidden]' https://x"),
        ("login --password hunter2 --user x", "login --password [hidden] --user x"),
        ("<password>hunter2</password>", "<password>[hidden]</password>"),
        ("PGPASSWORD=abc psql", "PGPASSWORD=[hidden] psql"),
        ("Server=x;Password=a;b;Database=d;", "Server=x;Password=[hidden];Database=d;"),
        ("Cookie: a=b; c=d\nHost: x", "Cookie: [hidden]\nHost: x"),
        ("passphrase: correct horse battery staple", "passphrase: [hidden]"),
        ('{"password": "hu\\"nter", "a": 1}', '{"password": "[hidden]", "a": 1}'),
        ('"{\\"password\\": \\"hunter2\\", \\"a\\": 1}"', '"{\\"password\\": \\"[hidden]\\", \\"a\\": 1}"'),
        ('"cookies": [{"name": "sid", "value": "abc"}], "x": 1', '"cookies": [hidden], "x": 1'),
        ("API key: abc1", "API key: [hidden]"),
        ("DefaultEndpointsProtocol=https;AccountKey=abc==;EndpointSuffix=x",
         "DefaultEndpointsProtocol=https;AccountKey=[hidden];EndpointSuffix=x"),
    ],
)  # fmt: skip
def test_in_running_text_only_the_secret_goes(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://mail.google.com/mail/u/0/#inbox", "http://localhost:3000/@me", "http://[::1]:8080/x@y",
        "max_tokens: 4096",
        "token_count: 5", "loginRequired: true", "password: string", "Password: forgot it?", "Enter your password",
        "the basic functionality of bearer tokens", "sk-learn-contrib-project-template", "git@github.com:a/b.git",
        "2026-11-18T20:46:55.457006Z", "1b1264ea-a6ea-45c4-b654-6654dfbd3070", "#identifierId, #identifierNext",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA", "9e6ba1b4fbb84d76bf91d8eed32c1b4f2d91ab00",
    ],
)  # fmt: skip
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", TEXTS)
def test_what_people_have_in_their_variables_is_shown(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(("name", "value"), NAMES, ids=str)
def test_names_that_people_have_are_shown(name: str, value: object) -> None:
    assert not hides_name(name, value)


@pytest.mark.parametrize(
    "text",
    ["PASSWORD=secret", "password: Zq(7", "token=abcdefghijkl", "https://h/?key=abcdefghijkl", "https://h/?sig=a1",
     "token: $Zq7", "password%3AZq7", "%22password%22%3A%22Zq7%22", "Authorization%3A%20Bearer%20Zq7",
     "self.token = 'token'", "<password>Zq7", "PIN: 4,711", "password=getZq7(", "the password is Zq7a",
     "password：Zq7", "PassWord=Zq7", "token=$TOKEN-Zq7", "password=getSecret()Zq7",
     "token=${TO", "secret_id=Zq7", "session_id: Zq7", "config.password=hunter"],
)  # fmt: skip
def test_what_only_looks_like_code_or_a_count_is_hidden(text: str) -> None:
    assert hides_value(text)


@given(
    st.text("ab=: \"'[{&;<>%3D\\n-")
    | st.lists(
        credentials() | st.sampled_from(["password=", "token: ", '"', "://", "@", " ", "{", "x"])
    ).map(" ".join)
)
@slowly
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


SECRET_WORDS = ("password", "passwd", "pwd", "passphrase", "secret", "token", "api_key", "access_key", "private_key",
                "client_secret", "authorization", "cookie", "bearer", "credentials")  # fmt: skip


@given(
    st.sampled_from(SECRET_WORDS),
    st.sampled_from(["", "gmail", "db", "node7"]),
    st.sampled_from("_-. "),
)
def test_a_secret_word_is_found_in_every_style_of_name(word: str, before: str, joint: str) -> None:
    parts = [*([before] if before else []), *word.split("_")]
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
    for name in (joint.join(parts), joint.join(parts).upper(), camel, camel[0].upper() + camel[1:]):
        assert hides_name(name, "x"), name


@pytest.mark.parametrize(
    "name, value",
    [
        ("max_tokens", 4096), ("token_count", 5), ("tokens", {"input": 1}), ("loginRequired", True), ("password", None),
        ("password", ""), ("has_password", False), ("passwordField", "#p"), ("gmail_creds", {"email": "a"}),
        ("max_token", 5),
        ("keyboard", "x"), ("monkey", "x"), ("compass", "x"), ("author", "x"), ("secretary", "x"), ("tokenizer", "x"),
        ("cookie_banner", "x"), ("client_id", "x"), ("key", "x"), ("passed", 3), ("", "x"), ("_", "x"),
    ],
)  # fmt: skip
def test_a_name_that_only_speaks_of_secrets_hides_nothing(name: str, value: object) -> None:
    assert not hides_name(name, value)


@pytest.mark.parametrize(
    "name, value",
    [("password", 1234), ("token", ["a"]), ("dbpass", "x"), ("secrets", {"a": "b"}), ("creds", "x"), ("tokens", ["a"]),
     ("пароль", "x"), ("PGPASSWORD", "x"), ("session_id", "x"), ("recovery_codes", ["1"]), ("x" * 500 + "_pwd", "x")],
)  # fmt: skip
def test_a_secret_of_any_kind_is_hidden_by_its_name(name: str, value: object) -> None:
    assert hides_name(name, value)


def test_only_the_password_inside_credentials_is_hidden() -> None:
    value = {"email": "user@gmail.com", "password": "hunter2"}
    assert without_hidden("gmail_creds", value, lambda _: HIDDEN) == {
        "email": "user@gmail.com",
        "password": HIDDEN,
    }


def test_a_value_is_hidden_by_the_name_beside_it() -> None:
    value = [{"name": "API_KEY", "value": "abc"}, {"name": "PORT", "value": "80"}]
    shown = without_hidden("env", value, lambda _: HIDDEN)
    assert shown == [{"name": "API_KEY", "value": HIDDEN}, {"name": "PORT", "value": "80"}]


def test_a_value_is_hidden_by_the_kind_of_its_field() -> None:
    value = {"name": "field_2", "type": "password", "value": "hunter"}
    assert without_hidden("field", value, lambda _: HIDDEN) == {**value, "value": HIDDEN}


def test_the_first_of_two_texts_may_name_the_second() -> None:
    value = {
        "headers": [["Authorization", "Zq7"], ["Accept", "*/*"]],
        "fields": ["password", "email"],
    }
    shown = {
        "headers": [["Authorization", HIDDEN], ["Accept", "*/*"]],
        "fields": ["password", "email"],
    }
    assert without_hidden("request", value, lambda _: HIDDEN) == shown


def test_a_key_that_is_a_credential_hides_its_object() -> None:
    assert without_hidden("x", {"sk-ant-api03-abcdefgh": 1}, lambda _: HIDDEN) == HIDDEN


HOSTILE = (
    *(
        "a",
        "sk-",
        "eyJ",
        "eyJa.",
        "://",
        "://a:b",
        "@://",
        "token:",
        "token: ",
        'key="',
        '\\"',
        "MN.",
        " ",
        "aws",
        "aws'",
    ),
    *(
        "BEGIN PRIVATE KEY",
        "<token>",
        "token: {",
        "--token ",
        "sk-a-",
        "token=&a",
        "token=;a",
        "pass:`",
        "%3D",
        "-a",
    ),
    *(
        "aT3BlbkFJ",
        "key 'a",
        "://a:b'",
        "value=",
        "password|a\n",
        "token,a\n",
        "token  a  b\n",
        "|token|\n",
    ),
    *(
        "kty d:",
        "mnemonic aaa ",
        "aaa bbb ",
        "sshpass ",
        "curl ",
        "docker login ",
        "a:5432:",
        "s.a",
        "token: |\n a",
    ),
    *("set('token', ", "a\u200b="),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_with_the_text_and_not_faster(piece: str) -> None:
    """Much of what patterns stumble over: a pattern that looks back would not come home at all."""
    assert len(redact((piece * (100_000 // len(piece) + 1))[:100_000])) > 0


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists), credentials())
@slowly
def test_a_credential_is_found_at_any_depth(value: Any, secret: str) -> None:
    nested = {"a": [value, {"b": [secret]}]}
    assert json.dumps(secret)[1:-1] not in json.dumps(without_hidden("x", nested, lambda _: HIDDEN))


def test_beyond_many_secret_names_everything_is_hidden() -> None:
    shown = redact("token=a " * MOST_NAMES + "token=b harmless")
    assert shown.endswith(f"token={HIDDEN} {HIDDEN}")
    assert "harmless" not in shown
