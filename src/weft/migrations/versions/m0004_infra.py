"""Vendors, endpoints, keys, models, prices and aliases: the installation's own rows, which no user sees."""

from weft.migrations import script
from weft.migrations.policies import enforce, open_to_system

revision = "0004"
down_revision = "0003"

TABLES = r"""
CREATE TABLE vendors (
  id uuid CONSTRAINT pk_vendors PRIMARY KEY,
  name varchar(60) NOT NULL CONSTRAINT uq_vendors_name UNIQUE
    CONSTRAINT chk_vendor_name CHECK (name ~ '^[a-z0-9]+([._-][a-z0-9]+)*$'),
  title varchar(200) NOT NULL,
  lane varchar(20) NOT NULL CONSTRAINT chk_vendor_lane CHECK (lane IN ('openai_compatible', 'litellm', 'offline')),
  litellm_provider varchar(60),
  needs_key boolean NOT NULL,
  enabled boolean NOT NULL,
  origin varchar(16) NOT NULL
    CONSTRAINT chk_vendor_origin CHECK (origin IN ('catalogue', 'operator', 'environment')),
  seeded jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE vendor_endpoints (
  id uuid CONSTRAINT pk_vendor_endpoints PRIMARY KEY,
  vendor_id uuid NOT NULL CONSTRAINT fk_vendor_endpoints_vendor_id REFERENCES vendors (id) ON DELETE CASCADE,
  name varchar(60) NOT NULL CONSTRAINT chk_endpoint_name CHECK (name ~ '^[a-z0-9]+([._-][a-z0-9]+)*$'),
  base_url varchar(2048) NOT NULL
    CONSTRAINT chk_endpoint_base_url CHECK (base_url ~ '^(https?://[^\s@]+|offline:|)$'),
  region varchar(64),
  category varchar(32) CONSTRAINT chk_endpoint_category CHECK (category IN
    ('text', 'reasoning', 'embedding', 'multimodal', 'text_to_image', 'text_to_video', 'speech')),
  priority integer NOT NULL CONSTRAINT chk_endpoint_priority CHECK (priority BETWEEN 0 AND 10000),
  connect_seconds double precision CONSTRAINT chk_endpoint_connect CHECK (connect_seconds > 0),
  first_seconds double precision CONSTRAINT chk_endpoint_first CHECK (first_seconds > 0),
  gap_seconds double precision CONSTRAINT chk_endpoint_gap CHECK (gap_seconds > 0),
  enabled boolean NOT NULL,
  seeded jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_vendor_endpoints_vendor_id_name UNIQUE (vendor_id, name),
  CONSTRAINT uq_vendor_endpoints_vendor_id_id UNIQUE (vendor_id, id)
);
CREATE TABLE vendor_keys (
  id uuid CONSTRAINT pk_vendor_keys PRIMARY KEY,
  vendor_id uuid NOT NULL CONSTRAINT fk_vendor_keys_vendor_id REFERENCES vendors (id) ON DELETE CASCADE,
  endpoint_id uuid,  -- the one endpoint that takes it; null: any of the vendor's
  name varchar(60) NOT NULL CONSTRAINT chk_vendor_key_name CHECK (name ~ '^[a-z0-9]+([._-][a-z0-9]+)*$'),
  secret bytea,  -- sealed; null: the key was imported without it and waits for it
  key_id varchar(16),
  last_four varchar(4) NOT NULL,
  requests_per_minute integer CONSTRAINT chk_vendor_key_rpm CHECK (requests_per_minute > 0),
  requests_per_day integer CONSTRAINT chk_vendor_key_rpd CHECK (requests_per_day > 0),
  tokens_per_day bigint CONSTRAINT chk_vendor_key_tpd CHECK (tokens_per_day > 0),
  money_per_day numeric(12, 6) CONSTRAINT chk_vendor_key_mpd CHECK (money_per_day > 0),
  money_currency varchar(3) CONSTRAINT chk_vendor_key_currency CHECK (money_currency ~ '^[A-Z]{3}$'),
  enabled boolean NOT NULL,
  origin varchar(16) NOT NULL CONSTRAINT chk_vendor_key_origin CHECK (origin IN ('operator', 'environment')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_vendor_keys_vendor_id_name UNIQUE (vendor_id, name),
  CONSTRAINT fk_vendor_keys_vendor_id_endpoint_id FOREIGN KEY (vendor_id, endpoint_id)
    REFERENCES vendor_endpoints (vendor_id, id),
  CONSTRAINT chk_vendor_key_sealed CHECK ((secret IS NULL) = (key_id IS NULL)),
  CONSTRAINT chk_vendor_key_money CHECK ((money_per_day IS NULL) = (money_currency IS NULL))
);
CREATE TABLE vendor_key_assignments (
  id uuid CONSTRAINT pk_vendor_key_assignments PRIMARY KEY,
  vendor_key_id uuid NOT NULL
    CONSTRAINT fk_vendor_key_assignments_vendor_key_id REFERENCES vendor_keys (id) ON DELETE CASCADE,
  business_id uuid NOT NULL CONSTRAINT fk_vendor_key_assignments_business_id REFERENCES businesses (id),
  user_id uuid,  -- null: all users of the business
  CONSTRAINT fk_vendor_key_assignments_business_id_user_id
    FOREIGN KEY (business_id, user_id) REFERENCES users (business_id, id)
);
CREATE UNIQUE INDEX uq_vendor_key_assignments_business ON vendor_key_assignments (vendor_key_id, business_id)
  WHERE user_id IS NULL;
CREATE UNIQUE INDEX uq_vendor_key_assignments_user ON vendor_key_assignments (vendor_key_id, user_id)
  WHERE user_id IS NOT NULL;
CREATE TABLE models (
  id uuid CONSTRAINT pk_models PRIMARY KEY,
  vendor_id uuid NOT NULL CONSTRAINT fk_models_vendor_id REFERENCES vendors (id) ON DELETE CASCADE,
  name varchar(128) NOT NULL
    CONSTRAINT chk_model_name CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:@/+-]*$' AND lower(name) <> 'deepseek-3.2'),
  category varchar(32) NOT NULL CONSTRAINT chk_model_category CHECK (category IN
    ('text', 'reasoning', 'embedding', 'multimodal', 'text_to_image', 'text_to_video', 'speech')),
  type varchar(64) NOT NULL,
  version varchar(64) NOT NULL,
  context_window integer NOT NULL CONSTRAINT chk_model_context CHECK (context_window > 0),
  max_output integer CONSTRAINT chk_model_max_output CHECK (max_output > 0),
  abilities jsonb NOT NULL CONSTRAINT chk_model_abilities CHECK (jsonb_typeof(abilities) = 'object'),
  structure jsonb CONSTRAINT chk_model_structure CHECK (jsonb_typeof(structure) = 'object'),
  litellm_name varchar(200),
  enabled boolean NOT NULL,
  seeded jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_models_vendor_id_name UNIQUE (vendor_id, name)
);
CREATE TABLE model_prices (
  id uuid CONSTRAINT pk_model_prices PRIMARY KEY,
  model_id uuid NOT NULL CONSTRAINT fk_model_prices_model_id REFERENCES models (id) ON DELETE CASCADE,
  currency varchar(3) NOT NULL CONSTRAINT chk_price_currency CHECK (currency ~ '^[A-Z]{3}$'),
  valid_from date NOT NULL,
  source varchar(500) NOT NULL,
  input numeric(20, 12) CONSTRAINT chk_price_input CHECK (input >= 0),
  cached_input numeric(20, 12) CONSTRAINT chk_price_cached_input CHECK (cached_input >= 0),
  cache_write numeric(20, 12) CONSTRAINT chk_price_cache_write CHECK (cache_write >= 0),
  output numeric(20, 12) CONSTRAINT chk_price_output CHECK (output >= 0),
  per_image numeric(20, 12) CONSTRAINT chk_price_per_image CHECK (per_image >= 0),
  per_second numeric(20, 12) CONSTRAINT chk_price_per_second CHECK (per_second >= 0),
  seeded jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT uq_model_prices_model_id_currency_valid_from UNIQUE (model_id, currency, valid_from),
  CONSTRAINT chk_price_some CHECK (num_nonnulls(input, cached_input, cache_write, output, per_image, per_second) > 0)
);
CREATE TABLE model_aliases (
  name varchar(64) NOT NULL CONSTRAINT chk_alias_name
    CHECK (name ~ '^[a-z0-9]+([._-][a-z0-9]+)*$' AND name <> 'deepseek-3.2'),
  position integer NOT NULL CONSTRAINT chk_alias_position CHECK (position >= 0),
  model_id uuid NOT NULL CONSTRAINT fk_model_aliases_model_id REFERENCES models (id) ON DELETE CASCADE,
  CONSTRAINT pk_model_aliases PRIMARY KEY (name, position),
  CONSTRAINT uq_model_aliases_name_model_id UNIQUE (name, model_id)
);
"""

OF_THE_INSTALLATION = (
    "vendors",
    "vendor_endpoints",
    "vendor_keys",
    "vendor_key_assignments",
    "models",
    "model_prices",
    "model_aliases",
)


def _only_for_the_installation(table: str) -> str:
    """Operators of the whole installation change it; routing, which is system work, reads it."""
    return f"""
        {enforce(table)}
        CREATE POLICY installation ON {table} TO weft_app
          USING ((SELECT weft_reach()) = 'installation') WITH CHECK ((SELECT weft_reach()) = 'installation');
        {open_to_system(table)}
        GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO weft_app;
        GRANT SELECT ON {table} TO weft_system;
    """


# Metering asks how much a key has been used, by whomever; it sees the figures and not whose they are.
METERING = """
CREATE POLICY metering ON ai_calls FOR SELECT TO weft_system USING (true);
GRANT SELECT (key, started_at, input_tokens, output_tokens, cost, currency) ON ai_calls TO weft_system;
"""
NO_METERING = """
DROP POLICY metering ON ai_calls;
REVOKE SELECT (key, started_at, input_tokens, output_tokens, cost, currency) ON ai_calls FROM weft_system;
"""


def upgrade() -> None:
    script.run(TABLES)
    for table in OF_THE_INSTALLATION:
        script.run(_only_for_the_installation(table))
    script.run(METERING)


def downgrade() -> None:
    script.run(NO_METERING)
    script.run("DROP TABLE " + ", ".join(reversed(OF_THE_INSTALLATION)))
