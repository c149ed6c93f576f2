"""Proposals of new and changed skills, and the versions of each skill that was ever live."""

from weft.migrations import script
from weft.migrations.policies import enforce, owned_by_business

revision = "0007"
down_revision = "0006"

PROPOSALS = """
CREATE TABLE skill_proposals (
  id uuid CONSTRAINT pk_skill_proposals PRIMARY KEY,
  business_id uuid CONSTRAINT fk_skill_proposals_business_id REFERENCES businesses (id),
  user_id uuid,
  name varchar(64) NOT NULL,
  scope varchar(16) NOT NULL CONSTRAINT chk_proposal_scope CHECK (scope IN ('business', 'installation')),
  status varchar(16) NOT NULL CONSTRAINT chk_proposal_status CHECK (status IN
    ('draft', 'review', 'accepted', 'rejected', 'active')),
  note text NOT NULL,
  digest bytea NOT NULL,
  content bytea NOT NULL,
  files int NOT NULL,
  size bigint NOT NULL,
  via varchar(64) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  submitted_at timestamptz,
  decided_by varchar(64),
  decided_at timestamptz,
  reason text,
  CONSTRAINT fk_skill_proposals_business_id_user_id FOREIGN KEY (business_id, user_id)
    REFERENCES users (business_id, id),
  CONSTRAINT chk_proposal_owner CHECK (business_id IS NOT NULL OR (user_id IS NULL AND scope = 'installation')),
  CONSTRAINT chk_proposal_submitted CHECK (status = 'draft' OR submitted_at IS NOT NULL),
  CONSTRAINT chk_proposal_decided CHECK ((decided_at IS NULL) = (status IN ('draft', 'review'))),
  CONSTRAINT chk_proposal_reason CHECK (status <> 'rejected' OR reason IS NOT NULL)
);
CREATE INDEX idx_skill_proposals_user_recent ON skill_proposals (user_id, id DESC);
CREATE INDEX idx_skill_proposals_business_recent ON skill_proposals (business_id, id DESC);
CREATE INDEX idx_skill_proposals_review ON skill_proposals (id DESC) WHERE status = 'review';
GRANT SELECT, INSERT, DELETE, UPDATE (name, scope, status, note, digest, content, files, size, submitted_at, decided_by,
  decided_at, reason) ON skill_proposals TO weft_app;
"""

_MINE = "(SELECT weft_reach()) = 'user' AND user_id = (SELECT weft_user()) AND business_id = (SELECT weft_business())"
_WITHIN_REACH = (
    "CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())"
    " WHEN 'installation' THEN true ELSE false END"
)
_UNDECIDED = "status IN ('draft', 'review')"
# Whoever proposes may write and take back what nobody has decided; only who acts for more than one user decides.
PROPOSALS_POLICIES = f"""
{enforce("skill_proposals")}
CREATE POLICY owner_reads ON skill_proposals FOR SELECT TO weft_app USING ({_MINE});
CREATE POLICY owner_makes ON skill_proposals FOR INSERT TO weft_app WITH CHECK ({_MINE} AND {_UNDECIDED});
CREATE POLICY owner_changes ON skill_proposals FOR UPDATE TO weft_app
  USING ({_MINE} AND {_UNDECIDED}) WITH CHECK ({_MINE} AND {_UNDECIDED});
CREATE POLICY owner_removes ON skill_proposals FOR DELETE TO weft_app USING ({_MINE} AND {_UNDECIDED});
CREATE POLICY operator_reads ON skill_proposals FOR SELECT TO weft_app USING ({_WITHIN_REACH});
CREATE POLICY operator_makes ON skill_proposals FOR INSERT TO weft_app
  WITH CHECK ({_WITHIN_REACH} AND user_id IS NULL AND {_UNDECIDED});
CREATE POLICY operator_decides ON skill_proposals FOR UPDATE TO weft_app
  USING ({_WITHIN_REACH}) WITH CHECK ({_WITHIN_REACH});
CREATE POLICY operator_removes ON skill_proposals FOR DELETE TO weft_app
  USING ({_WITHIN_REACH} AND user_id IS NULL AND {_UNDECIDED});
"""

VERSIONS = f"""
CREATE TABLE skill_versions (
  id uuid CONSTRAINT pk_skill_versions PRIMARY KEY,
  business_id uuid CONSTRAINT fk_skill_versions_business_id REFERENCES businesses (id),
  name varchar(64) NOT NULL,
  number int NOT NULL CONSTRAINT chk_version_number CHECK (number > 0),
  origin varchar(16) NOT NULL CONSTRAINT chk_version_origin CHECK (origin IN ('found', 'proposal', 'rollback')),
  proposal_id uuid CONSTRAINT fk_skill_versions_proposal_id REFERENCES skill_proposals (id),
  restores int,
  digest bytea,
  content bytea,
  made_by varchar(64) NOT NULL,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  activated_at timestamptz,
  CONSTRAINT uq_skill_versions_number UNIQUE NULLS NOT DISTINCT (business_id, name, number),
  CONSTRAINT uq_skill_versions_proposal UNIQUE (proposal_id),
  CONSTRAINT chk_version_content CHECK ((digest IS NULL) = (content IS NULL)),
  CONSTRAINT chk_version_proposal CHECK ((proposal_id IS NOT NULL) = (origin = 'proposal')),
  CONSTRAINT chk_version_restores CHECK ((restores IS NOT NULL) = (origin = 'rollback'))
);
CREATE UNIQUE INDEX uq_skill_versions_pending ON skill_versions (business_id, name) NULLS NOT DISTINCT
  WHERE activated_at IS NULL;
GRANT SELECT, INSERT, UPDATE (activated_at) ON skill_versions TO weft_app;
{owned_by_business("skill_versions")}
"""


def upgrade() -> None:
    for part in (PROPOSALS, PROPOSALS_POLICIES, VERSIONS):
        script.run(part)


def downgrade() -> None:
    script.run("DROP TABLE skill_versions, skill_proposals")
