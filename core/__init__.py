"""The words: domain values, settings, clock. Imports nothing of ours."""
