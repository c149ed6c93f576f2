"""What each model call was sent: manifests, and each distinct text once a user; calls in the order of their time."""

from weft.migrations import script
from weft.migrations.policies import open_to_system, owned_by_user

revision = "0008"
down_revision = "0007"

CONTEXTS = """
CREATE TABLE ai_call_contexts (
  call_id uuid CONSTRAINT pk_ai_call_contexts PRIMARY KEY CONSTRAINT fk_ai_call_contexts_call_id REFERENCES ai_calls (id),
  session_id uuid,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  hashes uuid[] NOT NULL,  -- of the texts in ai_call_texts that, one after the other, are what was sent
  segments json NOT NULL,  -- json, not jsonb: it is written in every call and read in few
  manifest json NOT NULL,
  expected_tokens bigint NOT NULL,  -- that a cache should know from the conversation's last call
  anyone_tokens bigint NOT NULL,  -- and from anybody's in the business
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fk_ai_call_contexts_user FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id),
  CONSTRAINT fk_ai_call_contexts_session FOREIGN KEY (session_id, business_id, user_id)
    REFERENCES agent_chat_sessions (id, business_id, user_id) ON DELETE CASCADE,
  CONSTRAINT chk_context_segments CHECK (json_array_length(segments) = cardinality(hashes)),
  CONSTRAINT chk_context_expected CHECK (expected_tokens >= 0 AND anyone_tokens >= 0)
);
CREATE INDEX idx_ai_call_contexts_session_id ON ai_call_contexts (session_id, call_id);
CREATE INDEX idx_ai_call_contexts_created_at ON ai_call_contexts (created_at);
CREATE INDEX idx_ai_call_contexts_user_id ON ai_call_contexts (user_id);
GRANT SELECT, INSERT ON ai_call_contexts TO weft_app;
-- The system's sweep reads no text and no manifest; the columns that it may update are those that it locks rows by.
GRANT SELECT (call_id, user_id, hashes, created_at), UPDATE (created_at), DELETE ON ai_call_contexts TO weft_system;

CREATE TABLE ai_call_texts (
  user_id uuid NOT NULL,
  hash uuid NOT NULL,
  business_id uuid NOT NULL,
  text text NOT NULL,
  used_at timestamptz NOT NULL,  -- the hour in which a call was last sent it
  left_at timestamptz,  -- when a conversation that was sent it was deleted
  CONSTRAINT pk_ai_call_texts PRIMARY KEY (user_id, hash),
  CONSTRAINT fk_ai_call_texts_user FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id)
);
CREATE INDEX idx_ai_call_texts_used_at ON ai_call_texts (used_at);
CREATE INDEX idx_ai_call_texts_left_at ON ai_call_texts (left_at, user_id) WHERE left_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE (used_at, left_at) ON ai_call_texts TO weft_app;
GRANT SELECT (user_id, hash, used_at, left_at), UPDATE (left_at), DELETE ON ai_call_texts TO weft_system;
"""
LISTING = """
CREATE INDEX idx_ai_calls_started_at ON ai_calls (started_at, id);
"""
_TABLES = ("ai_call_contexts", "ai_call_texts")


def upgrade() -> None:
    script.run(CONTEXTS)
    script.run(LISTING)
    for table in _TABLES:
        script.run(owned_by_user(table))
        script.run(open_to_system(table))


def downgrade() -> None:
    script.run("DROP INDEX idx_ai_calls_started_at")
    script.run(f"DROP TABLE {', '.join(_TABLES)}")
