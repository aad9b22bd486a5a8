"""`/metrics` for Prometheus, read from the store on each request."""

from dashboard.metrics.routes import router
from dashboard.metrics.tally import Tally

__all__ = ["Tally", "router"]
