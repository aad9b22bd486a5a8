"""Which documents enter the archive index."""

import pytest

from core.archive import IndexChoice, IndexMode, choose_index_mode

NEW = None


@pytest.mark.parametrize(
    ("enabled", "limits_reading", "choice", "mode"),
    [
        (None, False, NEW, IndexMode.ALL),
        (None, True, NEW, IndexMode.ASK),
        (None, False, IndexChoice.ASK, IndexMode.ASK),
        (None, True, IndexChoice.ASK, IndexMode.ASK),
        (None, True, IndexChoice.ALL, IndexMode.ALL),
        (None, False, IndexChoice.PROCESSED, IndexMode.PROCESSED),
        (True, True, IndexChoice.PROCESSED, IndexMode.ALL),
        (True, False, IndexChoice.ASK, IndexMode.ALL),
        (False, False, IndexChoice.ALL, IndexMode.OFF),
        (False, False, NEW, IndexMode.OFF),
    ],
)
def test_the_setting_comes_before_the_answer_and_the_answer_before_the_default(
    enabled: bool | None,  # noqa: FBT001 - rows of a table
    limits_reading: bool,  # noqa: FBT001
    choice: IndexChoice | None,
    mode: IndexMode,
) -> None:
    chosen = choose_index_mode(enabled=enabled, limits_reading=limits_reading, choice=choice)

    assert chosen is mode
