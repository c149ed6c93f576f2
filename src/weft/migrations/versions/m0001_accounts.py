"""Businesses, users, operators, keys; the two roles; what row-level security asks."""

from weft.kit.db.roles import ROLES
from weft.migrations import script
from weft.migrations.policies import enforce, open_to_system, owned_by_business

revision = "0001"
down_revision = None

WHO = """
CREATE FUNCTION weft_reach() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT coalesce(current_setting('weft.reach', true), '') $$;
CREATE FUNCTION weft_business() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('weft.business', true), '')::uuid $$;
CREATE FUNCTION weft_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('weft.user', true), '')::uuid $$;
"""

TABLES = """
CREATE TABLE businesses (
  id uuid CONSTRAINT pk_businesses PRIMARY KEY,
  slug varchar(64) NOT NULL CONSTRAINT uq_businesses_slug UNIQUE,
  name varchar(200) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE users (
  id uuid CONSTRAINT pk_users PRIMARY KEY,
  business_id uuid NOT NULL CONSTRAINT fk_users_business_id REFERENCES businesses (id),
  external_id varchar(255) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_users_business_id_external_id UNIQUE (business_id, external_id),
  CONSTRAINT uq_users_business_id_id UNIQUE (business_id, id)
);
CREATE TABLE business_keys (
  id uuid CONSTRAINT pk_business_keys PRIMARY KEY,
  business_id uuid NOT NULL CONSTRAINT fk_business_keys_business_id REFERENCES businesses (id),
  name varchar(200) NOT NULL,
  prefix varchar(16) NOT NULL,
  key_hash bytea NOT NULL CONSTRAINT uq_business_keys_key_hash UNIQUE,
  rights varchar(32)[] NOT NULL,
  rate_per_minute integer CONSTRAINT chk_key_rate CHECK (rate_per_minute > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX idx_business_keys_business_id ON business_keys (business_id);
-- what is lost here in a crash is only that a few callers may burst once more
CREATE UNLOGGED TABLE rate_buckets (
  key_id uuid CONSTRAINT pk_rate_buckets PRIMARY KEY,
  tokens double precision NOT NULL,
  refilled_at timestamptz NOT NULL
);
CREATE TABLE operators (
  id uuid CONSTRAINT pk_operators PRIMARY KEY,
  business_id uuid CONSTRAINT fk_operators_business_id REFERENCES businesses (id),
  name varchar(200) NOT NULL,
  role varchar(16) NOT NULL CONSTRAINT chk_operator_role CHECK (role IN ('owner', 'admin', 'reviewer', 'viewer')),
  prefix varchar(16) NOT NULL,
  key_hash bytea NOT NULL CONSTRAINT uq_operators_key_hash UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE TABLE operator_sessions (
  token_hash bytea CONSTRAINT pk_operator_sessions PRIMARY KEY,
  operator_id uuid NOT NULL CONSTRAINT fk_operator_sessions_operator_id REFERENCES operators (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX idx_operator_sessions_expires_at ON operator_sessions (expires_at);
"""

POLICIES = f"""
{enforce("businesses")}
CREATE POLICY member ON businesses FOR SELECT TO weft_app USING (id = (SELECT weft_business()));
CREATE POLICY installation ON businesses TO weft_app
  USING ((SELECT weft_reach()) = 'installation') WITH CHECK ((SELECT weft_reach()) = 'installation');
{enforce("users")}
CREATE POLICY self ON users FOR SELECT TO weft_app
  USING ((SELECT weft_reach()) = 'user' AND id = (SELECT weft_user()) AND business_id = (SELECT weft_business()));
CREATE POLICY operator ON users TO weft_app
  USING (CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())
         WHEN 'installation' THEN true ELSE false END);
{owned_by_business("business_keys")}
{owned_by_business("operators")}
{enforce("rate_buckets")}
{enforce("operator_sessions")}
{"".join(open_to_system(table) for table in ("businesses", "users", "business_keys", "rate_buckets", "operators", "operator_sessions"))}
GRANT SELECT, INSERT, UPDATE ON businesses TO weft_app;
GRANT SELECT, INSERT ON users TO weft_app;
GRANT SELECT, INSERT, UPDATE ON business_keys, operators TO weft_app;
GRANT SELECT ON businesses, business_keys, operators TO weft_system;
GRANT SELECT, INSERT ON users TO weft_system;
GRANT SELECT, INSERT, UPDATE ON rate_buckets TO weft_system;
GRANT SELECT, INSERT, DELETE ON operator_sessions TO weft_system;
"""


def upgrade() -> None:
    for part in (ROLES, WHO, TABLES, POLICIES):
        script.run(part)


def downgrade() -> None:
    script.run("DROP TABLE operator_sessions, operators, rate_buckets, business_keys, users, businesses")
    script.run("DROP FUNCTION weft_user(), weft_business(), weft_reach()")
    script.run("REVOKE USAGE ON SCHEMA public FROM weft_app, weft_system")  # the roles may serve another database
