"""A process that is killed while an answer is streamed: the next one asks again."""

from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Streaming
from tests.daemon.processes import a_daemon
from tests.installation import Installation, enqueue_document, process
from tests.waiting import until

FIRST, SECOND = 1, 2


def is_streaming(sandbox: Sandbox, text: str) -> bool:
    """Return whether the server has begun to stream an answer about this text."""
    return any(
        chat.parameters.get("stream") and chat.status == 200 and text in str(chat.messages)
        for chat in sandbox.model.state.chats()
    )


async def outcomes(services: Services, job_id: int) -> list[str]:
    return [call.outcome for call in await services.store.calls.list_for_job(job_id)]


async def test_an_answer_that_a_kill_cut_off_is_asked_for_again(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure("[scan]\nenabled = false\n", all_fields="replace", stream=True)
    text = sandbox.world.documents[SECOND].content[:30]
    async with installation.open() as services:
        await process(services, FIRST)
        job = await enqueue_document(services, SECOND)
    sandbox.model.behave(Behaviour(streaming=Streaming.STALLED, only_for=text))

    with a_daemon(installation, name="first") as first:
        await until(lambda: is_streaming(sandbox, text))
        first.kill()
    sandbox.model.behave(Behaviour())
    with a_daemon(installation, name="second") as second:
        second.wait_for("job completed")

    async with installation.open() as services:
        assert await outcomes(services, job.id) == ["probe", "started", "probe", "ok"]
        assert (await services.store.jobs.get(job.id)).attempts == 2
