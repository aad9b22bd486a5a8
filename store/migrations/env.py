"""Run migrations on the connection that `store.migrate` opened; one transaction for all of them."""

from alembic import context

from store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite can hardly alter a table: Alembic copies it instead.
    render_as_batch=True,
    # Our transaction begins with BEGIN IMMEDIATE: SQLite rolls back a failed migration, too.
    transactional_ddl=True,
)
context.run_migrations()
