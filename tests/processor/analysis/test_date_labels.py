"""What a date is, by the words around it."""

from datetime import date

import pytest

from processor.analysis.date_labels import DateRole, find_labelled_dates

DAY = date(2022, 5, 3)


def roles(text: str) -> list[DateRole]:
    return [found.role for found in find_labelled_dates(text) if found.day == DAY]


@pytest.mark.parametrize(
    "text",
    [
        "Rechnungsdatum: 03.05.2022",
        "Rechnungsdatum 03.05.2022",
        "Rechnungsdatum      03.05.2022",
        "RECHNUNGSDATUM\n03.05.2022",
        "Datum: 3. Mai 2022",
        "Datum der Rechnung: 3.5.2022",
        "ausgestellt am 03.05.2022",
        "Kontoauszug vom 03.05.2022",
        "Bescheiddatum: 03.05.22",
        "Invoice date: May 3, 2022",
        "Date 3 May 2022",
        "Date of issue: 3 May 2022",
        "Date of this notice: 3 May 2022",
        "Issued on 2022-05-03",
        "Statement date | 3 May 2022",
        "Date de facture : 03/05/2022",
        "Date de la facture : 3 mai 2022",
        "Date d'émission : 3 mai 2022",
        "Émise le 3 mai 2022",
        "Factuurdatum: 3 mei 2022",
        "Datum factuur 03-05-2022",
        "Dagtekening 3 mei 2022",
        "Hamburg, den 03.05.2022",
        "Bad Homburg v. d. Höhe, 3. Mai 2022",
        "Paris, le 3 mai 2022",
        "Kundennummer    Rechnungsdatum    Betrag\n4711            03.05.2022        12,00",
        "Kundennummer Rechnungsdatum Betrag\n4711 03.05.2022 12,00",
        "Rechnungsdatum Rechnungsnummer\n03.05.2022 4711",
        "Musterstadt,        03.05.2022",
        "Sjövik den 3 maj 2022",
        "THIS AGREEMENT is made and entered into this 3rd day of May, 2022",
        "Minutes of the Committee Meeting held on Tuesday 3rd May 2022 at 7.30pm",
        "Rechnungsnummer\nRechnungsdatum\nM 2603 77\n03.05.2022",
        "48 TAMARACK STREET Date\nDULUTH FALLS 3 May 2022",
        "Date d'établissement   03/05/2022",
        "Data fattura: 03/05/2022",
        "Rechnungs-/Leistungsdatum 03.05.2022",
        "Rechnungsdatum = Lieferdatum 03.05.2022",
        "Benefit statement produced on 3 May 2022",
        "Datum beschikking 3 mei 2022",
        "Se expide el presente certificado en Villasol, a 3 de mayo de 2022.",
        "From: shop@example.com\nSent: Tuesday, May 3, 2022 4:42 PM\nSubject: Your order",
    ],
)
def test_a_date_may_be_the_documents_own(text: str) -> None:
    assert DateRole.ISSUED in roles(text)


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung Nr. 26/118 vom 03.05.2022",
        "Invoice 4711 of 3 May 2022",
        "Facture de régularisation n° 10 0447 03 du 3 mai 2022",
        "Relevé de compte au 03/05/2022",
        "Bad Homburg v. d. Höhe, den 03.05.2022",
    ],
)
def test_a_document_may_name_itself_and_its_date(text: str) -> None:
    assert {DateRole.NAMED, DateRole.ISSUED, DateRole.PRODUCED} & set(roles(text))


@pytest.mark.parametrize(
    "text",
    [
        "Neuer Kontostand vom 03.05.2022      16.487,42 H",
        "Datum/Uhrzeit 03.05.2022 12:33",
        "Fecha y hora: 03/05/2022 12:33",
        "Closing Date   03/05/2022",
        "YOUR ANNUAL STATEMENT AS AT 3 MAY 2022",
        "Printed 03/05/2022",
        "Clinic held in March\nDate typed   03/05/2022",
        "From: shop@example.com\nSubject: Your bill\nDate:   Tue, 3 May 2022\n"
        "Bill date   2 May 2022",
        "Booked on 3 May 2022 at 10:22",
        "NOTULEN\nVergadering van 3 mei 2022",
        "Verzendingsdatum      03/05/2022",
        "LEVERINGSBON   nr. LB 24-118\nDATUM LEVERING   03/05/2022",
        "Date of quote: 3 May 2022          Valid for 60 days",
        "Date of booking      3 May 2022",
        "Fecha de la reserva: 03/05/2022",
        "ORDERBEVESTIGING\nOrderdatum       3 mei 2022",
    ],
)
def test_a_date_is_the_documents_if_no_other_is_labelled_so(text: str) -> None:
    assert DateRole.PRODUCED in roles(text)


@pytest.mark.parametrize(
    "text",
    [
        "From: Jo Marsh\nSent: 3 May 2022 11:42",
        "Von:   Jo Marsh\nGesendet:   03.05.2022 11:42",
        "Jo Marsh <jo@marsh.example>   Tue, 3 May 2022 at 16:41",
        "This Agreement is dated 3 May 2022",
        "Issued at Kelling this 3rd day of May, 2022.",
        "Date of this Penalty Certificate   3 May 2022",
        "Datum aanslagbiljet      03/05/2022",
        "Minutes issued to members: 3 May 2022",
        "Datum           : 03.05.2022",
        "Alte Gasse 7    Datum           : 03.05.2022",
        "Nr.     Datum        Kunde\n4711    03.05.2022   1188\nBestellung   Web 01.05.2022 / Jo",
        "Ausstelldatum 03.05.2022",
        "Avidatum     2022-05-03",
        "Puerto Nácar, a 3 de mayo de 2022",
        "7099 Chur-Au, 03.05.2022",
        "Finanzamt Wardenkamp 26938 Wardenkamp, 03.05.2022",
        "Rechnung 25-04418 Brunnwil, 3. Mai 2022",
        "Letto, confermato e sottoscritto in Borgo, addì 3 maggio 2022",
    ],
)
def test_a_date_is_the_documents_own(text: str) -> None:
    assert DateRole.ISSUED in roles(text)


def test_a_date_may_be_beside_the_title() -> None:
    assert roles("Rechnung 26-0231          03.05.2022") == [DateRole.NAMED]
    assert roles("Facture du      03/05/2022")[0] is DateRole.NAMED
    assert roles("Protokoll der Sitzung vom 03.05.2022") == [DateRole.NAMED]
    assert roles(
        "MINUTES OF THE ANNUAL GENERAL MEETING\nheld in the Hall\n"
        "on Tuesday 3rd May 2022 at 7.30 p.m."
    ) == [DateRole.NAMED]
    assert roles("PROTOKOLL\nDatum:   Dienstag, 3. Mai 2022, 18:30 bis 20:10") == [DateRole.NAMED]


def test_a_date_may_begin_a_letterhead() -> None:
    assert roles("OAKHARBOUR\n3 May 2022        Member no.   TYR/00881") == [DateRole.ALONE]


@pytest.mark.parametrize(
    "text",
    [
        "Auftrag vom   03.05.2022",
        "Einladung    vom 03.05.2022",
        "BESTELBON   B 24-0771  van 03/05/2022",
        "que anula la factura 2024-211 de fecha 03/05/2022",
        "Your name was drawn from the list prepared on 3 May 2022 under the Act",
        "doc. passaporto n. 555118044 rilasciato il 03/05/2022, parte acquirente",
        "Date exécutoire    03/05/2022",
        "Normal pension date    3 May 2022",
        "Entry date 2022-05-03",
    ],
)
def test_a_date_may_be_of_something_that_the_text_mentions(text: str) -> None:
    assert set(roles(text)) <= {DateRole.MENTIONED}


@pytest.mark.parametrize(
    "text",
    [
        "Date        Tuesday 3 May 2022\nTime        14:20",
        "Monday 2 - Tuesday 3 May 2022",
        "Finns kvar till och med 2022-05-03. Därefter går paketet i retur.",
        "Guthaben per 03.05.2022: keine",
        "Sent: 3 May 2022 by courier",
        "Nächste Sitzung am 03.05.2022",
        "Deres dato 03.05.2022",
        "381   Tides    03/05/2022  13/05/2022\n382   Knots    03/05/2022  13/05/2022",
    ],
)
def test_a_date_may_be_of_an_event_or_an_entry(text: str) -> None:
    assert DateRole.ISSUED not in roles(text)
    assert DateRole.UNKNOWN not in roles(text)


@pytest.mark.parametrize(
    "text",
    [
        "zu unserer Rechnung 4711 vom 03.05.2022",
        "Zahlungserinnerung\nRechnung 4711 vom 03.05.2022",
        "EINGEGANGEN 03. Mai 2022",
        "aus Bon 0038-4302 v. 03.05.22",
        "Original Invoice 880447 dated 3 May 2022",
        "Less paid on account 3 May 2022      £ 300.00",
        "Received in good order   Date   3 May 2022",
        "Engineer on site 3 May 2022, 10.20 to 11.35",
        "Zahlungserinnerung\nBeleg    Belegdatum     Betrag\n4711     03.05.2022     119,00",
        "Date of next meeting: Tuesday 3rd May 2022",
        "Received 3 May 2022",
        "Original date   3 May 2022",
        "effective as of 3 May 2022",
        "Observed    Tuesday 3 May 2022",
        "Expected between 1 May 2022 and 3 May 2022",
        "03.05.2022   Kartenzahlung Bäckerei      12,50",
        "3MAY2022   NL 118   Toronto 08:15",
        "Hecke schneiden, 03.05.2022 fällig",
        "MINUTES\n1.  Minutes of the AGM of 3 May 2022",
        "The tenancy starts on May 3, 2022 and ends a year later",
        "Motif      Déménagement le 03/05/2022",
        "RYKKERSKRIVELSE 1\nRegning nr.    Dato         Beløb\n2022-4         03.05.2022   186,25",
    ],
)
def test_a_date_may_belong_to_something_that_the_document_only_names(text: str) -> None:
    assert set(roles(text)) == {DateRole.OTHER}


@pytest.mark.parametrize("label", ["Rechnungs-Datum", "Rechnungs - Datum", "Beleg-Datum"])
def test_a_hyphen_within_a_label_changes_nothing(label: str) -> None:
    assert roles(f"{label}: 03.05.2022") == [DateRole.ISSUED]


@pytest.mark.parametrize("label", ["Bestell-Datum", "Lieferschein-Datum", "Liefer- Datum"])
def test_only_a_whole_compound_is_a_label(label: str) -> None:
    assert DateRole.ISSUED not in roles(f"{label}: 03.05.2022")


@pytest.mark.parametrize(
    "text",
    [
        "Fällig am 03.05.2022",
        "Fälligkeitsdatum: 03.05.2022",
        "zahlbar bis zum 03.05.2022",
        "bis spätestens 3. Mai 2022",
        "Der Betrag wird am 03.05.2022 von Ihrem Konto abgebucht.",
        "Due date: May 3, 2022",
        "Please pay by 3 May 2022",
        "It was due on May 3, 2022",
        "Date d'échéance : 3 mai 2022",
        "à payer avant le 3 mai 2022",
        "Vervaldatum: 3 mei 2022",
        "uiterlijk 3 mei 2022",
        "Lieferdatum: 03.05.2022",
        "Leistungsdatum 03.05.2022",
        "Datum der Lieferung: 03.05.2022",
        "Leistungszeitraum: 03.05.2022 bis 31.05.2022",
        "Stromlieferung vom 03.05.2022 bis 31.05.2022",
        "im Zeitraum 01.04.2022 - 03.05.2022",
        "01.04.2022 bis 03.05.2022",
        "Delivery date: 3 May 2022",
        "Date of treatment: 3 May 2022",
        "Period: 3 May 2022 to 31 May 2022",
        "Date de livraison : 3 mai 2022",
        "du 3 mai 2022 au 31 mai 2022",
        "Leverdatum: 3 mei 2022",
        "3 mei 2022 t/m 31 mei 2022",
        "Versicherungsbeginn      03.05.2022, 0:00 Uhr",
        "gültig bis 03.05.2022",
        "Valid until 3 May 2022",
        "Arrival: 03.05.2022",
        "fährt die Klasse bis zum\n03.05.2022 in das Heim",
        "Anreise    Abreise\n01.04.2022 03.05.2022",
        "Fällig\n03.05.2022",
    ],
)
def test_a_date_may_be_that_of_something_else(text: str) -> None:
    assert roles(text) == [DateRole.OTHER]


@pytest.mark.parametrize(
    "text",
    [
        "geb. 03.05.2022",
        "geboren am 03.05.2022",
        "Geburtsdatum: 03.05.2022",
        "Date of birth: 3 May 2022",
        "Erika Mustermann, born 3 May 2022",
        "née le 3 mai 2022",
        "Date de naissance : 03/05/2022",
        "Geboortedatum: 3 mei 2022",
        "Geburtsdatum\n03.05.2022",
        "Fecha nac.: 03/05/2022",
    ],
)
def test_a_date_may_be_a_birthday(text: str) -> None:
    assert set(roles(text)) == {DateRole.BIRTH}


@pytest.mark.parametrize(
    "text",
    [
        "Unser Gespräch am 03.05.2022 in Hamburg",
        "vielen Dank für Ihren Brief vom 03.05.2022.",
        "Updated 3 May 2022",
        "Leihgebühr 03.05.2022",
        "am Montag, dem 03.05.2022, um acht",
        "Spenden vom 03.05.2022",
        "the report dated 3 May 2022 is attached",
        "Dienstag, 03.05.2022",
        "Kundennummer Betrag\n4711 03.05.2022 12,00",
        "Betrag\n\n                              03.05.2022   12,00",
        "Our Ref: QT/12      Your Ref:            3rd May, 2022",
        "Das Protokoll vom 3. Mai 2022 wird genehmigt.",
        "4711 Schrauben, 03.05.2022      blank",
        "TSE-Start 2022-05-03T11:49:08",
        "Mehrwertnummer 0900 55 01 77, 03.05.2022",
        "Landlord:   X Ltd.   per: Jo Marsh   May 3, 2022\nTenant:   A   B   May 3, 2022",
    ],
)
def test_most_dates_are_just_dates(text: str) -> None:
    assert roles(text)[0] in {DateRole.UNKNOWN, DateRole.MENTIONED}


@pytest.mark.parametrize("text", ["03.05.2022", "Stadt\n\n     3. Mai 2022\n\nSehr geehrte"])
def test_a_date_may_stand_alone_as_in_a_letterhead(text: str) -> None:
    assert roles(text) == [DateRole.ALONE]


def test_one_date_may_be_several_things() -> None:
    text = "Rechnungsdatum: 03.05.2022\nZeitraum 01.04.2022 bis 03.05.2022\nam 03.05.2022 geprüft"

    assert roles(text) == [DateRole.ISSUED, DateRole.OTHER, DateRole.UNKNOWN]


def test_a_text_without_dates_has_none() -> None:
    assert list(find_labelled_dates("Rechnungsdatum: siehe oben")) == []


@pytest.mark.parametrize(
    "text",
    [
        "Votre facture d'électricité\nn° 20 260 117\ndu 3 mai 2022",
        "PROCÈS-VERBAL DE L'ASSEMBLÉE GÉNÉRALE\ndu mardi 3 mai 2022",
    ],
)
def test_a_title_above_names_the_date(text: str) -> None:
    assert roles(text) == [DateRole.NAMED]


def test_a_title_above_names_the_date_of_a_delivery() -> None:
    text = "Gare du Nord   BON DE LIVRAISON\nZone Sud       n° BL-25\nBois           du 03/05/2022"

    assert roles(text) == [DateRole.NAMED]


def test_a_date_before_an_amount_is_that_of_an_entry() -> None:
    assert roles("Estimate given on 03.05.22: £480 - £560") == [DateRole.MENTIONED]


def test_an_e_mail_without_the_date_of_an_invoice_is_dated_itself() -> None:
    text = "From: shop@example.com\nSubject: Your bill\nDate:   Tue, 3 May 2022"

    assert roles(text) == [DateRole.ISSUED]


def test_a_date_in_a_list_below_a_heading_belongs_to_an_entry() -> None:
    heads, first = "Zähler    Datum         Stand", "4711      03.05.2022    41.206"
    last = "4711      31.12.2022    45.100"
    assert roles(f"{heads}\n{first}\n{last}") == [DateRole.OTHER]


def test_a_reading_against_the_order_of_the_text_has_no_role() -> None:
    assert roles("Factuurdatum 05-03-2022\nVervaldatum 26-03-2022") == []
