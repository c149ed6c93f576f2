"""Runs: turns on their way, what they did, what they told, whom they ask; and which model each agent type has."""

from weft.migrations import script
from weft.migrations.policies import enforce, open_to_system, owned_by_user

revision = "0006"
down_revision = "0005"

RUNS = """
CREATE TABLE agent_runs (
  id uuid CONSTRAINT pk_agent_runs PRIMARY KEY,
  session_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  parent_run_id uuid CONSTRAINT fk_agent_runs_parent_run_id REFERENCES agent_runs (id) ON DELETE CASCADE,
  turn bigint NOT NULL CONSTRAINT chk_run_turn CHECK (turn > 0),
  status varchar(16) NOT NULL CONSTRAINT chk_run_status CHECK (status IN
    ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled')),
  request jsonb NOT NULL,
  via varchar(64) NOT NULL,
  said boolean NOT NULL,
  fence bigint NOT NULL DEFAULT 0,
  owner varchar(64),
  lease_until timestamptz,
  attempts int NOT NULL DEFAULT 0,
  cancel_requested_at timestamptz,
  deadline_at timestamptz NOT NULL,
  error_id uuid,
  error_code varchar(64),
  error_detail text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  CONSTRAINT fk_agent_runs_session FOREIGN KEY (session_id, business_id, user_id)
    REFERENCES agent_chat_sessions (id, business_id, user_id) ON DELETE CASCADE,
  CONSTRAINT uq_agent_runs_owner UNIQUE (id, session_id, business_id, user_id),
  CONSTRAINT chk_run_lease CHECK ((owner IS NULL) = (lease_until IS NULL) AND (owner IS NULL OR status = 'running')),
  CONSTRAINT chk_run_ended CHECK ((ended_at IS NULL) = (status IN ('queued', 'running', 'waiting'))),
  CONSTRAINT chk_run_error CHECK ((error_id IS NOT NULL) = (status = 'failed'))
);
CREATE UNIQUE INDEX uq_agent_runs_turn ON agent_runs (session_id, turn) WHERE parent_run_id IS NULL;
CREATE UNIQUE INDEX uq_agent_runs_active ON agent_runs (session_id)
  WHERE status IN ('running', 'waiting') AND parent_run_id IS NULL;
CREATE INDEX idx_agent_runs_open ON agent_runs (status, lease_until) WHERE status IN ('queued', 'running', 'waiting');
CREATE INDEX idx_agent_runs_user_recent ON agent_runs (user_id, created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON agent_runs TO weft_app;
GRANT SELECT (id, session_id, business_id, user_id, parent_run_id, turn, status, via, fence, owner, lease_until,
  attempts, cancel_requested_at, deadline_at, created_at, started_at), UPDATE (status, fence, owner, lease_until, attempts, started_at) ON agent_runs
  TO weft_system;

CREATE TABLE agent_run_requests (
  session_id uuid NOT NULL,
  client_run_id varchar(255) NOT NULL,
  run_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  from_seq bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_agent_run_requests PRIMARY KEY (session_id, client_run_id),
  CONSTRAINT fk_agent_run_requests_run FOREIGN KEY (run_id, session_id, business_id, user_id)
    REFERENCES agent_runs (id, session_id, business_id, user_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT ON agent_run_requests TO weft_app;
"""

ACTIONS = """
CREATE TABLE agent_actions (
  session_id uuid NOT NULL,
  id bigint NOT NULL CONSTRAINT chk_action_id CHECK (id > 0),
  run_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  node varchar(128) NOT NULL,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_agent_actions PRIMARY KEY (session_id, id),
  CONSTRAINT fk_agent_actions_run FOREIGN KEY (run_id, session_id, business_id, user_id)
    REFERENCES agent_runs (id, session_id, business_id, user_id) ON DELETE CASCADE
);
CREATE INDEX idx_agent_actions_run ON agent_actions (run_id, id);
GRANT SELECT, INSERT ON agent_actions TO weft_app;

CREATE TABLE agent_turn_snapshots (
  session_id uuid NOT NULL,
  turn bigint NOT NULL,
  run_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  state jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT pk_agent_turn_snapshots PRIMARY KEY (session_id, turn),
  CONSTRAINT fk_agent_turn_snapshots_run FOREIGN KEY (run_id, session_id, business_id, user_id)
    REFERENCES agent_runs (id, session_id, business_id, user_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT ON agent_turn_snapshots TO weft_app;

CREATE TABLE agent_session_prompts (
  session_id uuid CONSTRAINT pk_agent_session_prompts PRIMARY KEY,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  standing jsonb NOT NULL,
  CONSTRAINT fk_agent_session_prompts_session FOREIGN KEY (session_id, business_id, user_id)
    REFERENCES agent_chat_sessions (id, business_id, user_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE ON agent_session_prompts TO weft_app;
"""

EVENTS = """
CREATE TABLE agent_run_events (
  run_id uuid NOT NULL,
  seq bigint NOT NULL CONSTRAINT chk_event_seq CHECK (seq > 0),
  session_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  type varchar(32) NOT NULL,
  data jsonb NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT pk_agent_run_events PRIMARY KEY (run_id, seq),
  CONSTRAINT fk_agent_run_events_run FOREIGN KEY (run_id, session_id, business_id, user_id)
    REFERENCES agent_runs (id, session_id, business_id, user_id) ON DELETE CASCADE
);
GRANT SELECT, INSERT ON agent_run_events TO weft_app;
"""

APPROVALS = """
CREATE TABLE agent_approvals (
  id uuid CONSTRAINT pk_agent_approvals PRIMARY KEY,
  run_id uuid NOT NULL,
  call_id varchar(255) NOT NULL,
  session_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  name varchar(255) NOT NULL,
  arguments jsonb NOT NULL,
  schema jsonb NOT NULL,
  message text NOT NULL,
  status varchar(16) NOT NULL DEFAULT 'pending' CONSTRAINT chk_approval_status CHECK (status IN
    ('pending', 'approved', 'edited', 'denied', 'expired', 'withdrawn')),
  edited jsonb,
  reason text,
  decided_by varchar(64),
  decided_at timestamptz,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_agent_approvals_call UNIQUE (run_id, call_id),
  CONSTRAINT fk_agent_approvals_run FOREIGN KEY (run_id, session_id, business_id, user_id)
    REFERENCES agent_runs (id, session_id, business_id, user_id) ON DELETE CASCADE,
  CONSTRAINT chk_approval_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
  CONSTRAINT chk_approval_edited CHECK ((status = 'edited') = (edited IS NOT NULL))
);
CREATE INDEX idx_agent_approvals_user ON agent_approvals (user_id, created_at DESC, id DESC);
CREATE INDEX idx_agent_approvals_pending ON agent_approvals (expires_at) WHERE status = 'pending';
GRANT SELECT, INSERT, UPDATE (status, edited, reason, decided_by, decided_at) ON agent_approvals TO weft_app;
GRANT SELECT (id, run_id, session_id, business_id, user_id, status, expires_at) ON agent_approvals TO weft_system;
"""

AGENTS = f"""
CREATE TABLE system_agents (
  id uuid CONSTRAINT pk_system_agents PRIMARY KEY,
  business_id uuid CONSTRAINT fk_system_agents_business_id REFERENCES businesses (id) ON DELETE CASCADE,
  agent_type varchar(32) NOT NULL CONSTRAINT chk_agent_type CHECK (agent_type IN
    ('INTENT_RECOGNITION', 'TASK_EXECUTION', 'RESULT_REPORTING')),
  model varchar(128) NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_system_agents_type UNIQUE NULLS NOT DISTINCT (business_id, agent_type)
);
{enforce("system_agents")}
CREATE POLICY operator ON system_agents TO weft_app
  USING (CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())
         WHEN 'installation' THEN true ELSE false END)
  WITH CHECK (CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())
         WHEN 'installation' THEN true ELSE false END);
GRANT SELECT, INSERT, UPDATE, DELETE ON system_agents TO weft_app;
{open_to_system("system_agents")}
GRANT SELECT ON system_agents TO weft_system;
INSERT INTO system_agents (id, agent_type, model) VALUES
  (gen_random_uuid(), 'INTENT_RECOGNITION', 'default'),
  (gen_random_uuid(), 'TASK_EXECUTION', 'default'),
  (gen_random_uuid(), 'RESULT_REPORTING', 'default');
"""
_OF_USERS = (
    "agent_runs",
    "agent_run_requests",
    "agent_actions",
    "agent_turn_snapshots",
    "agent_session_prompts",
    "agent_run_events",
    "agent_approvals",
)


def upgrade() -> None:
    for part in (RUNS, ACTIONS, EVENTS, APPROVALS):
        script.run(part)
    for table in _OF_USERS:
        script.run(owned_by_user(table))
    for table in ("agent_runs", "agent_approvals"):
        script.run(open_to_system(table))
    script.run(AGENTS)


def downgrade() -> None:
    script.run("DROP TABLE system_agents")
    script.run(f"DROP TABLE {', '.join(reversed(_OF_USERS))}")
