-- A database of version 4.
CREATE TABLE workflows (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text DEFAULT '',
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE TABLE director_plans (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_id uuid REFERENCES workflows(id),
  plan_version integer DEFAULT 1,
  plan_data jsonb NOT NULL,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now(),
  reason text,
  UNIQUE (workflow_id, plan_version)
);
CREATE TABLE compressed_contexts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_id uuid REFERENCES workflows(id) ON DELETE CASCADE,
  summary text NOT NULL,
  original_message_count integer NOT NULL,
  compression_ratio double precision,
  created_at timestamptz DEFAULT now(),
  created_by text DEFAULT 'manual'
);
CREATE INDEX dctx_summaries_of ON compressed_contexts (workflow_id, created_at);
CREATE TABLE conversations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_id uuid REFERENCES workflows(id) ON DELETE CASCADE,
  role text NOT NULL,
  content text NOT NULL,
  timestamp timestamptz DEFAULT now(),
  is_archived boolean DEFAULT FALSE,
  metadata jsonb
);
CREATE INDEX dctx_messages_of ON conversations (workflow_id, timestamp);
CREATE TABLE dctx_variables (
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, name)
);
CREATE TABLE dctx_variable_changes (
  id uuid PRIMARY KEY,
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  number integer NOT NULL,
  name text NOT NULL,
  value text,
  reason text NOT NULL,
  changed_at timestamptz NOT NULL,
  UNIQUE (workflow_id, number)
);
CREATE TABLE dctx_tabs (
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  target text COLLATE "C" NOT NULL,
  name text NOT NULL,
  PRIMARY KEY (workflow_id, target)
);
CREATE TABLE dctx_meta (name text PRIMARY KEY, value text NOT NULL);
CREATE INDEX dctx_changes_of ON dctx_variable_changes (workflow_id, name, number);
CREATE TABLE dctx_originals (
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  size integer NOT NULL,
  kept_at timestamptz NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (workflow_id, hash)
);
CREATE TABLE dctx_compressions (
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
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
);
CREATE TABLE dctx_summaries (
  id text COLLATE "C" PRIMARY KEY,
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  previous text,
  messages text NOT NULL,
  summarizer text NOT NULL,
  tokens_in integer NOT NULL,
  tokens_out integer NOT NULL
);
CREATE INDEX dctx_compressions_of ON dctx_compressions (workflow_id, created_at);
CREATE TABLE dctx_cuts (
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  used_at timestamptz NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (workflow_id, name)
);
CREATE TABLE dctx_chat_points (
  id text COLLATE "C" PRIMARY KEY,
  workflow_id uuid NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
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
);
INSERT INTO workflows (id, name, created_at, updated_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'a project', '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000001Z');
INSERT INTO director_plans (id, workflow_id, plan_version, plan_data, created_at, updated_at, reason) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2b001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 1,
   '{"workflow_id": "7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001", "plan_version": 1, "overall_goal": "Sync", "phases": []}',
   '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000001Z', 'First');
INSERT INTO compressed_contexts
  (id, workflow_id, summary, original_message_count, compression_ratio, created_at, created_by) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2d001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'They said hello.', 1, 0.5,
   '2026-01-01T00:00:04.000000Z', 'manual');
INSERT INTO conversations (id, workflow_id, role, content, timestamp, is_archived, metadata) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2c001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'user', 'Hello', '2026-01-01T00:00:02.000000Z', TRUE, NULL),
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2c002', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'assistant', 'Hi!', '2026-01-01T00:00:03.000000Z', FALSE,
   '{"dctx_attached": "plan"}');
INSERT INTO dctx_variables (workflow_id, name, value, updated_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'node7.emails', '[1, 2]', '2026-01-01T00:00:05.000000Z');
INSERT INTO dctx_variable_changes (id, workflow_id, number, name, value, reason, changed_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2e001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 1, 'node7.emails', '[1, 2]', 'Extract',
   '2026-01-01T00:00:05.000000Z');
INSERT INTO dctx_tabs (workflow_id, target, name) VALUES ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'b/1', 'Main Tab');
INSERT INTO dctx_originals (workflow_id, hash, size, kept_at, content) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', '62d0ba309ebf6632ed849bb6061abb5af0a185b085789a00bc9b2ec9cfb5df3b',
   65, '2026-01-01T00:00:06.000000Z', '"Grüße from the archive, and a long line of output that was cut."');
INSERT INTO dctx_compressions (workflow_id, receipt, created_at, source, format, strategy, counter, target, tokens_in,
  tokens_out, marks, content, outline) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', '4f1c2a9be01d', '2026-01-01T00:00:06.000000Z', 'session.json', 'rows', 'clear', 'chars/4',
   NULL, 20, 9, '0123456789abcdef',
   '{"id": "4f1c2a9be01d", "format": "rows", "strategy": "clear", "counter": "chars/4", "target": null, "met": true, "why_not": "", "tokens_in": 20, "tokens_out": 9, "cuts": [{"locator": "dctx:62d0ba309ebf", "message": 1, "block": 0, "kind": "result", "tool": "bash", "before": 16, "after": 5, "action": "cleared"}]}',
   '{"original": ["json", 1, ["", ""], [{"role": "user", "content": "hi"}, {"role": "tool", "content": "Gr\u00fc\u00dfe from the archive, and a long line of output that was cut."}]], "alike": null, "ops": [["=", 0, 1], ["~", "0123456789abcdef", 1, 2]], "kept": ["62d0ba309ebf6632ed849bb6061abb5af0a185b085789a00bc9b2ec9cfb5df3b"]}');
INSERT INTO dctx_summaries (id, workflow_id, previous, messages, summarizer, tokens_in, tokens_out) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2d001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', NULL,
   '["7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2c001"]', 'extractive', 100, 50);
INSERT INTO dctx_cuts (workflow_id, name, used_at, content) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
   '2026-01-01T00:00:07.000000Z', '{"length": 2, "after": [0]}');
INSERT INTO dctx_chat_points (id, workflow_id, chat, number, kind, provider, model, response, tokens, reach, made_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2f001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2f002', 1, 'turn',
   'openai', 'gpt-5', 'resp_1', 100, '{"since": 0, "until": 2}', '2026-01-01T00:00:08.000000Z');
INSERT INTO dctx_meta (name, value) VALUES ('version', '4');
