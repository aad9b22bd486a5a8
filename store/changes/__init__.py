"""The ledger of changes: planned, reviewed, written, undone."""
