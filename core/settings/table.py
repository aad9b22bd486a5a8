"""What every table of a settings file is: complete, and never changed."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """A table of a settings file. Unknown keys are mistakes, and no one may change it later."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
