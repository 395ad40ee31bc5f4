-- A database of version 1.
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
INSERT INTO dctx_meta (name, value) VALUES ('version', '1');
