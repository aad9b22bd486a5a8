"""Book questions that belong to no document: nothing that is asked of a model goes unrecorded."""

from core.analysis import ModelCall
from core.calendar import day_start, month_start
from core.spending import SpendingLimits
from processor.instance import Instance
from store import Store


class Trial:
    """Books the calls of a trial question, which belongs to no job and heeds no limit."""

    def __init__(self, store: Store, instance: Instance) -> None:
        self._calls = store.calls
        self._instance = instance
        self.mode = ""
        """How the model was asked last."""

    async def reserve(self, call: ModelCall) -> int:
        self.mode = call.mode
        budget = self._instance.budget
        return await self._calls.reserve(
            budget.priced(call),
            instance=self._instance.name,
            job_id=None,
            limits=SpendingLimits(),
            day_start=day_start(call.at, budget.zone),
            month_start=month_start(call.at, budget.zone),
        )

    async def finish(self, number: int, call: ModelCall, _: str) -> None:
        """Put what a call took in place of what was reserved; its answer is of no interest."""
        await self._calls.finish(number, self._instance.budget.priced(call))
