-- A database before the first migration: what the seeds' own program makes, with its own columns and rows.
CREATE TABLE workflows (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text,
  description text NOT NULL DEFAULT '',
  user_id uuid,
  created_at timestamp with time zone DEFAULT now()
);
CREATE TABLE director_plans (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_id uuid REFERENCES workflows(id),
  plan_version integer DEFAULT 1,
  plan_data jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now(),
  updated_at timestamp with time zone DEFAULT now()
);
CREATE TABLE conversations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_id uuid REFERENCES workflows(id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content text NOT NULL,
  attachments jsonb NOT NULL DEFAULT '[]',
  timestamp timestamp with time zone DEFAULT now()
);
INSERT INTO workflows (id, name, description, created_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'Gmail to Airtable Sync', 'From the mail', '2024-01-01T00:00:00Z'),
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a002', NULL, '', '2024-01-02T00:00:00Z');
INSERT INTO director_plans (id, workflow_id, plan_version, plan_data, created_at, updated_at) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2b001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 1,
   '{"overall_goal": "Sync", "phases": []}', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'),
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2b002', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 2,
   '{"overall_goal": "Sync it all", "phases": []}', '2024-01-03T00:00:00Z', '2024-01-03T00:00:00Z');
INSERT INTO conversations (id, workflow_id, role, content, timestamp) VALUES
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2c001', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'user', 'Hello',
   '2024-01-01T10:00:00+02:00'),
  ('7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2c002', '7a1f7a52-7b1c-4a3a-9a55-0d3ff1b2a001', 'assistant', 'Hi!',
   '2024-01-01T08:00:01.5Z');
