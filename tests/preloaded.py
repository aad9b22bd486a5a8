"""Imports everything that a forked daemon needs; see `tests/forking.py`.

The command line loads most of it only when it is needed, and so do libraries with their parts.
"""

import gc
from importlib import import_module

from paperless_client import transport
from processor.analysis import openai_client

for name in (
    *("alembic.command", "alembic.config", "anyio._backends._asyncio", "httpcore", "httpcore2"),
    *("psycopg", "stdnum.de.vat", "truststore", "tzdata.zoneinfo", "uvicorn.lifespan.off"),
    *("daemon.run", "daemon.worker", "processor.analysis.openai_client"),
    *("tests.daemon.processes", "tests.kill.killed_daemon"),
):
    import_module(name)

# Each daemon would load the certificates twice, which takes 40 ms.
transport._system_trust()
openai_client._system_trust()

# A collection in a forked process would copy the memory that it shares with the others.
gc.collect()
gc.freeze()
