"""A fake language model with the OpenAI protocol: it reads documents by simple rules."""

from sandbox.model.app import build_model_app
from sandbox.model.behaviour import (
    Behaviour,
    Demand,
    Dropped,
    Failure,
    FailureScope,
    Mode,
    Outcome,
    Overflow,
    Parameter,
    Streaming,
    UnknownModel,
    Unsupported,
    Usage,
    Wrapping,
)
from sandbox.model.server import ModelServer
from sandbox.model.state import LoggedChat, ModelState

__all__ = [
    "Behaviour",
    "Demand",
    "Dropped",
    "Failure",
    "FailureScope",
    "LoggedChat",
    "Mode",
    "ModelServer",
    "ModelState",
    "Outcome",
    "Overflow",
    "Parameter",
    "Streaming",
    "UnknownModel",
    "Unsupported",
    "Usage",
    "Wrapping",
    "build_model_app",
]
