"""`/metrics`: the figures as Prometheus reads them, taken from the store when it asks."""

from dashboard.metrics.routes import router
from dashboard.metrics.tally import Tally

__all__ = ["Tally", "router"]
