"""What pydantic says, in plain words."""

import pytest
from pydantic_core import ErrorDetails

from core.settings.instance import InstanceTables
from core.settings.load import describe


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        ("int_type", "expected a whole number"),
        ("dict_type", 'expected a table such as { name = "value" }'),
        ("something_new", "in pydantic's own {words}"),
    ],
)
def test_what_has_no_words_of_ours_is_said_in_pydantics(type_: str, words: str) -> None:
    error = ErrorDetails(type=type_, loc=("ai",), msg="in pydantic's own {words}", input=None)

    assert str(describe(error, InstanceTables)) == words
