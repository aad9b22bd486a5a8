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
        r"|zu (?:unseren gunsten|ihren lasten)|saldo zu ?gunsten de[rs]\b"
        r"|(?:jetzt|sofort|nunmehr|somit) fallig\b"
        r"|verbleibende[rn]? (?:betrag|rest|zahlung)|ausmachende[rn]? betrag|noch offen"
        r"|fallige[rn]? (?:gesamtbetrag|summe)|(?:uberweisungs|zahl)summe|zahlbare[rn]? betrag"
    ),
    "en": (
        r"amount (?:now |still )?(?:due|payable|outstanding|owing|owed|to pay)"
        r"|(?:total|balance|sum|net)(?: amount)? (?:now |still )?(?:due|payable|outstanding|owing"
        r"|to (?:pay|settle))|\bto pay\b|(?:please|you) (?:pay|remit|owe|transfer)\b|pay this"
        r"|\bnow due\b|\bdue now\b|net pay\b|(?<!to )take[- ]home(?: pay)?|payable (?:now|to you)"
        r"|remaining (?:payment|balance|amount|sum)|amount (?:charged|enclosed|refunded)"
        r"|settlement\b|final (?:payment|balance)|payment due|amount of payment|\byou owe\b"
        r"|in our favou?r|(?:amount|balance|sum) remitted|net (?:remittance|proceeds)"
        r"|(?:premium|rent) (?:now )?(?:due|payable)\b|(?:new|statement) balance"
        r"|(?:amount|total|sum) to be (?:paid|collected|debited|taken)|total (?:owed|owing)"
        r"|you(?:'ll| will)(?: now)? (?:pay|receive)\b|\bpay-?out\b|charges to date"
        r"|^\W*(?:payable|balance|to settle|owing)\W*(?:gbp|eur|usd)?\W*$"
        r"|(?:to be |we will |will be )(?:collect|debit|charg|return|refund|paid to)\w*"
    ),
    "fr": (
        r"(?:net |reste |solde |montant |somme |total )?a (?:payer|regler|verser)\b(?! avant imp)"
        r"|(?:reste|solde|montant|somme|total) (?:\w+ )?(?:due\b|exigible"
        r"|du\b(?=\W*(?:$|\d|au\b|le\b|a\b|avant\b|par\b|pour\b|eur)))|reste a charge"
        r"|(?:montant|somme|total) a (?:debiter|crediter|prelever)"
        r"|net (?:paye|verse)\b|montant (?:preleve|a prelever|de votre impot)|nous vous versons"
        r"|en notre faveur|solde debiteur|a votre charge|net a (?:percevoir|recevoir)"
        r"|(?:sera|a ete) (?:preleve|debite)e?\b"
    ),
    "nl": (
        r"te (?:betalen|voldoen|ontvangen|incasseren)\b|openstaan\w*|\brestant\b|resterend\w*"
        r"|restbedrag|verschuldigd\w*|u (?:betaalt|ontvangt|krijgt(?: terug)?)\b"
        r"|uit te betalen|(?<!voor)uitbetaling\b|netto (?:loon|salaris)\b|te storten\b"
        r"|in ons voordeel|af te schrijven|bij te betalen|nog te (?:betalen|voldoen)"
        r"|wordt (?:afgeschreven|geincasseerd)|af te dragen|nog open\b"
    ),
    "it": (
        r"da (?:pagare|versare|saldare)\b|a pagare|(?:importo|saldo|somma|totale) dovut[oa]"
        r"|netto in busta|netto a pagare|a nostro favore|(?:saldo|importo) residuo|da corrispondere"
    ),
    "es": (
        r"a (?:pagar|percibir|abonar|ingresar)\b|importe (?:debido|pendiente)|saldo pendiente"
        r"|liquido a percibir|a nuestro favor|(?:a|por) (?:cargar|cobrar|liquidar)\b"
        r"|importe adeudado"
    ),
    "pt": r"a (?:pagar|liquidar|debitar|receber)\b|(?:valor|montante|saldo) em divida",
    "sv": (
        r"\batt (?:betala|erlagga)|\baterstar|\batt fa\b|utbetal(?:as|t|ning)\b|nettolon"
        r"|kvar att betala|(?:dras|debiteras) (?:fran|pa|den)"
    ),
    "da": (
        r"(?:at|til|a) betal(?:e|ing)\b|til (?:ud|ut)betaling|resterende|skyldig\w*"
        r"|restbel[oø][bp]|forfalt|til (?:ind|inn)betaling|i vores favor"
        r"|betales (?:senest|innen|den)|tr[aæ]kkes"
    ),
    "pl": r"do (?:zap[lł]aty|wp[lł]aty|wyp[lł]aty)|pozosta[lł]o|nale[zż]nosc",
}
"""The balance due, or the amount paid out, after all earlier payments."""

TOTAL: Words = {
    "de": (
        r"gesamt(?!brutto|-brutto|kosten|fla)|insgesamt|rechnungs(?:betrag|summe)"
        r"|end(?:betrag|summe|preis)|(?:jahres|kauf)betrag|(?:rechnungs|schluss)total"
        r"|brutto(?:betrag|summe)|summe"
        r"|(?:gutschrifts?|abrechnungs|liquidations|jahrespramien)-?betrag|jahrespramie"
        r"|gesamtpramie"
        r"|total\b|alles zusammen"
    ),
    "en": (
        r"\btotals?\b|\bin (?:full|all)\b|altogether|amount received|\bsum\b|grand total"
        r"|invoice (?:amount|value)|amount of this (?:bill|invoice)|charges this period"
        r"|(?:annual|renewal|yearly|total) premium|(?:credit|bill|sale) (?:amount|value)"
        r"|(?:invoice|bill|order|sales?) total"
    ),
    "fr": (
        r"\btotal(?:e|ite)?\b|\bttc\b|\bsomme (?:de|recue)\b|\bensemble\b|toutes taxes"
        r"|(?:prime|cotisation) annuelle"
        r"|montant (?:de (?:la facture|l'avoir|la prime)|facture|global)"
    ),
    "nl": r"totaal|\bsamen\b|eindbedrag|factuurbedrag|notabedrag|creditbedrag|jaarpremie|totale\b",
    "it": r"\btotale\b|importo (?:complessivo|fattura|totale)|\btot\b|premio (?:annuo|lordo)",
    "es": r"importe total|\btotal\b|prima (?:anual|total)|importe (?:de la )?factura|suma total",
    "pt": r"\btotal\b(?! iliquido)|valor (?:total|da fatura)",
    "sv": (
        r"\bsumma\b|\btotalt\b|total(?:belopp|summa|pris)|slutsumma|(?:faktura|kredit)belopp"
        r"|arspremie"
    ),
    "da": (
        r"\bi alt\b|\bialt\b|\bsamlet\b|totalbel[oø][bp]|\b(?:total)?sum\b|\btotalt?\b"
        r"|(?:faktura|kredit)bel[oø][bp]|arspr[aæ]?e?mie"
    ),
    "pl": r"\brazem\b|\bogolem\b|\bsuma\b|wartosc brutto",
    "any": r"totalbetrag|\bincl\b|\binkl\b|\bt[o0]ta[l1i]\b|\w+total\b",
}

REFUND: Words = {
    "de": r"guthaben|erstattung|ruckzahlung|zu ihren gunsten",
    "en": r"refund|in your favou?r|credit balance",
    "fr": r"trop[- ]percu|rembours\w*|en votre faveur",
    "nl": r"tegoed|terug(?:gave|betaling)",
    "it": r"rimborso",
    "es": r"reembolso|a su favor",
    "sv": r"aterbetal\w*|till ?godo|aterfa\b",
    "da": r"tilbagebetal\w*|til gode",
}
"""A refund: the total of a document that has no other total."""

AMOUNT: Words = {
    "de": (
        r"betrag|beitrag|brutto|preis|pramie|gebuhr|honorar|kosten|forderung|eigenanteil|miete"
        r"|strafe"
        r"|busse\b|bussgeld|verwarnungsgeld|berechne|in rechnung|betragt|belauft|ergibt|macht"
    ),
    "en": (
        r"amount|gross\b|premium|\bfee\b|\bcost|price|penalty|\bfine\b|charge|\brent\b"
        r"|contribution|amounts? to|\bnet\b(?! (?:pay|amount|price))|subscription|\bdues\b"
        r"|comes to|\bmakes\b|\bfees\b"
    ),
    "fr": (
        r"montant|\bprime\b|\bprix|droits|cotisation|honoraires|loyer|amende|redevance|s'eleve"
        r"|facturons|\bparticipation\b"
    ),
    "nl": r"bedrag|premie|leges|\bprijs|prijs\b|huur|\bboete|contributie|bedraagt",
    "it": r"\bimporto|prezzo|canone|\bquota\b|ammonta",
    "es": r"\bimporte|precio|cuota|asciende",
    "pt": r"\bvalor\b|\bpreco\b|montante|quantia",
    "sv": r"belopp|avgift|\bpris\b",
    "da": r"bel[oø][bp]|afgift|kontingent|\bgebyr|avgift",
    "pl": r"kwota|\bcena\b|op[lł]ata|sk[lł]adka",
}
"""Any amount: the total if no other is labelled as the total."""

NET: Words = {
    "de": r"netto(?!yage)|zwischen(?:summe|total)|warenwert|\bexkl|\bohne\b|rein netto",
    "en": (
        r"(?<!\w)net (?:amount|price|total|value|goods)|sub-? ?total|\bexcl|\bexclu|total net\b"
        r"|\btaxable"
        r"|\bbefore (?:tax|vat|discount)|merchandise|\bgoods\b"
    ),
    "fr": r"sous-? ?total|marchandises|\bht\b|\bh\.t|hors tax|net imposable|avant imp",
    "nl": r"subtotaal|\bgoederen\b|\bexcl|ex\.? btw|maatstaf van heffing|grondslag",
    "it": r"imponibile|subtotale|\bmerc[ei]\b",
    "es": r"base imponible|subtotal|mercancias?\b|\bneto\b|sin iva",
    "pt": r"subtotal|iliquido|base tributavel|sem iva",
    "sv": r"delsumma|exkl|\bnetto",
    "da": r"subtotal|ekskl|\beks\b|\bnetto|\bdelsum",
    "pl": r"\bnetto|suma cz",
}

TAX: Words = {
    "de": r"mwst|\bust\b|umsatzst|mehrwertst|steuer",
    "en": r"\bvat\b|\btax\b|\bgst\b|\bpst\b|\bhst\b",
    "fr": r"\btva\b|\btaxes?\b",
    "nl": r"\bbtw\b|belasting",
    "it": r"\biva\b",
    "es": r"\biva\b",
    "pt": r"\biva\b|imposto",
    "sv": r"\bmoms",
    "da": r"\bmoms|\bmva\b",
    "pl": r"\bvat\b|podatek",
}

DEDUCTED: Words = {
    "de": (
        r"abzug\b|abzuglich|abzgl|\bskonto|sskonto|rabatt|nachlass|anzahlung|bereits|bezahlt|gezahlt"
        r"|\bbez\b|geleistete|vorschuss|vorauszahl|abschlag|gutschein|rundung|selbstbe"
    ),
    "en": (
        r"\bless\b|minus|discount|deposit|\bpaid\b|payments?\b|voucher|coupon|rounding|\bexcess\b"
        r"|tax deducted|\bdeductions?\b|subsidy"
        r"|(?<!total )(?<!totaal )(?<!totale )\bcredits?\b(?! (?:total|note|memo))"
    ),
    "fr": (
        r"\bmoins\b|remise|acompte|\bpaye\b|\bregle\b|\bverse\b|ristourne|arrondi"
        r"|(?<!l')(?<!total )(?<!net )\bavoir\b"
    ),
    "nl": r"\baf\b:?|korting|aanbetaa?l|betaald|voldaan|minus|afronding|tegoed",
    "it": r"sconto|acconto|pagato|arrotondamento",
    "es": r"descuento|anticipo|pagado|redondeo",
    "pt": r"desconto|adiantamento|\bpago\b",
    "sv": r"\bavdrag|rabatt|betalt|oresavrundning",
    "da": r"\bfradrag|rabat\b|betalt|avrunding|afrunding",
    "pl": r"rabat|zaliczk|zap[lł]acono",
    "any": r"\./\.",
}
"""Deducted from a total: negative, with or without a minus sign."""

PAID: Words = {
    "de": r"(?:be|ge)zahlt",
    "en": r"paid(?! (?:to date|so far|this|in|since))",
    "fr": r"(?:payee?|reglee?|verse)\b",
    "nl": r"betaald|voldaan",
    "it": r"pagat[oa]",
    "es": r"pagad[oa]",
    "pt": r"pag[oa]\b",
    "sv": r"betalt|betald",
    "da": r"betalt",
}
"""After a word for the total: what was paid is the total of a receipt."""

PART: Words = {
    "de": (
        r"versand|\bporto\b|ruckgeld|wechselgeld|gegeben|\bgeg\b|\bbar\b|vorjahr|bisherig"
        r"|ubertrag|alter (?:saldo|kontostand)|saldo alt\b|anfangssaldo"
        r"|einzelpreis|stuckpreis|raten\b|deckung|vers(?:icherungs|\.-?)summe|kaution"
        r"|vormonat|erhohung|kostenrahmen|kostenschatzung|budget|ersparnis|gespart|streitwert"
        r"|anschaffungs|\beinkommen\b|einkunfte\b|summe (?:soll|haben)"
        r"|\bjahres(?:summe|werte)\b|kumul"
        r"|mahn|zinsen|\bspar|bonus|grenze|\bwert\b|gegenwert|lohnkosten|anwartschaft"
        r"|(?<!aus)(?<!nach)(?<!rest)zahlung\b"
    ),
    "en": (
        r"shipping|postage|freight|carriage|\bchange\b|\bcash\b|previous|brought|\bunit\b"
        r"|\brate\b|instal|limit|\bcover\b|insured|\breminder fee|interest|late fee|\bvalue\b"
        r"|worth|\bcapital\b"
        r"|\bper\b(?! (?:heute|stand|saldo|datum|pin|karte|bank|card|direct|dd|\d))"
        r"|\bsav(?:ed|ings?)\b|total hours|\bincrease\b|\bestimated\b"
        r"|\bbudget\b|acquisition|\bytd\b|call-?out|year[- ]to[- ]date"
        r"|\b(?:total|net|gross|earned|rental) income\b(?! tax)|rents? received"
        r"|total (?:debits|credits|withdrawals)"
    ),
    "fr": (
        r"livraison|\brendu\b|solde precedent|franchise|capital\b|valeur|interets|prix unitaire"
        r"|cout d'acquisition|\bcumul|revenus? (?:brut|net|imposable|global)"
        r"|total (?:des )?(?:debits|credits)|loyers? (?:recus?|encaisses?)"
        r"|\bgarantie\b|\bcaution\b|arrhes|economie|augmentation|\bbudget\b"
    ),
    "nl": (
        r"verzend|vorige|vorig saldo|eigen risico|\bborg\b|waarborg|waarde|wisselgeld|\bterug\b"
        r"|aanschaf|cumulatie|\binkomen\b|totaal debet"
        r"|verzekerd bedrag|stuksprijs|bespaar"
    ),
    "it": (
        r"spedizione|\bresto\b|\bvalore|cauzione|prezzo unitario|saldo precedente|massimale"
        r"|franchigia"
    ),
    "es": (
        r"\benvio|\bcambio\b|\bvalor\b(?! (?:total|a pagar|da fatura))|fianza|precio unitario"
        r"|saldo anterior|asegurad[ao]|franquicia"
    ),
    "pt": r"\bportes\b|\btroco\b|caucao|preco unitario|franquia",
    "sv": r"\bfrakt|\bvaxel\b|\bvarde\b|deposition|\ba-pris|styckpris|sjalvrisk|kontant\b",
    "da": (
        r"\bfra[gk]t|byttepenge|v[aæ]rdi\b|depositum|stk\.? ?-?pris|stykpris|selvrisiko|kontant\b"
    ),
}
"""Neither the total nor the net amount: postage, change, a sum insured."""

EACH: Words = {
    "de": (
        r"monatlich|monats(?:beitrag|betrag|pramie|miete|rate|preis)|mindest(?:betrag|zahlung)"
        r"|vierteljahrlich|\bpro\b|\bje\b|\brate\b"
        r"|\bmind(?:estens)?\b|nach (?:dem|ablauf|falligkeit)|erstmals|kunftig"
    ),
    "en": (
        r"monthly|quarterly|\beach\b|\bper (?:\w+ )?(?:month|year|annum|week|day|night|hour|person"
        r"|child|unit|item)|instal|\bminimum (?:payment|amount|due)|\bmax\b"
        r"|outstanding (?:principal|capital|loan)|remaining principal|\bat least\b"
        r"|after (?:the |\d|[a-z]{3,9} \d)"
        r"|if paid after|\blate\b|next bill"
    ),
    "fr": (
        r"par mois|mensu(?:el|alite)|capital restant|paiement minimum|trimestriel|au moins\b"
        r"|par (?:an|personne|unite)\b|apres le"
    ),
    "nl": (
        r"per maand|per jaar|maandelijks|maand(?:premie|bedrag|huur)|restant hoofdsom|termijn\b"
        r"|na \d|minstens\b|minimaal\b"
    ),
    "it": r"al mese|mensile|rata\b|(?:debito|capitale) residuo|pagamento minimo",
    "es": r"al mes|mensual|capital pendiente|pago minimo",
    "pt": r"por mes|mensal|capital em divida|pagamento minimo",
    "sv": r"per manad|manads|kvarvarande skuld",
    "da": r"pr\.? maned|manedlig|restg[aæ]ld",
}
"""Recurring or later payments: never the total, whatever else the label says."""

CONDITIONAL: Words = {
    "de": (
        r"\b(?:falls|sofern|wenn|bis zu|hochstens|maximal|konnen|konnten?|wurden?|voraussichtlich"
        r"|derzeit|zurzeit|momentan|zwischen|etwa|circa|ungefahr)\b|haftung"
    ),
    "en": (
        r"\b(?:may|might|could|would|if|up to|exceed|at most|shall not|between|currently"
        r"|approximately)\b|liabil|\b(?:about|around|roughly)\W*(?:[a-z]{3}\W*)?$"
    ),
    "fr": r"\b(?:si|jusqu'a|maximum|pourra|peut|actuellement|entre|environ|previsionnel)\b",
    "nl": r"\b(?:indien|als|tot maximaal|maximaal|kan|kunnen|momenteel|tussen|ongeveer|circa)\b",
    "it": r"\b(?:se|fino a|massimo|tra|circa)\b",
    "es": r"\b(?:hasta|maximo|podra|entre|aproximadamente)\b",
    "pt": r"\b(?:ate|maximo|podera|entre|aproximadamente)\b",
    "sv": r"\b(?:hogst|mellan|ungefar|cirka)\b",
    "da": r"\b(?:hvis|hoyst|h[oø]jst|mellem|mellom|cirka)\b",
}
"""In a sentence about an amount that may never be paid."""

EARLY: Words = {
    "de": r"\b(?:bis|innerhalb|binnen|zahlung)\b.*skonto|skonto.*\b(?:bis|innerhalb|binnen)\b",
    "en": r"\b(?:within|by|if paid)\b.*\bdiscount|\bdiscount.*\b(?:within|if paid)\b",
    "fr": r"\b(?:avant|sous|si)\b.*\bescompte|\bescompte.*\b(?:avant|sous|si)\b",
    "nl": r"\bbinnen\b.*\bkorting|\bkorting.*\bbinnen\b",
}
"""What is left to pay, or saved, only if the payment is early."""

BOTH_SIDES: Words = {
    "de": r"\bsoll\b\W*\d.*\bhaben\b|belastungen\b\W*\d.*gutschriften\b",
    "en": r"\bdebits?\b\W*\d.*\bcredits?\b|(?:money|paid) in\b\W*\d.*(?:money|paid) out\b",
    "fr": r"\bdebits?\b\W*\d.*\bcredits?\b",
    "nl": r"\bdebet\b\W*\d.*\bcredit\b",
    "it": r"\bdare\b\W*\d.*\bavere\b",
    "es": r"\bdebe\b\W*\d.*\bhaber\b|\bcargos\b\W*\d.*\babonos\b",
    "sv": r"\bdebet\b\W*\d.*\bkredit\b",
    "da": r"\bdebet\b\W*\d.*\bkredit\b",
}
"""A row with the sums of both sides of an account."""

TIMES: Words = {
    "de": r"monatlich|mtl|vierteljahrlich|(?:im|pro|je|eines) (?:monat|quartal|woche|stunde|tag)",
    "en": (
        r"(?:a|per|each|every) (?:calendar )?(?:month|quarter|week|hour|day|night|item)"
        r"|monthly|weekly|(?:for )?up to \d|each\b|apiece|(?:to|and|-) [£$€]\d"
    ),
    "fr": r"par (?:mois|trimestre|semaine|heure|jour)|/ ?mois|mensuel",
    "nl": r"per (?:maand|kwartaal|week|uur|dag)|maandelijks",
    "it": r"al (?:mese|giorno)|mensil",
    "es": r"al mes|mensual|por (?:mes|hora)",
    "pt": r"por (?:mes|hora)|mensa",
    "sv": r"per (?:manad|vecka|timme)",
    "da": r"pr\.? (?:maned|uge|time)",
}
"""What follows the amount of a recurring payment."""
