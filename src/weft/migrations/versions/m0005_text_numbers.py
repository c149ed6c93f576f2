"""Messages: which text of its session each one is, so that a window over a long history begins at a known row."""

from weft.migrations import script

revision = "0005"
down_revision = "0004"

NUMBERS = """
ALTER TABLE agent_chat_messages ADD COLUMN text_number bigint;
ALTER TABLE agent_chat_messages NO FORCE ROW LEVEL SECURITY;
UPDATE agent_chat_messages AS message SET text_number = numbered.number
FROM (
  SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY seq) AS number
  FROM agent_chat_messages WHERE metadata ->> 'type' IN ('user_input', 'assistant_output')
) AS numbered
WHERE numbered.id = message.id;
ALTER TABLE agent_chat_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_chat_messages ADD CONSTRAINT chk_text_number
  CHECK ((text_number IS NOT NULL) = (metadata ->> 'type' IN ('user_input', 'assistant_output')) AND text_number > 0);
CREATE UNIQUE INDEX uq_messages_session_text ON agent_chat_messages (session_id, text_number)
  WHERE text_number IS NOT NULL;
CREATE INDEX idx_messages_session_user_text ON agent_chat_messages (session_id, text_number) WHERE role = 'user';
"""

NO_NUMBERS = """
DROP INDEX idx_messages_session_user_text;
DROP INDEX uq_messages_session_text;
ALTER TABLE agent_chat_messages DROP CONSTRAINT chk_text_number;
ALTER TABLE agent_chat_messages DROP COLUMN text_number;
"""


def upgrade() -> None:
    script.run(NUMBERS)


def downgrade() -> None:
    script.run(NO_NUMBERS)
