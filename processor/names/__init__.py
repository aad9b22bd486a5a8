"""Names in Paperless: which there are, creating new ones, and removing unused ones."""
