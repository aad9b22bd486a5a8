"""Log in with the link that a program prints at its first start."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen

import httpx

from tests.waiting import LONG

PASSWORD = {"password": "correct horse battery", "again": "correct horse battery"}


def until_link(process: "Popen[str]") -> tuple[str, httpx.URL]:
    """Read the output up to the link; return the output before it, and the link."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        if found := re.search(r"Choose a password for the dashboard: (\S+)", line):
            return said, httpx.URL(found[1])
        said += line
    raise AssertionError(process.communicate())


def link_of(process: "Popen[str]") -> httpx.URL:
    """Read the output up to the link, and return the link."""
    return until_link(process)[1]


@contextmanager
def open_first_session(link: httpx.URL) -> Iterator[httpx.Client]:
    here = link.copy_with(path="/", query=None)
    with httpx.Client(base_url=here, timeout=LONG) as client:
        assert client.get(link).status_code == 200
        answer = client.post("/welcome", data={"link": link.params["link"], **PASSWORD})
        assert answer.status_code == 303
        yield client
