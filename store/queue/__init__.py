"""The queue: every transition of a job, its events, and queries about jobs."""
