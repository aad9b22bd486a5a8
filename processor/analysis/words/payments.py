"""Words for payments and the day by which they are due."""

from processor.analysis.words import Words

DUE: Words = {
    "de": (
        r"fallig(?:keit(?:en|sdatum|stag|stermin)?)?|verfall(?:s?(?:tag|datum|termin))?"
        r"|zahlbar(?: (?:rein )?netto)?|\w*zahlungs?(?:ziel|frist|termin|datum|eingang)"
        r"|(?:ein)?zahl(?:en|ung|bar) bis|einzug(?:sdatum|stermin| am)?|abbuchung(?:s\w+| am)?"
        r"|(?:ein|zu|be)?zahl(?:en|ung|bar) bis|lastschrift(?:datum|termin| am)?|valuta"
        r"|wertstellung(?: bei uns)?|\braten|letzter (?:zahltag|zahlungstag)|zu bezahlen bis"
        r"|zahl(?:termin|tag)|nachste abbuchung"
    ),
    "en": (
        r"(?:payment |amount |bill |balance )?due(?: date| by| on)?|date due"
        r"|pay(?:able)?(?: by| on| until| before| no later than| on or before)?"
        r"|payment (?:by|date|deadline|required(?: by)?|is due)|pay by|settle by"
        r"|(?:last|latest|final) (?:day|date) (?:for|of) payment|instal+ments?"
        r"|(?:direct )?debit date|collection date|to be paid by|deadline for (?:payment|paying)"
        r"|next (?:direct debit|collection|debit)(?: date)?|settlement date|remit by"
        r"|(?:charge|auto-?pay|withdrawal) date|auto-?(?:charge|pay|debit)(?: on)?"
        r"|(?:will be|to be) (?:charged|withdrawn|debited)(?: on)?"
    ),
    "fr": (
        r"(?:date d')?(?<!arrive a )echeance|date limite(?: de (?:paiement|reglement|versement))?"
        r"|a (?:payer|regler|verser|acquitter)|exigible"
        r"|(?:date de |jour du )?(?<!prochain )prelevement(?: prevu)?|payable"
        r"|(?:paiement|reglement) (?:attendu|exigible|du)|mensualites|\w+ fois"
        r"|(?:paiement|reglement)|(?:date d')?exigibilite"
        r"|date (?:de )?valeur du debit|date (?:de |du )debit"
    ),
    "nl": (
        r"verval(?:datum|dag)|(?:uiterste )?betaal(?:datum|termijn)|uiterste \w*datum"
        r"|(?:uiterlijk|uiterste) betal\w*|te (?:betalen|voldoen)|(?:betalen|voldoen) voor"
        r"|incasso(?:datum)?|termijnen|betaling(?: voor)?|te storten|(?:uiterste )?betaaldag"
        r"|afschrijving|automatische incasso"
    ),
    "it": (
        r"scadenza(?: pagamento)?|data (?:di )?scadenza|da pagare|scade|termine (?:di )?pagamento"
        r"|pagamento|(?:data (?:di )?)?addebito|pagabile"
    ),
    "es": (
        r"vencimiento|fecha limite(?: de pago)?|fecha de (?:pago|cargo|cobro)|vence"
        r"|pagar antes del?|ultimo dia (?:de|para) (?:el )?pag(?:o|ar)"
    ),
    "pt": (
        r"vencimento|data limite(?: de pagamento)?|pagar ate|data de pagamento"
        r"|limite de pagamento|data (?:de |do )?debito|\bdebito(?: direc?to)?(?: a partir de)?"
        r"|\bvence|pague ate"
    ),
    "sv": (
        r"forfallo(?:dag|datum)|(?:sista )?betalningsda\w+|betalas|forfaller|oss tillhanda"
        r"|autogiro(?:datum|dag)?|betala(?= senast)"
    ),
    "da": (
        r"forfalds?(?:s?dato|s?dag)?|forfalder|forfall(?:s?dato|er)?|betalingsfrist"
        r"|(?:sidste rettidige )?(?:in[dn])?betaling(?:s(?:dag|dato))?|(?:in[dn])?betales?"
        r"|frist for betaling|avtalegiro|betalingsservice"
    ),
    "pl": r"termin (?:p[lł]atnosci|zap[lł]aty)|p[lł]atne do|do zap[lł]aty do|zap[lł]acic do",
}
"""Labels before the day in a form, or above it in a column."""

PAY: Words = {
    "de": (
        r"(?<!schafts)(?<!leit)(?<!kenn)(?<!stuck)zahl|uberweis|uberwies|begleich|ausgleich|entricht|fallig|einzug|einzieh|einziehen"
        r"|eingezogen|\bziehen\b|buch(?:en|t)\b|lastschrift|anzahlung"
        r"|(?:eingang|erhalt) (?:der|des|von)"
        r"|belasten|zukommen|gutgeschrieben|nachschuss|\bbetrag"
        # The account must have sufficient funds.
        r"|\bgedeckt\b|ohne (?:jeden )?abzug|auf (?:das|unser|dieses|folgendes) (?:\w+ )?konto"
    ),
    "en": (
        r"\bpay|payment|remit|settle|\bdue\b|balance|debit|deposit|collect|transfer|\bto be paid"
        r"|(?:is|are|be) received (?:in|by)|must reach|reach(?:es)? (?:us|our)|sufficient funds"
        r"|\bcheque"
        r"|\bcheck\b"
        r"|\bfunds\b|from your (?:bank|account)|your card|\bwe have it\b|\bcharged\b"
        r"|amount (?:will|must|should)"
        r"|we (?:must )?receive (?:this|it|the (?:amount|money|full))\b"
    ),
    "fr": (
        r"reglement|regler|payer|paiement|virement|prelev|verse[rz]|approvisionn|acquitter|debit"
        r"|\bcheque|\bsommes?\b"
    ),
    "nl": (
        r"betaa?l|voldo|\bstorten|schrijven|geschreven|overmak|overgemaakt|over te maken|incass"
        r"|toereikend"
        r"|\bbedrag|onze rekening"
    ),
    "it": r"\bpag(?:a|h)|versar|versamento|bonifico|addebit|saldare|\bsaldo",
    "es": (
        r"\bpag(?:a|o|u)|\babon(?:ar|e|o)\b|transferencia|domicili|carg(?:ar|o)|adeud|cobr"
        r"|\babonarse\b|\bingres(?:ar|o)\b"
    ),
    "pt": r"\bpag(?:a|u)|liquid|debit|transferencia|cobran",
    "sv": r"betal|\bdras\b|\bbokfor[td]\b|tillhanda|bankgiro|autogiro",
    "da": r"betal|tr[aæe]kkes|overf[oø]r|belastes|avtalegiro",
    "pl": r"p[lł]atn|zap[lł]a|przelew|obciaz",
}
"""Words for paying."""

BY: Words = {
    "de": r"bis|spatestens|langstens|zum|am|vor dem|fruhestens|per|endet|ablauf des",
    "en": (
        r"by|before|on|than|until|on or before|on or (?:just |shortly )?after|(?:or )?around"
        r"|due|falls on|is"
    ),
    "fr": r"avant|pour|tard|le|jusqu'au|interviendra",
    "nl": r"uiterlijk|voor|op|rond|tot",
    "it": r"entro|il|entro e non oltre|giorno",
    "es": r"antes del|hasta|el|dia",
    "pt": r"ate|antes de|dia|em",
    "sv": r"senast|fore|den",
    "da": r"senest|inden|innen|før|den",
    "pl": r"do|dnia",
}
"""Words just before the last day."""

DAYS: Words = {
    "de": r"tagen?",
    "en": r"days?",
    "fr": r"jours?",
    "nl": r"dagen",
    "it": r"giorni",
    "es": r"dias",
    "sv": r"dagar",
    "da": r"dage|dager",
    "pl": r"dni",
}
"""After the number of days within which to pay."""

DEBITED: Words = {
    "de": r"abgebucht|eingezogen|fallig|belastet|vom konto|von ihrem konto",
    "en": r"debited|collected|due|taken from|from your account",
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
        r"(?:bezahlt|gezahlt)(?! (?:sein|werden))|erhalten|berucksichtigt|eingegangen|feststell"
        r"|verbuch|ruckgabe|umtausch"
        r"|kundig|gultig|leistung\b|geliefert|lieferung|war am|ruckwirkend|verrechn|zuletzt"
        r"|guthaben|erstatt|(?:zahlen|uberweisen) wir|wir (?:zahlen|uberweisen)|gehalt|\blohn"
        r"|per karte(?: am)?\s+$|befreit|gesperrt|verfall|erlischt|gebor|widerspr|einspruch"
        r"|angepasst|monate?[sn]? bis\b|(?:um|zu) andern|saldo (?:alt |neu )?(?:per|am|vom)\s+$"
    ),
    "en": (
        r"(?<!to be )(?<!not been )(?<!must be )\bpaid\b"
        r"|(?<!is )(?<!are )(?<!be )(?<!not )received|\breturn(?!s? us)|valid\b"
        r"|delivered|refund|salar|wages|by card(?: on)?\s+$|exempt|suspend|cancel|expire|\bborn\b"
        r"|we (?:will )?pay\b|months? (?:until|till)\b|available until"
        r"|\bto (?:change|amend|update)\b|(?<!be )taken (?:in full|via)\b|(?:was|were) settled"
        r"|\badjusted"
        r"|balance (?:on|as (?:at|of|on))\s+$"
    ),
    "fr": (
        r"(?<!etre )\b(?:versee?|payee?)\b|(?<!etre )\brecue?\b|rembours|resili"
        r"|par carte(?: le)?\s+$|exoner|salaire"
        r"|mois jusqu\S*|\bajuste|adhe[sr]|valable|pour (?:modifier|changer)"
        r"|solde (?:\w+ )?(?:au|le)\s+$"
    ),
    "nl": (
        r"betaald(?! (?:te )?(?:zijn|worden|hebben))|ontvangen|terugbet|opzeg|met pin(?: op)?\s+$"
        r"|salaris"
        r"|geldig|maanden tot\b|aangepast"
        r"|op uw rekening|(?:om|te) (?:wijzigen|veranderen)|saldo (?:op|per)\s+$"
    ),
    "it": r"(?<!essere )pagat[oa]|ricevuto|rimbors|stipendio|effettuat[oa]",
    "es": r"(?<!ser )pagad[oa]|recibido|reembols|nomina|efectuad[oa]|realizad[oa]"
    r"|ocurrid[oa]|nacid[oa]",
    "pt": r"\bpag[oa] em\b|foi pag[oa]|recebid[oa]|reembols|efetuad[oa]",
    "sv": r"(?<!vara )betal(?:at|d)\b|mottagit|aterbetal|\blon\b",
    "da": (
        r"(?<!bedes )(?<!bes )(?<!v[aæ]re )(?<!blive )(?<!bli )\bbetalt|modtaget|mottatt"
        r"|tilbagebetal|tilbakebetal|\bl[oø]nn?\b"
    ),
}
"""Paid already, or by the sender; or something else ends or begins then."""

NOT_MONEY: Words = {
    "de": (
        r"untersuchung|impf|wartung|inspektion|eichung|nachreich|vorlegen|einreich"
        r"|neue[rn]? (?:\w+ )?abschlag"
        r"|kunftig"
    ),
    "en": (
        r"check-? ?up|appointment|inspection|vaccin|renewal|booster|worming"
        r"|next (?!payment|instal|premium|bill|rent|invoice|debit|direct|collect)\w+(?: \w+)? due"
    ),
    "fr": r"\bcontrole|visite|(?:en cas de paiement|si vous payez) en ligne",
    "nl": r"keuring|\bcontrole|overgemaakt",
}
"""Due, but not a payment of this document."""

CREDIT_NOTE: Words = {
    "de": r"gutschrift(?!en\b)|stornorechnung",
    "en": r"credit (?:note|memo)",
    "fr": r"\bavoir\b|note de credit",
    "nl": r"credit(?:nota|factuur)",
    "it": r"nota di credito",
    "es": r"nota de (?:credito|abono)|factura rectificativa",
    "pt": r"nota de credito",
    "sv": r"kreditnota|kreditfaktura",
    "da": r"kreditnota",
    "pl": r"faktura koryguj",
}
"""The title of a document that gives money back: nothing in it is due."""

PAYSLIP: Words = {
    "de": r"(?:lohn|gehalts|entgelt|verdienst|bezuge)-?abrechnung|entgeltnachweis"
    r"|(?:dividenden|ertrags|ertragnis)-?gutschrift",
    "en": r"pay ?slip|pay ?stub|wage slip|dividend (?:tax )?(?:voucher|confirmation)",
    "fr": r"bulletin de (?:paie|salaire)|fiche de paie",
    "nl": r"salaris(?:specificatie|strook)|loon(?:strook|specificatie)",
    "it": r"busta paga|cedolino",
    "es": r"recibo de salarios|\bnomina\b",
    "sv": r"lonespecifikation|lonebesked",
    "da": r"l[oø]nseddel",
}
"""A document that announces a payment to its recipient: nothing in it is due."""

DISCOUNT: Words = {
    "de": r"\bskonto|sskonto",
    "en": r"discount",
    "fr": r"escompte",
    "nl": r"korting",
}

RECEIVED: Words = {
    "de": r"\beingang|eingegangen|erhalten|bezahlt|gezahlt|gebucht",
    "en": r"\breceived|\bpaid|cleared",
    "fr": r"\brecue?\b|\bpayee?\b|encaisse",
    "nl": r"ontvangen|betaald",
    "it": r"ricevut|pagat[oa]|incassat",
    "es": r"recibid|pagad[oa]|cobrad",
    "pt": r"recebid|pag[oa] em",
    "sv": r"mottage|betal(?:d|t|at)\b",
    "da": r"modtaget|mottatt|betalt",
}
"""Headings above the date on which a payment was received."""
