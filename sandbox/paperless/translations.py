"""Some German error texts: real ones follow Accept-Language, so nothing may rely on them."""

_GERMAN = {
    "Ensure this field has no more than 128 characters.": (
        "Stelle sicher, dass dieses Feld nicht mehr als 128 Zeichen lang ist."
    ),
    "tag with this name already exists.": (
        "tag mit diesem Wert für das Feld Name existiert bereits."
    ),
}


def translated(body: object, language: str) -> object:
    """Translate the sentences of an error that the sandbox knows in that language."""
    if not language.lower().startswith("de"):
        return body
    match body:
        case str():
            return _GERMAN.get(body, body)
        case list():
            return [translated(item, language) for item in body]
        case dict():
            return {key: translated(value, language) for key, value in body.items()}
        case _:
            return body
