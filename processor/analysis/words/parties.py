"""Words beside the names of senders, recipients and other parties.

Words for recipients are matched in the text as it is written, so these keep their accents.
"""

from processor.analysis.words import Words

RECIPIENT: Words = {
    "de": (
        r"an|empfänger(?:in)?|rechnungsempfänger(?:in)?|rechnungs(?:adresse|anschrift)"
        r"|rechnung an|lieferung an|liefer(?:adresse|anschrift)|kund(?:e|in)|patient(?:in)?"
        r"|versicherungsnehmer(?:in)?|mieter(?:in)?|arbeitnehmer(?:in)?|käufer(?:in)?"
        r"|leistungsempfänger(?:in)?|besteller(?:in)?|auftraggeber(?:in)?|kontoinhaber(?:in)?"
        r"|darlehensnehmer(?:in)?|antragsteller(?:in)?|mitglied|versicherte(?:r| person)?"
        r"|erhalten von|schuldner(?:in)?|halter(?:in)?|teilnehmer(?:in)?|spender(?:in)?"
    ),
    "en": (
        r"to|(?:bill|billed|sold|ship|shipped|deliver|delivered|invoice|invoiced|addressed) to"
        r"|customer|client|guest|policy ?holder|employee|tenant|buyer|purchaser|account holder"
        r"|borrower|applicant|insured|member|received from|passenger|subscriber|holder|donor"
    ),
    "fr": (
        r"à|destinataire|factur[ée]e? à|livr[ée]e? à|adress[ée]e? à|acheteur|titulaire|locataire"
        r"|patiente?|assurée?|abonnée?|reçu de|adresse de (?:livraison|facturation)|donateur"
        r"|adhérente?|cliente?"
    ),
    "nl": (
        r"aan|factuuradres|afleveradres|geadresseerde|klant|koper|afnemer|opdrachtgever|huurder"
        r"|rekeninghouder|verzekerde"
    ),
    "it": r"spett(?:abile|\.le|\.)?|destinatario|intestatario|cliente",
    "es": r"destinatario|facturar a|titular|cliente|asegurado",
    "pt": r"cliente|adquirente|destinat[aá]rio|exmo\(?s?\)?\.? senhor(?:es)?|titular",
    "pl": r"nabywca|odbiorca|klient",
    "sv": r"till|bokad av|kund|köpare|mottagare",
    "da": r"til|kunde|køber|modtager",
}

CARE_OF: Words = {
    "de": r"z\. ?hd\.?|zu händen",
    "en": r"c/o|attn\.?|for the attention of",
    "fr": r"à l'attention de",
    "nl": r"t\.a\.v\.",
}
"""Before a name in an address."""

ATTENTION: Words = {
    "de": r"z\. ?hd\.?|zu händen",
    "en": r"attn\.?|attention:|for the attention of|fao",
    "fr": r"à l['’]attention de",
    "nl": r"t\.a\.v\.",
    "it": r"c\.a\.|alla c\.a\.",
}
"""Between a company and a person in an address."""

HONORIFIC: Words = {
    "de": r"frau|herrn?|fam(?:ilie|\.)|eheleute|firma|fa\.|herrn? und frau",
    "en": r"mr\.?|mrs\.?|ms\.?|miss|mx\.?",
    "fr": r"mme\.?|mlle\.?|m\.|monsieur|madame|m\. et mme|m\. ou mme",
    "nl": r"de heer|dhr\.?|mevr(?:ouw|\.)?|mw\.",
    "it": r"sig\.(?:ra)?|signor[ae]?|gentile",
    "es": r"sr\.|sra\.|señora?|don|doña",
    "sv": r"familjen|herr|fru",
    "da": r"hr\.|fru|familien",
}

SENDER_LABEL: Words = {
    "de": (
        r"absender|verkaufer|lieferant|lieferer|rechnungssteller|aussteller|anbieter"
        r"|vermieter(?:in)?|versicherer|auftragnehmer|herausgeber|firma|inhaber"
        r"|verwalter(?:in)?|hausverwaltung"
    ),
    "en": (
        r"sender|seller|vendor|supplier|issuer|issued by|prepared by|provider|landlord|contractor"
    ),
    "fr": (
        r"emetteur|expediteur|fournisseur|vendeur|bailleur|prestataire|beneficiaire des versements"
    ),
    "nl": r"afzender|leverancier|verkoper|verhuurder",
    "it": r"mittente|fornitore|venditore",
    "es": r"remitente|proveedor|vendedor",
    "pt": r"remetente|fornecedor|vendedor|emitente|prestador|transmitente",
    "sv": r"avsandare|leverantor",
    "da": r"afsender|leverand[oø]r",
}
"""Labels of the sender, before its name or above it."""

SENDER_PARTICLE: Words = {
    "de": (
        r"von|vom|inh|ihre?[mnr]?|dein|euer|team|grussen|gruss|zwischen|willkommen bei"
        r"|i\.? ?a|i\.? ?v|fur"
    ),
    "en": r"your|our|regards|sincerely|faithfully|between|welcome to|for",
    "fr": r"de|votre|notre|cordialement|salutations|entre|pour",
    "nl": r"van|uw|namens|groet(?:en)?|tussen|voor",
    "sv": r"halsningar",
    "da": r"hilsen",
}
"""Possessives, greetings and the like, directly before the sender's name."""

OTHERS: Words = {
    "de": (
        r"bei|mit|durch|lt|laut|gegen|an|krankenkasse|krankenversicherung|arbeitgeber|mutter\w*"
        r"|unternehmen d(?:er|es)|tochter d(?:er|es)|markt d(?:er|es)|gesellschaft der"
        r"|(?:marke|zweigniederlassung|teil) (?:der|von)|tochtergesellschaft der"
    ),
    "en": (
        r"by|with|to|from|employer|parent company|(?:part|division|member|subsidiary|imprint|brand"
        r"|branch|affiliate|trading name|trademark) of"
        r"|owned by|(?:company|business) of|handled by|on behalf of"
    ),
    "fr": r"chez|filiale d[eu]|par|membre d[eu]|groupe|(?:marque|enseigne|entite|branche) d[eu]",
    "nl": r"bij|door|(?:dochter|lid|onderdeel|deel|merk|label|handelsnaam) van",
    "it": r"presso|gruppo|marchio del(?:la)?|parte del(?:la)?|controllata d[ai]",
    "es": r"con|por|grupo|(?:marca|filial|parte) del?",
    "pt": r"(?:marca|filial|parte) d[aeo]|grupo",
    "sv": r"hos|av|(?:en )?del av|ingar i",
    "da": r"hos|af|(?:en )?del a[fv]",
    "pl": r"czlonek grupy|nalezy do",
}
"""What precedes the name of another party in a sentence."""

PROPRIETOR: Words = {
    "de": r"inh|inhaber(?:in)?|geschaftsfuhrer(?:in)?|gf",
    "en": r"prop|proprietor|proprietress|owner|managing director",
    "fr": r"gerante?|proprietaire|exploitante?|dirigeante?",
    "nl": r"eigena(?:ar|res)|zaakvoerder|uitbater",
    "it": r"titolare|proprietari[oa]|legale rappresentante",
    "es": r"propietari[oa]|gerente",
    "pt": r"proprietari[oa]|socio[- ]gerente",
    "sv": r"innehavare|agare",
    "da": r"indehaver|innehaver|ejer",
    "pl": r"wlasciciel(?:ka)?",
}
"""Before the name of a person who owns or manages the firm that sends the document."""

ROLES: Words = {
    "de": (
        r"hersteller|spediteur|spedition|zusteller|paketdienst|versand(?: durch)?|netzbetreiber"
        r"|messstellenbetreiber|makler(?:buro)?|agentur|berater(?:in)?|gutachter|druck|bank"
        r"|bankverbindung|kreditinstitut|krankenkasse|leasinggeber|finanzierung|notar"
        r"|abrechnungsstelle|vertreter|(?:es )?betreut sie|(?:ihre? )?(?:betreuer(?:in)?|betreuung"
        r"|vermittler|versicherungsburo)|vermittelt durch|zahlungsdienst\w*"
        r"|vorversicherer|vorvermieter|fremdlabor|subunternehmer|nachunternehmer|auftraggeber"
        r"|ruckversicherer|hypothekenglaubiger(?:in)?|factoring\S*"
    ),
    "en": (
        r"carrier|courier|sales rep(?:resentative)?|agent|broker|manufacturer|maker|made by"
        r"|insurer|bank|printed by|ship via|purchased from|retailer|dealer|adjuster|employer"
        r"|organiser|underwriter|installer|(?:your |independent )?(?:financial )?advis[eo]r"
        r"|arranged by|introduced by|operated by|payment(?:s)? (?:provider|processor)|processed by"
        r"|previous landlord|former employer|sub-?contractor|mortgagee|reinsurer"
        r"|auditors?|plaintiff|claimant|defendant|shipper|consignee|supplied by|distributed by"
    ),
    "fr": (
        r"transporteur|fabricant|banque|assureur|notaire|expert|courtier|marque|loueur"
        r"|(?:votre )?(?:conseill(?:er|ere)|intermediaire)|sous-traitant|demandeur|defendeur"
        r"|ancien bailleur|reassureur|prestataire de paiement"
    ),
    "nl": (
        r"vervoerder|fabrikant|importeur|bank|verzekeraar|netwerk|merk|makelaar|eiser|gedaagde"
        r"|(?:uw )?(?:adviseur|tussenpersoon)|onderaannemer|vorige verhuurder|betaaldienst\w*"
        r"|betaling via"
    ),
    "it": r"corriere|vettore|produttore|banca|assicuratore|intermediario|attore|convenuto",
    "es": (
        r"transportista|fabricante|banco|procurador|abogado|demandante|demandado|aseguradora"
        r"|mediador"
    ),
    "sv": r"transportor|tillverkare|forsakringsgivare",
    "da": r"fragtf[oø]rer|producent",
}
"""Roles of other parties: labels before a name."""

NO_NAMES: Words = {
    "de": r"hersteller|inh|inhaber|zusteller|ein (?:unternehmen|markt|betrieb)|tochter der",
    "en": r"manufacturer|made by|sales rep|printed by|an? (?:member|division|part|subsidiary) of",
    "fr": r"fabricant|filiale d|membre d",
    "nl": r"fabrikant|importeur|onderdeel van|een dochter",
}
"""Words that no name begins with: a model may copy one together with the name."""

GENERAL: Words = {
    "de": (
        r"\w*handels?|(?:bau|super|fach)markt|vertriebs?|verwaltungs?|betriebs|beteiligungs"
        r"|dienstleistungs|produktions|\w*gesellschaft|partnerschaft|in|und"
        r"|\w*rechtsschutz|\w*versicherung(?:s|en)?|rechtsanwalte|steuerberater|architekten|ingenieure|immobilien|gastronomie"
    ),
    "en": r"trading|retail|holdings?|services|solicitors|accountants|partners(?:hip)?|and",
    "fr": r"commerce|distribution|exploitation|avocats|notaires|et",
    "nl": r"handelsonderneming|exploitatie|beheer|advocaten|en",
}
"""Words for what a company does. With a legal form, they are only a part of its name."""

PAYMENT_SLIP: Words = {
    "de": r"uberweisung|zahlschein|verwendungszweck|beguenstigter|begunstigter|einzahlung",
    "en": r"credit transfer|bank transfer|payment slip|paying-in",
    "fr": r"virement|bulletin de versement|ordre de paiement",
    "nl": r"overschrijving|acceptgiro|overboeking",
    "it": r"bonifico|bollettino",
    "es": r"transferencia",
    "sv": r"inbetalning|bankgiro|plusgiro",
    "da": r"indbetaling|innbetaling|girokort",
    "any": r"\biban\b|\bsepa\b",
}
"""In a payment slip, the recipient is the one who is paid."""

SENT_BY: Words = {
    "de": r"(?:herausgegeben|ausgestellt|erstellt|gesendet|versendet|verschickt) (?:von|durch)",
    "en": (
        r"(?:this [\w-]+(?: [\w-]+)? (?:is|was|has been) )?(?:issued|sent|prepared|published) by"
        r"(?: the)?"
    ),
    "fr": r"(?:ce(?:t|tte)? [\w-]+ (?:est|a ete) )?(?:emise?|envoyee?|editee?|etablie?) par",
    "nl": (
        r"(?:dit|deze) [\w-]+ (?:is|werd) (?:verzonden|verstuurd) door"
        r"|(?:uitgegeven|opgesteld) door"
    ),
    "it": r"(?:emess|inviat|rilasciat)[oa] da",
    "es": r"(?:emitid|enviad|expedid)[oa] por",
    "pt": r"(?:emitid|enviad)[oa] por",
    "sv": r"(?:utgiven|utfardad|skickat) av",
    "da": r"(?:udstedt|utstedt|udgivet|sendt) af",
}
"""What precedes the sender's name, and nobody else's, if it begins a line."""

FROM: Words = {
    "de": r"von|absender",
    "en": r"from|sender|reply-to",
    "fr": r"de|expediteur",
    "nl": r"van|afzender",
    "it": r"da|mittente",
    "es": r"de|remitente",
    "sv": r"fran",
    "da": r"fra",
    "pl": r"od",
}
"""Before the sender in the head of an e-mail."""

CONTACT: Words = {
    "de": r"telefon|tel|telefax|fax|mobil|handy|hotline|kontakt|e mail|email|internet|web",
    "en": r"phone|telephone|mobile|cell|website|contact|help ?line|helpdesk",
    "fr": r"telephone|portable|courriel|site web|contact",
    "nl": r"telefoon|mobiel|website",
    "it": r"telefono|cellulare|sito web",
    "es": r"movil|correo|pagina web",
    "pt": r"telemovel|sitio",
    "sv": r"mobil|webbplats|e post",
    "da": r"tlf|hjemmeside",
}
"""Labels of telephone numbers and addresses: no name consists of one."""

IMPRINT: Words = {
    "de": (
        r"ust|mwst|uid|hr[ab]|fn|gnr|vr|st\.?-? ?nr|steuer-?(?:nr|nummer)|handelsregister"
        r"|amtsgericht|registergericht|geschaftsfuhr\w*|gf|vorstand|inhaber(?:in)?|sitz"
        r"|tel|telefon|fax|bankverbindung|glaubiger-?id\w*"
    ),
    "en": (
        r"vat|gst|abn|acn|ein|cin|crn|utr|chy|rcn|registered|reg\.|company (?:no|number)|charity"
        r"|licen[cs]e (?:no|number)|directors?|phone|telephone|authorised"
    ),
    "fr": r"tva|siret|siren|rcs|rpps|ape|naf|capital|siege|gerante?|telephone|courriel|ide",
    "nl": r"btw|kvk|kbo|rpr|statutair|gevestigd|telefoon",
    "it": r"p\.? ?iva|partita iva|rea|telefono|pec",
    "es": r"nif|cif|registro mercantil|tfno|telefono",
    "pt": r"nipc|contribuinte|telef",
    "sv": r"org\.? ?nr|organisationsnummer|momsreg\w*|f-skatt",
    "da": r"cvr|se-nr|tlf|foretaksregisteret|mva",
    "pl": r"nip|regon|krs",
    "any": r"iban|bic|e-?mail|web|http\w*",
}
"""Company details: beside the name of whoever issued a document, mostly at the bottom."""

CLOSING: Words = {
    "de": r"gru(?:ss|ß)\w*|gruess\w*|hochachtungsvoll|im auftrag|i\.? ?[av]\.|gez\.?",
    "en": r"regards|sincerely|faithfully|truly|best wishes|love|cheers|signed",
    "fr": r"cordialement|salutations|sentiments|amities|bises|bien a vous",
    "nl": r"groet(?:en|jes)?|hoogachtend|liefs|namens",
    "it": r"saluti|ossequi|in fede",
    "es": r"saludos|atentamente|un abrazo|cordialmente",
    "pt": r"cumprimentos|atenciosamente",
    "sv": r"halsning(?:ar)?",
    "da": r"hilsen|hilsner",
    "pl": r"powazaniem|pozdrawiam\w*|pozdrowieni\w*",
}
"""What precedes a signature."""

POSTAGE: Words = {
    "de": (
        r"entgelt bezahlt|deutsche post|dialogpost|premiumadress|pressepost|postvertriebsstuck"
        r"|postzeitung|osterreichische post|die post ch|freimachung|\bp\.p\."
    ),
    "en": r"postage paid|priority|royal mail|post paid|presorted|first[- ]class mail|an post",
    "fr": r"port paye|prioritaire|la poste|affranchi",
    "nl": r"port betaald|postnl|bpost",
    "it": r"poste italiane|posta ?prioritaria",
    "es": r"franqueo pagado",
    "sv": r"porto betalt|postnord",
}
"""On a franking mark."""
