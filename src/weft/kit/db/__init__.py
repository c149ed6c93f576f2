"""The database: one PostgreSQL, embedded or yours, and one way to open a transaction on it."""

from weft.kit.db.database import Database, DatabaseLostError
from weft.kit.db.transaction import Transaction

__all__ = ["Database", "DatabaseLostError", "Transaction"]
