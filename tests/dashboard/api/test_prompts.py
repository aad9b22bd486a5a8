"""The question and the answers of a job, for programs."""

import pytest

from daemon.services import Services
from tests.dashboard.api_client import READER, STRANGER, Client
from tests.installation import process


async def test_answers_are_shown_word_by_word(api: Client, services: Services) -> None:
    await process(services)
    api.become(READER)

    [answer] = await api.get("/jobs/1/answers")

    assert (answer["outcome"], answer["cut"]) == ("ok", False)
    assert '"evidence"' in answer["text"]


async def test_the_question_is_put_together_anew(api: Client, services: Services) -> None:
    await process(services)

    asked = await api.post("/jobs/1/prompt")

    assert (asked["same_prompt"], asked["same_text"]) == (True, True)
    assert (asked["part"], asked["parts"]) == (None, [])
    assert "Kundennummer" in asked["user"]
    assert asked["system"]


async def test_a_job_without_a_result_has_nothing_to_compare(
    api: Client, services: Services
) -> None:
    await api.post("/analyses", {"document": "home/1"}, status=202)

    asked = await api.post("/jobs/1/prompt", {"part": 1})

    assert (asked["same_prompt"], asked["same_text"]) == (None, None)


async def test_a_reader_may_not_ask_for_whole_documents(api: Client, services: Services) -> None:
    await process(services)
    api.become(READER)

    assert await api.refused("POST", "/jobs/1/prompt") == (403, "not_allowed")


@pytest.mark.parametrize("asked", [("GET", "/jobs/1/answers"), ("POST", "/jobs/1/prompt")])
async def test_what_is_not_there_or_not_for_these_eyes_is_not_found(
    api: Client, services: Services, asked: tuple[str, str]
) -> None:
    before = await api.refused(*asked)
    await process(services)
    api.become(STRANGER)

    assert before == await api.refused(*asked) == (404, "job_not_found")


async def test_a_part_that_there_is_not_is_not_found(api: Client, services: Services) -> None:
    await process(services)

    assert await api.refused("POST", "/jobs/1/prompt", {"part": 2}) == (404, "nothing_to_ask")
