"""Notifications to the owner: each sent once, and never with text of a document."""
