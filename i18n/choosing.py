"""Choose the language: what the person said, else the best of what the browser asks for."""

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""By code, each as it calls itself; the first is spoken when nothing else is asked for."""


def chosen_language(said: str | None, accepted: str) -> str:
    """Return the code of a language that we speak; `accepted` is the header Accept-Language."""
    if said in LANGUAGES:
        return said
    wanted = sorted(map(_weighed, accepted.split(",")[:_MOST]), key=lambda one: -one[1])
    known = (code for code, weight in wanted if code in LANGUAGES and weight > 0)
    return next(known, next(iter(LANGUAGES)))


_MOST = 20
"""No browser asks for more, and a header may be as long as it likes."""


def _weighed(part: str) -> tuple[str, float]:
    tag, _, parameter = part.strip().partition(";")
    _, _, weight = parameter.partition("q=")
    try:
        return tag.partition("-")[0].lower(), float(weight) if weight else 1.0
    except ValueError:
        return "", 0.0
