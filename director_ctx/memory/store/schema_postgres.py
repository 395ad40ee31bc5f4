"""The tables in PostgreSQL, as data: the seeds' four, which may be there already, and dctx's own."""

from __future__ import annotations

from director_ctx.base.record import Record

TEXT, NUMBER, TRUTH, MOMENT, DATA, ID = "text", "number", "true or false", "time", "JSON", "id"


class Column(Record):
    name: str
    kind: str
    sql: str
    """As it is made; `{id}` is the type that ids have in this database."""

    @property
    def added(self) -> str:
        """As it is added to a table with rows: without a default it has to stay empty in them."""
        return self.sql if "DEFAULT" in self.sql else self.sql.replace(" NOT NULL", "")


class Table(Record):
    name: str
    columns: tuple[Column, ...]
    more: tuple[str, ...] = ()
    """What else belongs into a table that dctx makes."""
    indexes: tuple[str, ...] = ()

    def made(self) -> str:
        parts = [*(f"{column.name} {column.sql}" for column in self.columns), *self.more]
        return f"CREATE TABLE {self.name} (\n  " + ",\n  ".join(parts) + "\n)"


_NOW = "timestamptz DEFAULT now()"
_KEY = Column("id", ID, "{id} PRIMARY KEY DEFAULT gen_random_uuid()")
_OF = Column("workflow_id", ID, "{id} REFERENCES workflows(id) ON DELETE CASCADE")
_OWN = "{id} NOT NULL REFERENCES workflows(id) ON DELETE CASCADE"

SEEDS: tuple[Table, ...] = (
    Table(
        "workflows",
        (
            _KEY,
            Column("name", TEXT, "text DEFAULT ''"),
            Column("created_at", MOMENT, _NOW),
            Column("updated_at", MOMENT, _NOW),
        ),
    ),
    Table(
        "director_plans",
        (
            _KEY,
            Column("workflow_id", ID, "{id} REFERENCES workflows(id)"),
            Column("plan_version", NUMBER, "integer DEFAULT 1"),
            Column("plan_data", DATA, "jsonb NOT NULL"),
            Column("created_at", MOMENT, _NOW),
            Column("updated_at", MOMENT, _NOW),
            Column("reason", TEXT, "text"),
        ),
        ("UNIQUE (workflow_id, plan_version)",),
    ),
    Table(
        "compressed_contexts",
        (
            _KEY,
            _OF,
            Column("summary", TEXT, "text NOT NULL"),
            Column("original_message_count", NUMBER, "integer NOT NULL"),
            Column("compression_ratio", NUMBER, "double precision"),
            Column("created_at", MOMENT, _NOW),
            Column("created_by", TEXT, "text DEFAULT 'manual'"),
        ),
        (),
        ("CREATE INDEX dctx_summaries_of ON compressed_contexts (workflow_id, created_at)",),
    ),
    Table(
        "conversations",
        (
            _KEY,
            _OF,
            Column("role", TEXT, "text NOT NULL"),
            Column("content", TEXT, "text NOT NULL"),
            Column("timestamp", MOMENT, _NOW),
            Column("is_archived", TRUTH, "boolean DEFAULT FALSE"),
            Column("metadata", DATA, "jsonb"),
        ),
        (),
        ("CREATE INDEX dctx_messages_of ON conversations (workflow_id, timestamp)",),
    ),
)
"""Under the names and with the columns that the seeds give them."""

OWN: tuple[str, ...] = (
    f"""CREATE TABLE dctx_variables (
  workflow_id {_OWN},
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, name)
)""",
    f"""CREATE TABLE dctx_variable_changes (
  id uuid PRIMARY KEY,
  workflow_id {_OWN},
  number integer NOT NULL,
  name text NOT NULL,
  value text,
  reason text NOT NULL,
  changed_at timestamptz NOT NULL,
  UNIQUE (workflow_id, number)
)""",
    f"""CREATE TABLE dctx_tabs (
  workflow_id {_OWN},
  target text COLLATE "C" NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (workflow_id, target)
)""",
    "CREATE TABLE dctx_meta (name text PRIMARY KEY, value text NOT NULL)",
    "CREATE INDEX dctx_changes_of ON dctx_variable_changes (workflow_id, name, number)",
    f"""CREATE TABLE dctx_originals (
  workflow_id {_OWN},
  hash text COLLATE "C" NOT NULL,
  size integer NOT NULL,
  kept_at timestamptz NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (workflow_id, hash)
)""",
    f"""CREATE TABLE dctx_compressions (
  workflow_id {_OWN},
  receipt text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  source text NOT NULL,
  format text NOT NULL,
  strategy text NOT NULL,
  counter text NOT NULL,
  target integer,
  tokens_in integer NOT NULL,
  tokens_out integer NOT NULL,
  marks text NOT NULL,
  content text NOT NULL,
  outline text NOT NULL,
  PRIMARY KEY (workflow_id, receipt)
)""",
    f"""CREATE TABLE dctx_summaries (
  id text COLLATE "C" PRIMARY KEY,
  workflow_id {_OWN},
  previous text,
  messages text NOT NULL,
  summarizer text NOT NULL,
  tokens_in integer NOT NULL,
  tokens_out integer NOT NULL
)""",
    "CREATE INDEX dctx_compressions_of ON dctx_compressions (workflow_id, created_at)",
    f"""CREATE TABLE dctx_cuts (
  workflow_id {_OWN},
  name text COLLATE "C" NOT NULL,
  used_at timestamptz NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (workflow_id, name)
)""",
    f"""CREATE TABLE dctx_chat_points (
  id text COLLATE "C" PRIMARY KEY,
  workflow_id {_OWN},
  chat text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  provider text NOT NULL,
  model text NOT NULL,
  response text,
  tokens integer NOT NULL,
  reach text NOT NULL,
  made_at timestamptz NOT NULL,
  UNIQUE (workflow_id, chat, number)
)""",
)
"""Names sort by their bytes, as they do in SQLite."""

KINDS = {
    ID: ("uuid", "text", "varchar", "bpchar"),
    TEXT: ("text", "varchar", "bpchar", "citext"),
    NUMBER: ("int2", "int4", "int8", "float4", "float8", "numeric"),
    TRUTH: ("bool",),
    MOMENT: ("timestamptz", "timestamp"),
    DATA: ("jsonb", "json", "text"),
}
"""The types by PostgreSQL's own names that serve for each kind of column."""
CATALOG = """SELECT c.relname::text, c.relkind::text, a.attname::text, t.typname::text, t.typtype::text,
  a.attnotnull, a.atthasdef OR a.attidentity <> '', a.attgenerated <> '' OR a.attidentity = 'a',
  EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL
    AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
FROM pg_class c
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
WHERE c.oid IN (to_regclass('workflows'), to_regclass('director_plans'), to_regclass('compressed_contexts'),
  to_regclass('conversations'))
ORDER BY c.relname, a.attnum"""
"""What is found along the search_path, by PostgreSQL's own catalog: other users' columns too."""
