"""The tables, as data.

The first four tables are the seeds' own, under their names and columns, so that a database that has
them already can be used as it is; what dctx needs beyond them is in tables of its own, whose names
begin with `dctx_`.
"""

from __future__ import annotations

SQLITE: tuple[str, ...] = (
    """CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
)""",
    """CREATE TABLE director_plans (
  id TEXT PRIMARY KEY,
  workflow_id TEXT REFERENCES workflows(id) ON UPDATE CASCADE,
  plan_version INTEGER NOT NULL DEFAULT 1,
  plan_data TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  reason TEXT,
  UNIQUE (workflow_id, plan_version)
)""",
    """CREATE TABLE compressed_contexts (
  id TEXT PRIMARY KEY,
  workflow_id TEXT REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  summary TEXT NOT NULL,
  original_message_count INTEGER NOT NULL,
  compression_ratio REAL,
  created_at TEXT NOT NULL,
  created_by TEXT DEFAULT 'manual'
)""",
    """CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  workflow_id TEXT REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  is_archived INTEGER NOT NULL DEFAULT 0,
  metadata TEXT
)""",
    """CREATE TABLE dctx_variables (
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (workflow_id, name)
)""",
    """CREATE TABLE dctx_variable_changes (
  id TEXT PRIMARY KEY,
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT,
  reason TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  UNIQUE (workflow_id, number)
)""",
    """CREATE TABLE dctx_tabs (
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  target TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (workflow_id, target)
)""",
    "CREATE TABLE dctx_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE INDEX dctx_changes_of ON dctx_variable_changes (workflow_id, name, number)",
    "CREATE INDEX dctx_messages_of ON conversations (workflow_id, timestamp)",
    "CREATE INDEX dctx_summaries_of ON compressed_contexts (workflow_id, created_at)",
    """CREATE TABLE dctx_originals (
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  kept_at TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workflow_id, hash)
)""",
    """CREATE TABLE dctx_compressions (
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  receipt TEXT NOT NULL,
  created_at TEXT NOT NULL,
  source TEXT NOT NULL,
  format TEXT NOT NULL,
  strategy TEXT NOT NULL,
  counter TEXT NOT NULL,
  target INTEGER,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  marks TEXT NOT NULL,
  content TEXT NOT NULL,
  outline TEXT NOT NULL,
  PRIMARY KEY (workflow_id, receipt)
)""",
    """CREATE TABLE dctx_summaries (
  id TEXT PRIMARY KEY,
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  previous TEXT,
  messages TEXT NOT NULL,
  summarizer TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL
)""",
    "CREATE INDEX dctx_compressions_of ON dctx_compressions (workflow_id, created_at)",
    """CREATE TABLE dctx_cuts (
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  name TEXT NOT NULL,
  used_at TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (workflow_id, name)
)""",
    """CREATE TABLE dctx_chat_points (
  id TEXT PRIMARY KEY,
  workflow_id TEXT NOT NULL REFERENCES workflows(id) ON DELETE CASCADE ON UPDATE CASCADE,
  chat TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  response TEXT,
  tokens INTEGER NOT NULL,
  reach TEXT NOT NULL,
  made_at TEXT NOT NULL,
  UNIQUE (workflow_id, chat, number)
)""",
)
VERSION = 1
"""The version that this program reads and writes."""
