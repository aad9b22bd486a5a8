"""Scan instances on schedule for documents that need analysis, and enqueue jobs for them.

`scheduler` starts scans on time or on request, `scan` runs one. `listing` reads the list of
documents, `watermark` limits it to what changed, `selection` decides about each document.
`webhooks` looks up single documents that Paperless has named, `written` what we wrote before.
It may import `store`, `paperless_client` and `core`; it never imports `processor`.
"""
