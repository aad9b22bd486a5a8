"""Process jobs: analyze documents, write and undo changes, settle attempts."""
