"""Words for payments and the day by which they are due."""

from processor.analysis.words import Words

DUE: Words = {
    "de": (
        r"fallig(?:keit(?:en|sdatum|stag)?)?|zahlbar|(?:ein)?zahlungs(?:ziel|frist|termin)"
        r"|(?:ein)?zahl(?:en|ung|bar) bis|einzug(?: am)?|abbuchung(?: am)?|valuta"
        r"|wertstellung(?: bei uns)?|\braten"
    ),
    "en": (
        r"(?:payment )?due(?: date| by| on)?|pay(?:able)?(?: by| until| before)?"
        r"|payment (?:by|date|deadline)|pay by|(?:last|latest) (?:day|date) (?:for|of) payment"
        r"|instal+ments?"
    ),
    "fr": (
        r"(?:date d')?(?<!arrive a )echeance|date limite de (?:paiement|reglement)"
        r"|a (?:payer|regler)|(?:date de |jour du )?prelevement|exigible|payable au|mensualites"
        r"|\w+ fois"
    ),
    "nl": (
        r"verval(?:datum|dag)|(?:uiterste )?betaaldatum|(?:uiterlijk|uiterste) betal\w*|te betalen"
        r"|betalen voor|incasso(?:datum)?|termijnen"
    ),
    "it": r"scadenza|data di scadenza|da pagare",
    "es": r"vencimiento|fecha limite(?: de pago)?",
    "sv": r"forfallo(?:dag|datum)|(?:sista )?betalningsdag|betalas",
    "da": r"forfald(?:sdato|sdag)?|(?:sidste rettidige )?betaling(?:sdag)?|betales",
}
"""Labels before the day in a form, or above it in a column."""

PAY: Words = {
    "de": (
        r"zahl|uberweis|begleich|ausgleich|entricht|fallig|einzug|einzieh|eingezogen|\bziehen\b"
        r"|buch(?:en|t)\b|lastschrift|anzahlung|(?:eingang|erhalt) (?:der|des|von)"
        # The account must have sufficient funds.
        r"|\bgedeckt\b"
    ),
    "en": (
        r"\bpay|payment|remit|settle|\bdue\b|balance|debit|deposit|collect|transfer|\bto be paid"
        r"|(?:is|are|be) received in|must reach|reaches us|sufficient funds"
    ),
    "fr": r"reglement|regler|payer|paiement|virement|prelev|verse[rz]|approvisionn",
    "nl": r"betaa?l|voldo|schrijven|geschreven|overmak|over te maken|incass|toereikend",
    "it": r"\bpag(?:a|h)|versar|versamento|bonifico|addebit",
    "es": r"\bpag(?:a|o|u)|\babon(?:ar|e)\b|transferencia|domicili",
    "sv": r"betal|\bdras\b",
    "da": r"betal|tr[aæ]kkes",
}
"""Words for paying."""

BY: Words = {
    "de": r"bis|spatestens|zum|am|vor dem",
    "en": r"by|before|on|than|until|on or before|(?:or )?around",
    "fr": r"avant|pour|tard|le",
    "nl": r"uiterlijk|voor|op|rond",
    "it": r"entro|il",
    "es": r"antes del|hasta|el",
    "sv": r"senast|fore",
    "da": r"senest|inden|før",
}
"""Words just before the last day."""

DEBITED: Words = {
    "de": r"abgebucht|eingezogen|fallig",
    "en": r"debited|collected|due",
    "fr": r"prelevee?s?",
    "nl": r"afgeschreven|geincasseerd",
    "it": r"addebitat[oa]",
    "es": r"cargad[oa]|adeudad[oa]",
    "sv": r"dras",
    "da": r"tr[aæ]kkes",
}
"""Words just after the day on which the sender collects the money."""

NOT_DUE: Words = {
    "de": (
        r"bezahlt|gezahlt|erhalten|berucksichtigt|eingegangen|feststell|verbuch|ruckgabe|umtausch"
        r"|kundig|gultig|leistung\b|geliefert|lieferung|war am|ruckwirkend|verrechn|zuletzt"
        r"|guthaben|erstatt|(?:zahlen|uberweisen) wir|wir (?:zahlen|uberweisen)|gehalt|\blohn"
        r"|per karte(?: am)?\s+$|befreit|gesperrt|verfall|erlischt|gebor|widerspr|einspruch"
        r"|monate?[sn]? bis\b"
    ),
    "en": (
        r"(?<!to be )(?<!not been )(?<!must be )\bpaid\b"
        r"|(?<!is )(?<!are )(?<!be )(?<!not )received|\breturn(?!s? us)|valid\b"
        r"|delivered|refund|salar|wages|by card(?: on)?\s+$|exempt|suspend|cancel|expire|\bborn\b"
        r"|we (?:will )?pay\b|months? (?:until|till)\b|available until"
    ),
    "fr": (
        r"\bversee?\b|\bpayee?\b|\brecue?\b|rembours|resili|par carte(?: le)?\s+$|exoner|salaire"
        r"|mois jusqu\S*|adhesion|valable"
    ),
    "nl": (
        r"betaald|ontvangen|terugbet|opzeg|met pin(?: op)?\s+$|salaris|geldig|maanden tot\b"
        r"|overgemaakt"
    ),
    "it": r"pagato|ricevuto|rimbors|stipendio",
    "es": r"pagado|recibido|reembols|nomina",
    "sv": r"betalat|mottagit|aterbetal|\blon\b",
    "da": r"betalt|modtaget|tilbagebetal|\bl[oø]n\b",
}
"""Paid already, or by the sender; or something else ends or begins then."""

NOT_MONEY: Words = {
    "de": (
        r"untersuchung|impf|wartung|nachreich|vorlegen|einreich|neue[rn]? (?:\w+ )?abschlag"
        r"|kunftig"
    ),
    "en": r"check-? ?up|appointment|inspection|vaccin|renewal",
    "fr": r"\bcontrole|visite",
    "nl": r"keuring|\bcontrole|overgemaakt",
}
"""Due, but not a payment of this document."""

PAYSLIP: Words = {
    "de": r"(?:lohn|gehalts|entgelt|verdienst|bezuge)-?abrechnung|entgeltnachweis",
    "en": r"pay ?slip|pay ?stub|wage slip",
    "fr": r"bulletin de (?:paie|salaire)|fiche de paie",
    "nl": r"salaris(?:specificatie|strook)|loon(?:strook|specificatie)",
    "it": r"busta paga|cedolino",
    "es": r"recibo de salarios|\bnomina\b",
    "sv": r"lonespecifikation|lonebesked",
    "da": r"l[oø]nseddel",
}
"""A document that announces a payment to its recipient: nothing in it is due."""

DISCOUNT: Words = {
    "de": r"skonto",
    "en": r"discount",
    "fr": r"escompte",
    "nl": r"korting",
}
