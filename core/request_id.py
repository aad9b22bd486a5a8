"""The id of the HTTP request that is being handled, for jobs, events and log lines."""

from contextvars import ContextVar

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""None outside of a request, as in the processor."""
