"""Row-level security in words that every migration shares.

Migrations are history: what stands here may be added to, never changed.
"""

_SEEN_BY_USER = (
    "(SELECT weft_reach()) = 'user' AND user_id = (SELECT weft_user()) AND business_id = (SELECT weft_business())"
)
_SEEN_BY_OPERATOR = (
    "CASE (SELECT weft_reach()) WHEN 'business' THEN business_id = (SELECT weft_business())"
    " WHEN 'installation' THEN true ELSE false END"
)


def enforce(table: str) -> str:
    """Row-level security for everybody, the table's owner included."""
    return f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"


def owned_by_user(table: str) -> str:
    """A user does what the grants allow with rows of their own; an operator reads those within reach."""
    return f"""
        {enforce(table)}
        CREATE POLICY owner ON {table} TO weft_app USING ({_SEEN_BY_USER}) WITH CHECK ({_SEEN_BY_USER});
        CREATE POLICY operator_reads ON {table} FOR SELECT TO weft_app USING ({_SEEN_BY_OPERATOR});
    """


def owned_by_business(table: str) -> str:
    """Operators alone, within their reach."""
    return f"""
        {enforce(table)}
        CREATE POLICY operator ON {table} TO weft_app USING ({_SEEN_BY_OPERATOR}) WITH CHECK ({_SEEN_BY_OPERATOR});
    """


def open_to_system(table: str) -> str:
    """System work sees every row; what it may do with them, its grants say."""
    return f"CREATE POLICY system ON {table} TO weft_system USING (true) WITH CHECK (true);"
