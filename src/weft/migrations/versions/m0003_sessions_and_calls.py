"""Sessions, messages and booked calls; the rules of money that the database keeps itself."""

from weft.migrations import script
from weft.migrations.policies import enforce, owned_by_user

revision = "0003"
down_revision = "0002"

CALLS = """
CREATE TABLE ai_calls (
  id uuid CONSTRAINT pk_ai_calls PRIMARY KEY,
  business_id uuid CONSTRAINT fk_ai_calls_business_id REFERENCES businesses (id),
  user_id uuid,
  session_id uuid,  -- no foreign key: a deleted conversation leaves its bill
  turn_id uuid,
  purpose varchar(64) NOT NULL,
  vendor varchar(64) NOT NULL,
  endpoint varchar(255) NOT NULL,
  key varchar(128) NOT NULL,
  model varchar(128) NOT NULL,
  category varchar(32) NOT NULL CONSTRAINT chk_call_category CHECK (category IN
    ('text', 'reasoning', 'embedding', 'multimodal', 'text_to_image', 'text_to_video', 'speech')),
  units jsonb NOT NULL DEFAULT '{}',
  input_tokens bigint NOT NULL DEFAULT 0,
  cached_input_tokens bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  reasoning_tokens bigint NOT NULL DEFAULT 0,
  usage_source varchar(16) NOT NULL CONSTRAINT chk_call_usage_source CHECK (usage_source IN ('reported', 'estimated')),
  cost numeric(20, 12),
  currency varchar(3) NOT NULL,
  cost_source varchar(16) NOT NULL
    CONSTRAINT chk_call_cost_source CHECK (cost_source IN ('custom_pricing', 'litellm_catalog', 'unpriced')),
  started_at timestamptz NOT NULL,
  first_token_at timestamptz,
  ended_at timestamptz,
  outcome varchar(16) NOT NULL CONSTRAINT chk_call_outcome CHECK (outcome IN
    ('running', 'succeeded', 'failed', 'cancelled', 'abandoned')),
  error_code varchar(64),
  CONSTRAINT fk_ai_calls_business_id_user_id FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id),
  CONSTRAINT chk_call_owner CHECK (user_id IS NULL OR business_id IS NOT NULL),
  CONSTRAINT chk_call_in_session CHECK (session_id IS NULL OR user_id IS NOT NULL),
  CONSTRAINT chk_call_unpriced CHECK ((cost IS NULL) = (cost_source = 'unpriced')),
  CONSTRAINT chk_call_cost_sign CHECK (cost >= 0),
  CONSTRAINT chk_call_tokens CHECK (input_tokens >= 0 AND output_tokens >= 0
    AND cached_input_tokens BETWEEN 0 AND input_tokens AND cache_write_tokens BETWEEN 0 AND input_tokens
    AND reasoning_tokens BETWEEN 0 AND output_tokens),
  CONSTRAINT chk_call_times CHECK (ended_at >= started_at AND first_token_at >= started_at
    AND (outcome = 'running') = (ended_at IS NULL))
);
CREATE INDEX idx_ai_calls_session_id ON ai_calls (session_id, started_at);
CREATE INDEX idx_ai_calls_turn_id ON ai_calls (turn_id);
CREATE INDEX idx_ai_calls_user_id ON ai_calls (user_id, started_at);
CREATE INDEX idx_ai_calls_business_id ON ai_calls (business_id, started_at);
CREATE INDEX idx_ai_calls_key ON ai_calls (key, started_at);
GRANT SELECT, INSERT, UPDATE ON ai_calls TO weft_app;
"""

SESSIONS = """
CREATE TABLE agent_chat_sessions (
  id uuid CONSTRAINT pk_agent_chat_sessions PRIMARY KEY,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  title varchar(64),
  status varchar(16) NOT NULL DEFAULT 'pending'
    CONSTRAINT chk_session_status CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  state_snapshot jsonb NOT NULL DEFAULT '{"status": "pending"}',
  skill varchar(64),
  scenario varchar(128),
  billing_currency varchar(3) NOT NULL CONSTRAINT chk_billing_currency CHECK (billing_currency IN ('CNY')),
  billing_country_snapshot varchar(2) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fk_agent_chat_sessions_business_id_user_id
    FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id),
  CONSTRAINT uq_agent_chat_sessions_owner UNIQUE (id, business_id, user_id),
  CONSTRAINT chk_session_snapshot CHECK (state_snapshot ->> 'status' IS NOT DISTINCT FROM status),
  CONSTRAINT chk_session_error CHECK (status <> 'failed' OR state_snapshot ->> 'error_id' IS NOT NULL)
);
CREATE INDEX idx_sessions_user_recent ON agent_chat_sessions (user_id, updated_at DESC, id DESC);
CREATE INDEX idx_sessions_business_recent ON agent_chat_sessions (business_id, updated_at DESC, id DESC);

CREATE FUNCTION weft_billing_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the billing of session % was frozen when it was created', OLD.id USING ERRCODE = 'check_violation',
    CONSTRAINT = 'trg_session_billing_frozen';
END $$;
CREATE TRIGGER trg_session_billing_frozen BEFORE UPDATE ON agent_chat_sessions FOR EACH ROW
  WHEN ((OLD.billing_currency, OLD.billing_country_snapshot)
        IS DISTINCT FROM (NEW.billing_currency, NEW.billing_country_snapshot))
  EXECUTE FUNCTION weft_billing_stays();
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_chat_sessions TO weft_app;
"""

MESSAGES = """
CREATE TABLE agent_chat_messages (
  id uuid CONSTRAINT pk_agent_chat_messages PRIMARY KEY,
  session_id uuid NOT NULL,
  business_id uuid NOT NULL,
  user_id uuid NOT NULL,
  turn_id uuid,
  seq bigint NOT NULL CONSTRAINT chk_message_seq CHECK (seq <> 0),
  role varchar(16) NOT NULL CONSTRAINT chk_message_role CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content text,
  metadata jsonb NOT NULL,
  call_id uuid CONSTRAINT fk_agent_chat_messages_call_id REFERENCES ai_calls (id),
  input_tokens bigint NOT NULL DEFAULT 0,
  cached_input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  cost numeric(12, 6),
  currency varchar(3) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fk_agent_chat_messages_session FOREIGN KEY (session_id, business_id, user_id)
    REFERENCES agent_chat_sessions (id, business_id, user_id) ON DELETE CASCADE,
  CONSTRAINT chk_message_metadata CHECK (coalesce((metadata ->> 'type', role) IN (
    ('user_input', 'user'), ('tool_call', 'assistant'), ('tool_result', 'tool'),
    ('assistant_output', 'assistant'), ('stage_audit', 'assistant')), false)),
  CONSTRAINT chk_message_visibility CHECK ((seq < 0) = (metadata ->> 'type' = 'stage_audit')),
  CONSTRAINT chk_message_booked CHECK (call_id IS NOT NULL
    OR (input_tokens = 0 AND cached_input_tokens = 0 AND output_tokens = 0 AND cost IS NULL))
);
CREATE UNIQUE INDEX uq_messages_session_seq ON agent_chat_messages (session_id, seq);
CREATE INDEX idx_messages_session_seq_display ON agent_chat_messages (session_id, seq) WHERE seq > 0;
CREATE INDEX idx_messages_session_seq_audit ON agent_chat_messages (session_id, seq) WHERE seq < 0;
CREATE UNIQUE INDEX uq_messages_call_id ON agent_chat_messages (call_id) WHERE call_id IS NOT NULL;

CREATE FUNCTION weft_message_currency() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE expected varchar;
BEGIN
  SELECT billing_currency INTO expected FROM agent_chat_sessions WHERE id = NEW.session_id;
  IF NEW.currency IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'message in %, session % is billed in %', NEW.currency, NEW.session_id, expected
      USING ERRCODE = 'check_violation', CONSTRAINT = 'trg_message_currency_match';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER trg_message_currency_match BEFORE INSERT OR UPDATE ON agent_chat_messages
  FOR EACH ROW EXECUTE FUNCTION weft_message_currency();

CREATE FUNCTION weft_message_booking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ai_calls c WHERE c.id = NEW.call_id AND c.session_id = NEW.session_id AND c.user_id = NEW.user_id
    AND c.turn_id IS NOT DISTINCT FROM NEW.turn_id AND c.outcome <> 'running' AND c.currency = NEW.currency
    AND (c.input_tokens, c.cached_input_tokens, c.output_tokens)
      = (NEW.input_tokens, NEW.cached_input_tokens, NEW.output_tokens)
    AND round(c.cost, 6) IS NOT DISTINCT FROM NEW.cost;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the booking of message % does not equal that of its call %', NEW.id, NEW.call_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'trg_message_booking_match';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER trg_message_booking_match BEFORE INSERT OR UPDATE ON agent_chat_messages
  FOR EACH ROW WHEN (NEW.call_id IS NOT NULL) EXECUTE FUNCTION weft_message_booking();
GRANT SELECT, INSERT ON agent_chat_messages TO weft_app;
"""

CALL_POLICIES = f"""
{enforce("ai_calls")}
CREATE POLICY owner ON ai_calls TO weft_app
  USING ((SELECT weft_reach()) = 'user' AND user_id = (SELECT weft_user()) AND business_id = (SELECT weft_business()));
CREATE POLICY operator ON ai_calls TO weft_app
  USING (CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())
         WHEN 'installation' THEN true ELSE false END);
"""


def upgrade() -> None:
    for part in (CALLS, SESSIONS, MESSAGES, CALL_POLICIES):
        script.run(part)
    for table in ("agent_chat_sessions", "agent_chat_messages"):
        script.run(owned_by_user(table))


def downgrade() -> None:
    script.run("DROP TABLE agent_chat_messages, agent_chat_sessions, ai_calls")
    script.run("DROP FUNCTION weft_message_booking(), weft_message_currency(), weft_billing_stays()")
