"""The versions of Paperless-ngx that Paperclerk has been tried with."""

import re

TRIED_VERSIONS = ("2.20", "3.0")
"""`docs/reference/paperless-versions.md` says what was tried with each."""


def is_tried(version: str) -> bool:
    """Return whether Paperclerk was tried with this version, whatever its last number is."""
    release = re.match(r"[0-9]+\.[0-9]+", version)
    return release is not None and release.group() in TRIED_VERSIONS
