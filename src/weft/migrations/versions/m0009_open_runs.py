"""Runs: what is open of a session, and what a client calls a run, found at once however many there were."""

from weft.migrations import script

revision = "0009"
down_revision = "0008"

INDEXES = """
CREATE INDEX idx_agent_runs_session_open ON agent_runs (session_id, turn)
  WHERE status IN ('queued', 'running', 'waiting') AND parent_run_id IS NULL;
CREATE INDEX idx_agent_run_requests_run ON agent_run_requests (run_id, from_seq);
"""


def upgrade() -> None:
    script.run(INDEXES)


def downgrade() -> None:
    script.run("DROP INDEX idx_agent_runs_session_open")
    script.run("DROP INDEX idx_agent_run_requests_run")
