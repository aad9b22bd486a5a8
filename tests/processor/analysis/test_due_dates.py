"""Days on which something is to be paid."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.due_dates import find_due_dates

DAY = date(2022, 5, 23)


def due_days(text: str) -> set[date]:
    return {day for day, _ in find_due_dates(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Fällig am 23.05.2022",
        "Zahlbar bis 23.05.2022 ohne Abzug",
        "Bitte überweisen Sie den Betrag bis zum 23.05.2022 auf unser Konto.",
        "Der Betrag wird nicht vor dem 23.05.2022 von Ihrem Konto abgebucht.",
        "Wir erbitten den Ausgleich bis 23.05.2022.",
        "Payment due by 23 May 2022",
        "Please pay by 23 May 2022. Returns accepted until 1 June 2022.",
        "Due date      23 May 2022",
        "À payer avant le 23/05/2022",
        "Le règlement doit nous parvenir au plus tard le 23 mai 2022.",
        "Vervaldatum: 23 mei 2022",
        "Wij schrijven het bedrag af op 23-05-2022.",
        "Nummer      Uiterlijk betalen\n4711        23-05-2022",
        "Zah1bar bis 23.05.2022",
        "Zahlen Sie 119,00 bis 23.05.2022",
        "You can pay by card or by transfer until 23 May 2022.",
        "Anzahlung 100,00 EUR bis 23.05.2022, Rest bei Lieferung.",
        "Please pay by 23 May 2022 and return the slip by 1 June 2022.",
        "Instalments: 23 May 2022 138.38, then nine of 138.12",
        "Droits annuels   186,00 €   en trois fois : 23/05/2022, 15/01/2023",
        "Bitte sorgen Sie dafür, dass Ihr Konto am 23.05.2022 gedeckt ist.",
        "The rent is payable each month in advance, the first payment on\n23 May 2022.",
        "Der Betrag von 119,00 EUR wird ohne weitere Nachricht am\n23.05.2022 abgebucht.",
        "Thirty days from today, that is 23 May 2022, to our own bank,\nsort code 40-17-88.",
        "Einzahlung bis spätestens      23.05.2022",
        "Charge date      23 May 22",
        "TOTALE DA PAGARE      EURO 42,02\nENTRO IL 23/05/2022",
        "Vous devez payer au plus tard le\n23/05/2022",
        "U moet dit bedrag betaald hebben uiterlijk 23 mei 2022.",
        "Please make sure that we receive this by 23 May 2022.",
        "Wir erwarten den Eingang der Forderung spätestens am 23. Mai 2022 auf dem Konto.",
        "Please pay      £ 30.06\nby      23 May 2022",
        "Please transfer the remaining payment by Monday, 23rd May 2022.",
        "Unless the total is received in our account by 4 pm on 23rd May 2022, we will sue.",
        "You must, not later than 23 May 2022, EITHER pay the charge OR object.",
        "contribution of £14.50, to be paid through the app by Monday 23rd May 2022.",
        "Date limite de paiement :      23/05/2022",
        "Montant prélevé le 23/05/2022",
        "Wij verzoeken u het bedrag uiterlijk 23 mei 2022 over te maken.",
        "Wie ineens betaalt, doet dat graag uiterlijk op 23 mei 2022.",
        "Vi ber er betala senast den 23 maj 2022 till bankgiro.",
        "Da pagare entro il 23/05/2022",
        "We will collect £45.20 on or around 23 May 2022",
        "Wij incasseren het bedrag rond 23 mei 2022",
        "Rechnungsnummer\nFälligkeit\nRE 4711\n23.05.2022",
        "Gutschriften\nDer Betrag wird am 23.05.2022 von Ihrem Konto AT44 **** 2260 eingezogen.",
        "Please arrange for £1,146.00 to reach our account by 23 May 2022.",
        "Bitte bis 23. Mai 2O22 auf das Vereinskonto einzahlen.",
        "BTW NL854 411 207 B01        Vervaldatum     : 23-05-2022",
        "Gutschrift Bonus   -5,00\nDen Betrag buchen wir am 23.05.2022 von Ihrem Konto ab.",
        "bis 23.05.2022 ohne Abzug",
        "Bitte den Gesamtbetrag bis spätestens 23.05.2022 auf unser Konto",
        "Débito direto a partir de 23-05-2022",
        "Auto-charge on   05/23/2022",
        "Beloppet ska vara bokfört på ditt skattekonto senast 2022-05-23.",
        "FACTUUR\nFactuurnummer\nTe betalen voor\n250600448\n23/05/2022",
    ],
)
def test_a_day_is_due(text: str) -> None:
    assert DAY in due_days(text)


@pytest.mark.parametrize(
    "text",
    [
        "Rechnungsdatum: 23.05.2022",
        "Entgeltabrechnung\nÜberweisung zum 23.05.2022 auf Ihr Konto",
        "Ihr neuer monatlicher Abschlag ist erstmals fällig am 23.05.2022.",
        "Your policy is due for renewal on 23 May 2022.",
        "Votre assurance arrive à échéance le 23 mai 2022.",
        "Am 23.05.2022 endet Ihr Jahresabonnement der Zeitschrift.",
        "Lieferung am 23.05.2022",
        "Bezahlt am 23.05.2022 per Karte",
        "Zahlungseingänge bis 23.05.2022 sind berücksichtigt",
        "Umtausch bis 23.05.2022",
        "Please pay at once. Returns accepted until 23 May 2022.",
        "Zahlbar bis 23.05.2022 mit 2 % Skonto",
        "Zahlbar bis 23.05.2022 mit 2,00 % Skonto = 116,12 EUR",
        "Die Zahlung wird per 23. Mai 2022 auf CHF 260.00 angepasst.",
        "Si vous payez en ligne, vous avez un délai jusqu'au 23/05/2022",
        "(20/05/2022 minuit en cas de paiement en ligne : prélèvement le 23/05/2022)",
        "Beginn   23.05.2022",
        "Please pay by 1 June 2022 and return the slip by 23 May 2022.",
        "Please pay the whole rent in advance. The lease begins on\n23 May 2022.",
        "Please pay the first rent in advance.\n23 May 2022",
        "Thirty days from today, that is 23 May 2022, you may object.",
        "Raten: 01.02.2022, 23.05.2022",
        "Das Guthaben überweisen wir bis zum 23.05.2022 auf Ihr Konto.",
        "Zahlung für den Zeitraum vom 01.05.2022 bis 23.05.2022",
        "Your next check-up is due on 23 May 2022.",
        "Invoice date: 23 May 2022\nPayment due by 1 June 2022",
        "Zahlung per Karte am 23.05.2022",
        "Ihr Gehalt ist zahlbar zum Monatsende, erstmals am 23.05.2022.",
        "A deposit is due; the certificate will be sent by 23 May 2022.",
    ],
)
def test_another_day_is_not_due(text: str) -> None:
    assert DAY not in due_days(text)


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    assert all(isinstance(day, date) for day in due_days(text))


@pytest.mark.parametrize(
    "text",
    [
        "Next check due by:  23/05/2022",
        "Booster due: 23/05/2022",
        "Fällig       Eingang      Betrag\n23.05.2022   24.05.2022   110,00",
        "To change your payment method for 2022, go online before 23 May 2022.",
        "Payment: Visa ending 2210, taken in full on 23 May 2022.",
        "Nieuw saldo op 23-05-2022      7.736,32",
        "Geschäftszahl TB/4711        Talberg, am 23.05.2022",
        "Der Betrag für 01.01.2022 - 23.05.2022 wird eingezogen.",
    ],
)
def test_a_day_of_something_else_is_not_due(text: str) -> None:
    assert DAY not in due_days(text)
