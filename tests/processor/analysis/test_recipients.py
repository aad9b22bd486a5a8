"""The recipients of a letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.name_matching import is_same_party
from processor.analysis.recipients import find_recipients
from sandbox.documents import FOLDER, load_truth

TOWN = "Lindenweg 4\n12345 Musterstadt"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"Stadtwerke GmbH\n\nFrau\nErika Mustermann\n{TOWN}", "Erika Mustermann"),
        (f"Herrn Max Mustermann\n{TOWN}", "Max Mustermann"),
        (f"An Herrn Max Mustermann\n{TOWN}", "Max Mustermann"),
        (f"Firma\nMusterbau GmbH\n{TOWN}", "Musterbau GmbH"),
        ("Mr Max Mustermann\n22 Canal Street\nBristol BS2 0AA", "Max Mustermann"),
        ("Mme Anne Dupont\n3 rue du Port\n75001 Paris", "Anne Dupont"),
        ("Dhr. J. de Vries\nKeizersplein 8\n3511 AB Utrecht", "J. de Vries"),
        ("An: Musterbau GmbH, Herr Meier", "Musterbau GmbH"),
        ("To: Max Mustermann", "Max Mustermann"),
        ("Rechnung an:\nMusterbau GmbH", "Musterbau GmbH"),
        (
            "Bill to:              Invoice number: 7\nErika Mustermann      Date: x",
            "Erika Mustermann",
        ),
        ("Sold to            Deliver to\nE. Mustermann      c/o Millbrook", "E. Mustermann"),
        ("Ship to        Erika Mustermann, Lindenweg 4", "Erika Mustermann"),
        ("Patientin: Erika Mustermann, geb. 12.03.1988", "Erika Mustermann"),
        ("Policyholder: Erika Mustermann (born 12/03/1988)", "Erika Mustermann"),
        ("Destinataire : Anne Dupont", "Anne Dupont"),
        ("Aan: J. de Vries", "J. de Vries"),
        ("Käufer: Musterbau GmbH", "Musterbau GmbH"),
        ("Leistungsempfänger      Musterbau GmbH", "Musterbau GmbH"),
        ("Client\nPascoe Design Ltd", "Pascoe Design Ltd"),
        ("Kontoinhaberin: Erika Mustermann", "Erika Mustermann"),
        ("Huurder: J. de Vries", "J. de Vries"),
        ("Herrn Max Mustermann       Pers.-Nr. 114", "Max Mustermann"),
        (f"Stadtwerke\nHafen 1\nBonn\n\nErika Mustermann\n{TOWN}", "Erika Mustermann"),
        (f"Telvanta GmbH, 50933 Köln\nMusterbau Akustik GmbH\n{TOWN}", "Musterbau Akustik GmbH"),
        ("Firm\nHarbour 1\nP. de Wit\nDijkstraat 40, 3361 AB Rivierdam", "P. de Wit"),
        ("Guest\nPascoe Design Ltd\nOwen Pascoe\n3 Harbour Terrace", "Owen Pascoe"),
        ("c/o Harbourgate Lettings Ltd", "Harbourgate Lettings Ltd"),
        ("Lieferanschrift / Adresse de livraison\nMusterbau GmbH", "Musterbau GmbH"),
        ("Spett.le\nRossi Arredi", "Rossi Arredi"),
        ("Sehr geehrte Frau Mustermann,", "Frau Mustermann"),
        ("Sehr geehrter Herr Dr. Mustermann,", "Herr Dr. Mustermann"),
        ("Guten Tag Frau Mustermann,", "Frau Mustermann"),
        ("Hallo Erika,", "Erika"),
        ("Dear Ms Mustermann,", "Ms Mustermann"),
        ("Dear Mr. Mustermann:", "Mr. Mustermann"),
        ("Madame Dupont,", "Dupont"),
        ("Bokad av         Maeve Nordin", "Maeve Nordin"),
        ("Chère Madame Dupont,", "Madame Dupont"),
        ("Geachte mevrouw De Vries,", "mevrouw De Vries"),
    ],
)
def test_the_recipient_is_found(text: str, name: str) -> None:
    assert name in set(find_recipients(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dr. med. Petra Hollmann\nBeethovenstraße 17\n12345 Musterstadt",
        "Schulleitung: Frau Sabine Ortlepp\nParkstraße 30\n12345 Musterstadt",
        "Frau Nowak nimmt den Abschnitt entgegen.",
        "Frau\n\n",
        "An die Eltern der Klasse 4b",
        "Kunde werden lohnt sich",
        "To whom it may concern",
        "Customer:",
        f"MR. D.I.Y.\n{TOWN}",
        f"MR. D.I.Y. (M) SDN BHD\n{TOWN}",
        f"Mme Coiffure SARL\n{TOWN}",
        "An: (siehe unten)",
        f"Stadtwerke Muster\nAm Wehr 12\nStadtwerke Muster · Postfach 1 · 12345 Muster\n{TOWN}",
        "wir danken Ihnen, liebe Frau Mustermann, für Ihre Treue und bleiben Ihnen gern verbunden",
        "\n".join([*(f"Zeile {n}" for n in range(50)), "Sehr geehrte Frau Mustermann,"]),
    ],
)
def test_where_no_one_is_addressed_no_one_is_found(text: str) -> None:
    assert list(find_recipients(text)) == []


@pytest.mark.parametrize("file", load_truth())
def test_no_sender_of_a_sample_document_is_taken_for_its_recipient(file: str) -> None:
    sender = load_truth()[file].correspondent or "nobody"
    text = (FOLDER / file).read_text(encoding="utf-8")

    assert not any(is_same_party(sender, recipient) for recipient in find_recipients(text))


@given(st.text())
def test_any_text_can_be_searched_for_recipients(text: str) -> None:
    assert all(name.strip() for name in find_recipients(text))


def test_the_address_of_the_letterhead_is_no_recipient() -> None:
    text = "De Waterlijn\ntijdschrift\n\nAbonnementen De Waterlijn\nPostbus 7718, 3500 DW Utrecht\n"

    assert not list(find_recipients(text))


def test_the_recipient_of_a_payment_is_none_of_the_document() -> None:
    slip = "SEPA-Überweisung        Empfänger  Muster Inkasso GmbH\n"

    assert not list(find_recipients(slip))
    assert list(find_recipients(slip.replace("SEPA-Überweisung", "Sendung")))


def test_there_may_be_two_recipients_after_a_label() -> None:
    text = "Titular:    JO MUSTER        Fecha\n            KIM BEISPIEL     Ref.\n"

    assert list(find_recipients(text)) == ["JO MUSTER", "KIM BEISPIEL"]


@pytest.mark.parametrize(
    "text",
    [
        "CARD\nLedger\nMUSTER STUDIO LLC\nATTN JO BEISPIEL\nPO BOX 1\n",
        "CARD\nLedger\nMuster Studio\n12 Elm Road\nMill Creek, OH 43999\n",
        "Oficina\nCliente:   MUSTER STUDIO     NIF: 118\n",
    ],
)
def test_recipients_of_other_countries_are_found(text: str) -> None:
    assert any("muster studio" in name.casefold() for name in find_recipients(text))


@pytest.mark.parametrize(
    "form",
    [
        f"Absender\nMuster Bauwerk\n{TOWN}",
        f"Absender              Lieferadresse\nMuster Bauwerk        Erika Mustermann\n{TOWN}",
        "BÉNÉFICIAIRE DES VERSEMENTS\nNom      Muster Bauwerk\nAdresse  3 quai, 29898 Port",
        "PRESTADOR DOS SERVIÇOS\nNome     Muster Bauwerk\nMorada   Rua 3\nLocal    4999-118 Vila",
    ],
)
def test_a_name_below_a_sender_label_is_not_a_recipient(form: str) -> None:
    assert "Muster Bauwerk" not in set(find_recipients(f"Formular\nBlatt 1\n\n{form}"))
