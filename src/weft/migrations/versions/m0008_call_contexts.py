"""What each model call was sent: manifests, and each distinct text once."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
