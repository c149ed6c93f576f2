"""Profiles: what a user has said of themselves and what was learned."""

from weft.migrations import script
from weft.migrations.policies import owned_by_user

revision = "0002"
down_revision = "0001"

TABLE = """
CREATE TABLE profiles (
  user_id uuid CONSTRAINT pk_profiles PRIMARY KEY,
  business_id uuid NOT NULL,
  username text NOT NULL DEFAULT '',
  bio text,
  settings jsonb,
  birth_info jsonb,
  life_context jsonb,
  extracted jsonb NOT NULL DEFAULT '[]' CONSTRAINT chk_profile_extracted CHECK (jsonb_typeof(extracted) = 'array'),
  skill_data jsonb NOT NULL DEFAULT '{}' CONSTRAINT chk_profile_skill_data CHECK (jsonb_typeof(skill_data) = 'object'),
  user_tier varchar(32) NOT NULL DEFAULT 'free',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fk_profiles_business_id_user_id FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id)
);
GRANT SELECT, INSERT, UPDATE ON profiles TO weft_app;
"""


def upgrade() -> None:
    script.run(TABLE)
    script.run(owned_by_user("profiles"))


def downgrade() -> None:
    script.run("DROP TABLE profiles")
