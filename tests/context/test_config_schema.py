"""The JSON Schema of `dctx.yaml`: it is made of the tables, and says what `dctx config show` says."""

from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator

from director_ctx.base.errors import DctxError
from director_ctx.base.resources import read_shipped
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.context.settings.config import SCHEMA_NAME, config_schema, parse_config

GOOD = (
    "",
    "profiles:\n",
    "budget: 25%\nwindow: 200k\nmodel: opus\ncounter: estimate\n",
    "budget: 0.2\nwindow: 128000\n",
    "budget: 12000\n",
    "record: false\ncompress: true\n",
    "hooks: {agents: {general-purpose: builder, Explore: never, Plan: null, Review: false}}\n",
    "hooks: {session: false, archive: true, warn: 1000, urgent: 2000}\n",
    "profiles: {builder: {sections: [vision, task], protect: codebase, budget: 20%, layout: parts}}\n",
    "profiles: {retro: {skill: true, sections: vision, purpose: ''}}\n",
    "task_types: {UI: {keywords: [page], files: [CONVENTIONS]}, API: null}\n",
    "research_types: {UI: {keywords: [page], files: STACK.md}}\n",
    "models: {abacus: {window: 9000, tokenizer: claude}}\n",
    "profiles: {builder: {layout: pull}}\n",
    "store: postgresql://me@db.example.org/team\nworkflow_id: 457c769f-39d8-4441-99c0-e5bdbcfbc85b\n",
)
BAD = (
    "[]",
    "shade: blue\n",
    "budget: 30\n",
    "budget: lots\n",
    "window: wide\n",
    "window: 0\n",
    "model: 7\n",
    "counter: fingers\n",
    "record: 1\n",
    "compress: perhaps\n",
    "hooks: []\n",
    "hooks: {agent: {}}\n",
    "hooks: {agents: [builder]}\n",
    "hooks: {agents: {Explore: 3}}\n",
    "hooks: {agents: {Explore: true}}\n",
    'hooks: {agents: {"*": builder}}\n',
    "hooks: {agents: {Explore: ''}}\n",
    "hooks: {default: builder}\n",
    "hooks: {session: 'yes'}\n",
    "hooks: {warn: many}\n",
    "hooks: {urgent: -1}\n",
    "profiles: {builder: [x]}\n",
    "profiles: {builder: {sections: [gamplan]}}\n",
    "profiles: {builder: {protect: everything}}\n",
    "profiles: {builder: {recent_changes: -1}}\n",
    "profiles: {builder: {purpose: []}}\n",
    "profiles: {builder: {colour: blue}}\n",
    "profiles: {builder: {layout: rows}}\n",
    "profiles: {builder: {budget: 30}}\n",
    "task_types: {UI: {keywords: 5}}\n",
    "models: {abacus: {window: 0}}\n",
    "models: {abacus: {tokenizer: claude}}\n",
    "store: mysql://db/team\n",
    "store: postgresql://db/team?password=secret\n",
    "workflow_id: mine\n",
)


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    shipped = json.loads(read_shipped("templates", SCHEMA_NAME))
    Draft202012Validator.check_schema(shipped)
    return Draft202012Validator(shipped)


def is_taken(text: str) -> bool:
    try:
        parse_config(parse_yaml(text, "dctx.yaml"))
    except DctxError:
        return False
    return True


def examples() -> list[str]:
    """What the documents show of the file, fenced or indented."""
    shown: list[str] = []
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text("utf-8")
        shown += re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        for block in re.findall(r"^ +hooks:\n(?:^ {5,}.*\n)+", text, re.MULTILINE):
            blanks = len(block) - len(block.lstrip())
            shown.append("".join(line[blanks:] + "\n" for line in block.splitlines()))
    return shown


def test_the_shipped_schema_is_the_one_that_the_tables_make() -> None:
    shipped = read_shipped("templates", SCHEMA_NAME)
    made = json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"
    assert shipped == made, "write it anew: dctx config show --schema > templates/dctx.schema.json"


def test_the_schema_takes_what_the_documents_show(schema: Draft202012Validator) -> None:
    shown = examples()
    assert len(shown) > 2
    for text in shown:
        assert is_taken(text), text
        assert schema.is_valid(parse_yaml(text, "dctx.yaml")), text


@pytest.mark.parametrize("text", GOOD)
def test_the_schema_takes_what_a_check_takes(schema: Draft202012Validator, text: str) -> None:
    assert is_taken(text)
    schema.validate(parse_yaml(text, "dctx.yaml"))


@pytest.mark.parametrize("text", BAD)
def test_the_schema_refuses_what_a_check_refuses(schema: Draft202012Validator, text: str) -> None:
    assert not is_taken(text)
    assert not schema.is_valid(parse_yaml(text, "dctx.yaml"))


def test_every_key_says_what_it_is_for() -> None:
    properties = config_schema()["properties"]
    for key in (*properties.values(), *properties["hooks"]["properties"].values()):
        assert key["description"].endswith(".")
