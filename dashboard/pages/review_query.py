"""The filter, order and search of the review list, as in its address."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, ValidationError
from starlette.datastructures import FormData

from dashboard.errors import BadRequest
from store import ReviewFilter, ReviewNeed, ReviewOrder

_Text = Annotated[str, Field(max_length=200)]


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


class ReviewQuery(BaseModel):
    """Which documents for review to list; "" means any."""

    instance: _Text = ""
    field: _Text = ""
    reason: _Text = ""
    need: Annotated[ReviewNeed | None, BeforeValidator(_none_if_empty)] = None
    correspondent: _Text = ""
    below: Annotated[
        Annotated[int, Field(ge=0, le=100)] | None, BeforeValidator(_none_if_empty)
    ] = None
    """The confidence in percent."""
    q: _Text = ""
    sort: Annotated[ReviewOrder, BeforeValidator(lambda text: text or ReviewOrder.OLDEST)] = (
        ReviewOrder.OLDEST
    )

    @classmethod
    def parse(cls, form: FormData) -> "ReviewQuery":
        """Parse the filter that a form carries; raise BadRequest."""
        given = {name: str(form[name]) for name in cls.model_fields if name in form}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise BadRequest("the form carries no valid filter of the list") from error

    @property
    def given(self) -> dict[str, str]:
        """Return what is set, for addresses and forms."""
        return {
            name: str(value)
            for name, value in self.model_dump(exclude_defaults=True).items()
            if value not in {None, ""}
        }

    @property
    def filters(self) -> dict[str, str]:
        """Return the filters that are set, without instance and order."""
        return {name: text for name, text in self.given.items() if name not in {"instance", "sort"}}

    def to_filter(self, instances: tuple[str, ...]) -> ReviewFilter:
        return ReviewFilter(
            instances,
            field=self.field,
            reason=self.reason,
            need=self.need,
            correspondent=self.correspondent,
            below=None if self.below is None else self.below / 100,
            words=self.q.strip(),
            order=self.sort,
        )
