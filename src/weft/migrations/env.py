"""How Alembic reaches the database: over the connection that `weft.kit.db.migrate` hands in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
