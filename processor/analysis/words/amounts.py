"""Words for amounts."""

from processor.analysis.words import Words

PAYABLE: Words = {
    "de": (
        r"zu (?:be)?zahlen|zu zahlende\w*|zahl(?:ungs)?betrag|zahllast|\bauszahl\w*"
        r"|\bauszuzahlen|nachzahlung\w*|nachforderung\w*"
        r"|rest(?:betrag|forderung|zahlung|schuld|summe)\b|offene[rsn]? (?:betrag|posten|saldo"
        r"|forderung|restbetrag)|offen(?: sind)?\b|gesamtforderung|uberweisen sie|zahlen sie"
        r"|bitte (?:zahlen|uberweisen)|zu (?:entrichten|uberweisen|begleichen|erstatten)"
        r"|(?:uberweisungs|abbuchungs|lastschrift|einzugs|forderungs)betrag|fallige[rn]? betrag"
        r"|(?<!erwerbsunfahigkeits)entschadigung\b|erstattungsbetrag|leistungsbetrag"
    ),
    "en": (
        r"amount (?:now |still )?(?:due|payable|outstanding|owing|owed|to pay)"
        r"|(?:total|balance|sum|net)(?: amount)? (?:now |still )?(?:due|payable|outstanding|owing"
        r"|to (?:pay|settle))|\bto pay\b|(?:please|you) (?:pay|remit|owe|transfer)\b|pay this"
        r"|\bnow due\b|\bdue now\b|net pay\b|take[- ]home(?: pay)?|payable (?:now|to you)"
        r"|remaining (?:payment|balance|amount|sum)|amount (?:charged|enclosed|refunded)"
        r"|settlement\b|final (?:payment|balance)|payment due|amount of payment"
    ),
    "fr": (
        r"(?:net |reste |solde |montant |somme |total )?a (?:payer|regler|verser)\b(?! avant imp)"
        r"|(?:reste|solde|montant|somme|total) (?:\w+ )?(?:due?\b|exigible)|reste a charge"
        r"|net (?:paye|verse)\b|montant (?:preleve|a prelever|de votre impot)|nous vous versons"
    ),
    "nl": (
        r"te (?:betalen|voldoen|ontvangen|incasseren)\b|openstaan\w*|\brestant\b|resterend\w*"
        r"|restbedrag|verschuldigd\w*|u (?:betaalt|ontvangt|krijgt(?: terug)?)\b"
        r"|uit te betalen|(?<!voor)uitbetaling\b|netto (?:loon|salaris)\b"
    ),
    "it": r"da (?:pagare|versare)\b|a pagare|importo dovuto|saldo dovuto|netto in busta",
    "es": r"a pagar|a percibir|importe (?:debido|pendiente)|saldo pendiente",
    "sv": r"\batt betala|\baterstar|\batt fa\b|utbetal(?:as|t|ning)\b|nettolon",
    "da": r"(?:at|til|a) betal(?:e|ing)\b|til (?:ud|ut)betaling|resterende",
}
"""The balance due, or the amount paid out, after all earlier payments."""

TOTAL: Words = {
    "de": (
        r"gesamt(?!brutto|-brutto|kosten|fla)|insgesamt|rechnungs(?:betrag|summe)"
        r"|end(?:betrag|summe|preis)|jahresbetrag|brutto(?:betrag|summe)|summe"
    ),
    "en": r"\btotal\b|\bin full\b|amount received|\bsum\b|grand total|invoice (?:amount|value)",
    "fr": r"\btotal(?:e|ite)?\b|\bttc\b|\bsomme de\b|\bensemble\b",
    "nl": r"totaal|\bsamen\b|eindbedrag|factuurbedrag",
    "it": r"\btotale\b|importo complessivo",
    "es": r"importe total",
    "sv": r"\bsumma\b|\btotalt\b|totalbelopp",
    "da": r"\bi alt\b|\bsamlet\b|totalbel[oø]b|\bsum\b",
    "any": r"totalbetrag|\bincl\b|\binkl\b",
}

REFUND: Words = {
    "de": r"guthaben|erstattung|ruckzahlung|zu ihren gunsten",
    "en": r"refund|in your favou?r|credit balance",
    "fr": r"trop[- ]percu|rembours\w*|en votre faveur",
    "nl": r"tegoed|terug(?:gave|betaling)",
    "it": r"rimborso",
    "es": r"reembolso|a su favor",
    "sv": r"aterbetal\w*",
    "da": r"tilbagebetal\w*|til gode",
}
"""A refund: the total of a document that has no other total."""

AMOUNT: Words = {
    "de": (
        r"betrag|beitrag|brutto|preis|gebuhr|honorar|kosten|forderung|eigenanteil|miete|strafe"
        r"|busse\b|verwarnungsgeld|berechne|in rechnung|betragt|belauft"
    ),
    "en": (
        r"amount|gross\b|premium|\bfee\b|\bcost|price|penalty|\bfine\b|charge|\brent\b"
        r"|contribution|amounts? to|\bnet\b(?! (?:pay|amount|price))"
    ),
    "fr": (
        r"montant|\bprime\b|\bprix|droits|cotisation|honoraires|loyer|amende|redevance|s'eleve"
        r"|facturons"
    ),
    "nl": r"bedrag|premie|leges|\bprijs|huur|\bboete|contributie|bedraagt",
    "it": r"\bimporto|prezzo|canone|\bquota\b",
    "es": r"\bimporte|precio|cuota",
    "sv": r"belopp|avgift|\bpris\b",
    "da": r"bel[oø]b|afgift|kontingent|\bgebyr",
}
"""Any amount: the total if no other is labelled as the total."""

NET: Words = {
    "de": r"netto|zwischensumme|\bexkl|\bohne\b|rein netto",
    "en": (
        r"(?<!\w)net (?:amount|price|total|value|goods)|sub-? ?total|\bexcl|\bexclu"
        r"|\bbefore (?:tax|vat|discount)|merchandise|\bgoods\b"
    ),
    "fr": r"sous-? ?total|\bht\b|\bh\.t|hors tax|net imposable|avant imp",
    "nl": r"subtotaal|\bexcl|ex\.? btw",
    "it": r"imponibile|subtotale",
    "es": r"base imponible|subtotal",
    "sv": r"delsumma|exkl|\bnetto",
    "da": r"subtotal|ekskl|\bnetto",
}

TAX: Words = {
    "de": r"mwst|\bust\b|umsatzst|mehrwertst|steuer",
    "en": r"\bvat\b|\btax\b|\bgst\b|\bpst\b|\bhst\b",
    "fr": r"\btva\b|\btaxes?\b",
    "nl": r"\bbtw\b|belasting",
    "it": r"\biva\b",
    "es": r"\biva\b",
    "sv": r"\bmoms",
    "da": r"\bmoms|\bmva\b",
}

DEDUCTED: Words = {
    "de": (
        r"abzug\b|abzuglich|abzgl|skonto|rabatt|nachlass|anzahlung|bereits|bezahlt|gezahlt"
        r"|\bbez\b|geleistete|vorschuss|vorauszahl|abschlag|gutschein|rundung|selbstbe"
    ),
    "en": (
        r"\bless\b|minus|discount|deposit|\bpaid\b|payments?\b|voucher|coupon|rounding|\bexcess\b"
        r"|subsidy|(?<!total )\bcredits?\b(?! (?:total|note|memo))"
    ),
    "fr": r"\bmoins\b|remise|acompte|\bpaye\b|\bregle\b|\bverse\b|ristourne|arrondi|\bavoir\b",
    "nl": r"\baf\b:?|korting|aanbetaa?l|betaald|voldaan|minus|afronding|tegoed",
    "it": r"sconto|acconto|pagato",
    "es": r"descuento|anticipo|pagado",
    "sv": r"\bavdrag|rabatt|betalt|oresavrundning",
    "da": r"\bfradrag|rabat\b|betalt",
    "any": r"\./\.",
}
"""Deducted from a total: negative, with or without a minus sign."""

PART: Words = {
    "de": (
        r"versand|\bporto\b|ruckgeld|wechselgeld|gegeben|\bgeg\b|\bbar\b|vorjahr|bisherig"
        r"|ubertrag|alter saldo|einzelpreis|stuckpreis|raten\b|deckung|versicherungssumme|kaution"
        r"|mahn|zinsen|\bspar|bonus|grenze|\bwert\b|gegenwert|lohnkosten|anwartschaft"
        r"|(?<!aus)(?<!nach)(?<!rest)zahlung\b"
    ),
    "en": (
        r"shipping|postage|freight|carriage|\bchange\b|\bcash\b|previous|brought|\bunit\b"
        r"|\brate\b|instal|limit|\bcover\b|insured|\breminder fee|interest|late fee|\bvalue\b"
        r"|worth|\bcapital\b|\bper\b"
    ),
    "fr": r"livraison|\brendu\b|solde precedent|franchise|capital\b|valeur|interets",
    "nl": r"verzend|vorige|eigen risico|\bborg\b|waarde|wisselgeld|\bterug\b",
    "it": r"spedizione|\bresto\b|\bvalore",
    "es": r"\benvio|\bcambio\b|\bvalor\b",
    "sv": r"\bfrakt|\bvaxel\b|\bvarde\b",
    "da": r"\bfragt|byttepenge|v[aæ]rdi\b",
}
"""Neither the total nor the net amount: postage, change, a sum insured."""

EACH: Words = {
    "de": (
        r"monatlich|monats(?:beitrag|miete|rate|preis)|vierteljahrlich|\bpro\b|\bje\b|\brate\b"
        r"|nach (?:dem|ablauf|falligkeit)|erstmals|kunftig"
    ),
    "en": (
        r"monthly|quarterly|\beach\b|\bper (?:\w+ )?(?:month|year|annum|week|day|night|hour|person"
        r"|child|unit|item)|instal|after (?:the |\d)|if paid after|\blate\b|next bill"
    ),
    "fr": r"par mois|mensuel|trimestriel|par (?:an|personne|unite)\b|apres le",
    "nl": r"per maand|per jaar|maandelijks|termijn\b|na \d",
    "it": r"al mese|mensile|rata\b",
    "es": r"al mes|mensual",
    "sv": r"per manad|manads",
    "da": r"pr\.? maned|manedlig",
}
"""Recurring or later payments: never the total, whatever else the label says."""

TIMES: Words = {
    "de": r"monatlich|mtl|vierteljahrlich|(?:im|pro|je|eines) (?:monat|quartal|woche|stunde|tag)",
    "en": (
        r"(?:a|per|each|every) (?:calendar )?(?:month|quarter|week|hour|day|night)|monthly|weekly"
    ),
    "fr": r"par (?:mois|trimestre|semaine|heure|jour)|/ ?mois|mensuel",
    "nl": r"per (?:maand|kwartaal|week|uur|dag)|maandelijks",
    "it": r"al (?:mese|giorno)|mensil",
    "es": r"al mes|mensual|por (?:mes|hora)",
    "sv": r"per (?:manad|vecka|timme)",
    "da": r"pr\.? (?:maned|uge|time)",
}
"""What follows the amount of a recurring payment."""
