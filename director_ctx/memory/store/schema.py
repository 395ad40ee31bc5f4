"""The tables, once, and what SQLite and PostgreSQL call things in them; data.

The first four tables are the seeds' own, under their names and columns, so that a database that has
them already can be used as it is; what dctx needs beyond them is in tables of its own, whose names
begin with `dctx_`.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VERSION = 1
"""The version that this program reads and writes."""
TEXT, NUMBER, TRUTH, MOMENT, DATA, ID = "text", "number", "true or false", "time", "JSON", "id"

TABLES = """
CREATE TABLE workflows (
  id {key},
  name {text}{filled} DEFAULT '',
  created_at {moment}{now},
  updated_at {moment}{now}
);
CREATE TABLE director_plans (
  id {key},
  workflow_id {plan_of},
  plan_version {number}{filled} DEFAULT 1,
  plan_data {data} NOT NULL,
  created_at {moment}{now},
  updated_at {moment}{now},
  reason {text},
  UNIQUE (workflow_id, plan_version)
);
CREATE TABLE compressed_contexts (
  id {key},
  workflow_id {of},
  summary {text} NOT NULL,
  original_message_count {number} NOT NULL,
  compression_ratio {real},
  created_at {moment}{now},
  created_by {text} DEFAULT 'manual'
);
CREATE INDEX dctx_summaries_of ON compressed_contexts (workflow_id, created_at);
CREATE TABLE conversations (
  id {key},
  workflow_id {of},
  role {text} NOT NULL,
  content {text} NOT NULL,
  timestamp {moment}{now},
  is_archived {truth},
  metadata {data}
);
CREATE INDEX dctx_messages_of ON conversations (workflow_id, timestamp);
CREATE TABLE dctx_variables (
  workflow_id {owner},
  name {name} NOT NULL,
  value {json} NOT NULL,
  updated_at {moment} NOT NULL,
  PRIMARY KEY (workflow_id, name)
);
CREATE TABLE dctx_variable_changes (
  id {uuid} PRIMARY KEY,
  workflow_id {owner},
  number {number} NOT NULL,
  name {text} NOT NULL,
  value {json},
  reason {text} NOT NULL,
  changed_at {moment} NOT NULL,
  UNIQUE (workflow_id, number)
);
CREATE TABLE dctx_tabs (
  workflow_id {owner},
  target {name} NOT NULL,
  name {text} NOT NULL,
  PRIMARY KEY (workflow_id, target)
);
CREATE TABLE dctx_meta (name {text} PRIMARY KEY, value {text} NOT NULL);
CREATE INDEX dctx_changes_of ON dctx_variable_changes (workflow_id, name, number);
CREATE TABLE dctx_originals (
  workflow_id {owner},
  hash {name} NOT NULL,
  size {number} NOT NULL,
  kept_at {moment} NOT NULL,
  content {text} NOT NULL,
  PRIMARY KEY (workflow_id, hash)
);
CREATE TABLE dctx_compressions (
  workflow_id {owner},
  receipt {name} NOT NULL,
  created_at {moment} NOT NULL,
  source {text} NOT NULL,
  format {text} NOT NULL,
  strategy {text} NOT NULL,
  counter {text} NOT NULL,
  target {number},
  tokens_in {number} NOT NULL,
  tokens_out {number} NOT NULL,
  marks {text} NOT NULL,
  content {text} NOT NULL,
  outline {text} NOT NULL,
  PRIMARY KEY (workflow_id, receipt)
);
CREATE TABLE dctx_summaries (
  id {name} PRIMARY KEY,
  workflow_id {owner},
  previous {text},
  messages {json} NOT NULL,
  summarizer {text} NOT NULL,
  tokens_in {number} NOT NULL,
  tokens_out {number} NOT NULL
);
CREATE INDEX dctx_compressions_of ON dctx_compressions (workflow_id, created_at);
CREATE TABLE dctx_cuts (
  workflow_id {owner},
  name {name} NOT NULL,
  used_at {moment} NOT NULL,
  content {text} NOT NULL,
  PRIMARY KEY (workflow_id, name)
);
CREATE TABLE dctx_chat_points (
  id {name} PRIMARY KEY,
  workflow_id {owner},
  chat {name} NOT NULL,
  number {number} NOT NULL,
  kind {text} NOT NULL,
  provider {text} NOT NULL,
  model {text} NOT NULL,
  response {text},
  tokens {number} NOT NULL,
  reach {text} NOT NULL,
  made_at {moment} NOT NULL,
  UNIQUE (workflow_id, chat, number)
)"""
KINDS = {
    **dict.fromkeys(("text", "name", "uuid", "key"), TEXT),
    **dict.fromkeys(("number", "real"), NUMBER),
    **dict.fromkeys(("data", "json"), DATA),
    "moment": MOMENT,
    "truth": TRUTH,
}
_OF = "REFERENCES workflows(id) ON DELETE CASCADE"
SQLITE_WORDS = {
    **dict.fromkeys(("text", "name", "uuid", "moment", "data", "json"), "TEXT"),
    "key": "TEXT PRIMARY KEY",
    "number": "INTEGER",
    "real": "REAL",
    "truth": "INTEGER NOT NULL DEFAULT 0",
    "plan_of": "TEXT REFERENCES workflows(id) ON UPDATE CASCADE",
    "of": f"TEXT {_OF} ON UPDATE CASCADE",
    "owner": f"TEXT NOT NULL {_OF} ON UPDATE CASCADE",
    "filled": " NOT NULL",
    "now": " NOT NULL",
}
# Names sort by their bytes, as they do in SQLite. `{id}` is the type that ids have in a database.
POSTGRES_WORDS = {
    "text": "text",
    "name": 'text COLLATE "C"',
    "uuid": "uuid",
    "moment": "timestamptz",
    "data": "jsonb",
    "json": "text",
    "key": "{id} PRIMARY KEY DEFAULT gen_random_uuid()",
    "number": "integer",
    "real": "double precision",
    "truth": "boolean DEFAULT FALSE",
    "plan_of": "{id} REFERENCES workflows(id)",
    "of": f"{{id}} {_OF}",
    "owner": f"{{id}} NOT NULL {_OF}",
    "filled": "",
    "now": " DEFAULT now()",
}
STATEMENTS = tuple(statement.strip() for statement in TABLES.split(";"))
SEEDS = 6
"""So many of the statements are about the seeds' tables, which may be there already."""


def statements(words: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(statement.format_map(words) for statement in STATEMENTS)


def columns_of(statement: str) -> Iterator[tuple[str, str, str]]:
    """The columns of a table: name, word for the type, and the whole line."""
    for line in statement.split("\n")[1:-1]:
        name, _, rest = line.strip(" ,").partition(" ")
        if rest.startswith("{"):
            yield name, rest[1 : rest.index("}")], rest


class Table(Record):
    """A table whose rows go from one store to another, without the workflow, which all rows of a
    transfer share.
    """

    table: str
    columns: Mapping[str, str]
    """The kind of each."""
    empty: frozenset[str]
    """Columns that may be empty."""
    keys: tuple[str, ...]
    """Each alone tells rows apart: the first everywhere (or in the workflow, if it is no id), the
    others there.
    """
    order: str
    number: str = ""
    """The column that counts its rows, each on top of the one before."""
    aside: str = ""
    """A column that may differ in rows that are the same: when each side came to have it."""

    @property
    def owner(self) -> str:
        return "workflow_id" if self.keys else "id"

    @property
    def key(self) -> str:
        """What tells its rows apart everywhere; empty for the row of the workflow itself."""
        return self.keys[0] if self.keys else ""

    @property
    def telling(self) -> Mapping[str, str]:
        """The columns by which two rows are the same."""
        return {name: kind for name, kind in self.columns.items() if name != self.aside}


def _table(table: str, order: str, *keys: str, number: str = "", aside: str = "") -> Table:
    [statement] = [one for one in STATEMENTS if one.startswith(f"CREATE TABLE {table} (")]
    columns = {}
    empty = []
    for name, word, line in columns_of(statement):
        if word in KINDS and (keys or name != "id"):
            columns[name] = KINDS[word]
            if not {"PRIMARY", "NOT"} & set(line.format_map(SQLITE_WORDS).split()):
                empty.append(name)
    return Table(table, columns, frozenset(empty), keys, order, number, aside)


VARIABLES, CHANGES = "dctx_variables", "dctx_variable_changes"
PARTS = (
    _table("workflows", "id"),
    _table("director_plans", "plan_version, id", "id", "plan_version", number="plan_version"),
    _table("compressed_contexts", "created_at, id", "id"),
    _table("conversations", "timestamp, id", "id"),
    _table(CHANGES, "number", "id", "number", number="number"),
    _table(VARIABLES, "name", "name"),
    _table("dctx_tabs", "target", "target"),
    _table("dctx_originals", "hash", "hash", aside="kept_at"),
    _table("dctx_compressions", "created_at, receipt", "receipt", aside="created_at"),
    _table("dctx_summaries", "id", "id"),
)
"""In the order of their references: each refers only to what is above. Variables come after their
changes.
"""
BY_TABLE = {part.table: part for part in PARTS}
