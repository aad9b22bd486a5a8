"""The sandbox answers as the real Paperless 2.20.15 and 3.0.5 were seen to answer."""

import httpx
import pytest

from sandbox.paperless import Release
from tests.contract.replay import RELEASES, Case, Expected, load_cases, replay

_CASES = load_cases()


@pytest.mark.parametrize(
    ("server", "case"), _CASES, ids=[f"{server}-{case.name}" for server, case in _CASES]
)
async def test_the_sandbox_answers_as_paperless_did(server: str, case: Case) -> None:
    for step, answer in await replay(server, case):
        _assert_answer(step.expect, answer, RELEASES[server])


def test_several_hundred_recorded_facts_are_held_for_both_releases() -> None:
    held = [server for server, _ in _CASES]

    assert held.count("v2") > 250
    assert held.count("v3") > 250


def _assert_answer(expect: Expected, answer: httpx.Response, release: Release) -> None:
    assert answer.status_code == expect.status, answer.text
    # Whoever is known to the server sees its version; the cases name the others.
    for name, value in ({"x-version": release.version} | dict(expect.headers)).items():
        assert answer.headers.get(name) == value, name
    if expect.body is not None:
        assert answer.json() == expect.body
    if expect.part is not None:
        assert {key: answer.json().get(key) for key in expect.part} == expect.part
    if expect.keys is not None:
        assert set(answer.json()) == expect.keys
    if expect.ids is not None:
        assert tuple(item["id"] for item in answer.json()["results"]) == expect.ids
    if expect.length is not None:
        assert len(answer.json()["results"]) == expect.length
    if expect.text is not None:
        assert expect.text in answer.text
