"""The cost of filing a document meets the goals and is lower than before."""

import pytest

from benchmarks.process_cost import Cost, Line, measure


async def test_every_goal_is_met_without_a_background_task() -> None:
    lines = {line.what: line for line in await measure(2)}

    assert [line.what for line in lines.values() if not line.is_met] == []
    requests = {what: line.cost.requests for what, line in lines.items() if line.goal}
    assert requests == {
        "written": 4,
        "written, with examples": 5,
        "written, with an invoice's original": 5,
        "undone": 3,
        "for review only": 1,
        "for review only, with examples": 2,
        "accepted in review": 3,
    }
    assert lines["written, an old custom field is refused"].cost.tasks == 1
    before = lines["written as before, by PATCH and bulk edits"].cost
    assert (before.requests, before.tasks) == (12, 3)


@pytest.mark.parametrize(("requests", "tasks", "met"), [(4, 0, True), (5, 0, False), (4, 1, False)])
def test_a_goal_is_missed_by_one_request_or_one_task_more(
    requests: int, tasks: int, *, met: bool
) -> None:
    cost = Cost(requests=requests, lists=0, kilobytes=1, tasks=tasks)

    assert Line("written", cost, goal=4).is_met is met
