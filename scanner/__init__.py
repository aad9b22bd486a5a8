"""Scan instances on schedule for documents that need analysis, and enqueue jobs for them."""
