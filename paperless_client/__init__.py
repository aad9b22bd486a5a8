"""Speak to Paperless: a typed async client on httpx that knows nothing of the rest."""
