"""The queue: every move of a job, its events, and what can be asked about jobs."""
