"""`healthcheck`: alive or not, in the two numbers that Docker knows."""

from tests.daemon.conftest import Paperclerk
from tests.office import Office


def test_without_a_daemon_nothing_is_alive(paperclerk: Paperclerk) -> None:
    said = paperclerk("healthcheck")

    assert (said.code, said.out) == (1, "no daemon is alive on this data\n")


def test_a_mistake_in_the_settings_is_no_number_of_its_own(
    paperclerk: Paperclerk, office: Office
) -> None:
    office.configure("[scann]\n")

    said = paperclerk("healthcheck")

    assert said.code == 1
    assert "did you mean" in said.err
