"""The archive index: the text of documents, split into chunks, with full text search.

On SQLite it is a file of its own beside the database, with its own writer, so that no claim ever
waits for it. It can always be rebuilt from Paperless, so it is in no backup. On PostgreSQL its
tables are in the same database, and its transactions do not take the writers' lock.
"""
