"""A pretend world: a Paperless and a model on real ports, with faults on demand."""

from sandbox.sandbox import Sandbox

__all__ = ["Sandbox"]
