"""Ask a person to confirm the estimated cost of what a form starts."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal
from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from actions.errors import ConsentRequired
from dashboard.pages.view import View

UpTo = Annotated[Decimal | None, Form(ge=0)]
"""The highest cost that the person has confirmed; left out: none."""
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class CostlyForm:
    """A form that may start something costly; it is sent again with the confirmed amount."""

    path: str
    label: str
    """Of its button, in English."""
    back: str
    """The page it was sent from."""
    fields: Mapping[str, str | Sequence[str]] = field(default_factory=dict)


async def ask_if_costly(view: View, response: Awaitable[Response], form: CostlyForm) -> Response:
    """Await the response to a form; if a cost must be confirmed, return the page that asks."""
    try:
        return await response
    except ConsentRequired as required:
        # Rounded up, so that the shown amount covers the estimate.
        costs = [
            (estimate, (estimate.cost or Decimal()).quantize(_CENT, ROUND_UP))
            for estimate in required.estimates
        ]
        up_to = max(cost for _, cost in costs)
        return await view.page("consent.html", status=409, costs=costs, up_to=up_to, form=form)
