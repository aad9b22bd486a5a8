"""A fake Paperless and a fake model on real ports, for the demo and the tests.

`paperless` behaves as recorded from Paperless-ngx 2.20 and 3.0. `model` speaks the OpenAI protocol
and reads documents by simple rules; its `quirks` imitate real servers. `faults` makes either of
them slow, broken or unreachable. `documents` has the sample texts and their correct values.
It imports none of our packages, so that it cannot share a bug with them; only `daemon` imports it.
"""

from sandbox.sandbox import Sandbox

__all__ = ["Sandbox"]
