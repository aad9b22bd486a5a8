"""`names owner`, `names confirm` and `names decline`, as they are typed."""

from tests.daemon.conftest import Paperclerk


def states(paperclerk: Paperclerk) -> dict[str, str]:
    output = paperclerk("names", "owner", "--json").json()
    assert isinstance(output, list)
    return {entry["name"]: entry["state"] for entry in output}


def test_names_are_confirmed_and_declined(paperclerk: Paperclerk) -> None:
    confirmed = paperclerk("names", "confirm", "Erika Muster", "Muster Bau GmbH")
    declined = paperclerk("names", "decline", "ERIKA MUSTER", "--instance", "home")

    assert (confirmed.code, declined.code) == (0, 0)
    assert states(paperclerk) == {"Muster Bau GmbH": "confirmed", "ERIKA MUSTER": "declined"}
    assert "Muster Bau GmbH" in paperclerk("names", "owner", "home").out


def test_without_names_that_is_reported(paperclerk: Paperclerk) -> None:
    assert "no names yet" in paperclerk("names", "owner").out


def test_an_unknown_instance_is_refused(paperclerk: Paperclerk) -> None:
    assert paperclerk("names", "confirm", "Erika Muster", "--instance", "attic").code != 0
