"""Text that other programs might execute."""

from tests.hostile.case import CREATE_NAMES, Case, filed, item, letter, letter_from, says

_SCRIPT = "<script>alert('Stromrechnung')</script>"
_SQL = "Robert'); DROP TABLE jobs;--"
_MORE_SQL = "' OR 1=1; DELETE FROM changes; --"
_JINJA = "{{ 7 * 7 }} {% for x in config %}{{ x }}{% endfor %}"
_MARKS = "$mark ${mark} $text $schema $names $$ {text} {0} {} %s %(mark)s %d"
_PATH = "../../etc/passwd"
_RED = "\x1b[31mStromrechnung September 2026\x1b[0m"
_TERMINAL = "\x1b]0;owned\x07\x1b[2J\x1b[1;1H\x9b31m"

CODE = (
    Case("script, markup and entities", letter(f"{_SCRIPT}<img src=x onerror=alert(1)>&lt;&#0;")),
    Case("statements of SQL", letter(f"{_SQL} {_MORE_SQL}")),
    Case("Jinja's syntax", letter(_JINJA)),
    Case("the signs of our own templates", letter(_MARKS)),
    Case(
        "path names", letter(f"{_PATH} C:\\Windows\\System32 \\\\server\\share file:///etc/passwd")
    ),
    Case("escape sequences of a terminal", letter(_TERMINAL)),
    Case("control characters and NUL", letter("".join(map(chr, range(32))) + "\x7f\x85")),
    Case(
        "a script as a title",
        letter(_SCRIPT),
        says(title=item(_SCRIPT, _SCRIPT)),
        filed(title=_SCRIPT),
    ),
    Case(
        "a statement of SQL as a name",
        letter_from(_SQL),
        says(correspondent=item(_SQL, _SQL)),
        filed(correspondent=_SQL),
        made=(("correspondents", _SQL),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a template as a tag",
        letter(_JINJA),
        says(tags=[item("{{ 7 * 7 }}", _JINJA)]),
        filed(tags=["{{ 7 * 7 }}"]),
        made=(("tags", "{{ 7 * 7 }}"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "the signs of our own templates as a document type",
        letter(_MARKS),
        says(document_type=item("$mark {0} %s", _MARKS)),
        filed(document_type="$mark {0} %s"),
        made=(("document_types", "$mark {0} %s"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a path as a title",
        letter(_PATH),
        says(title=item(_PATH, _PATH)),
        filed(title=_PATH),
    ),
    Case(
        "colours of a terminal in a title",
        letter(_RED),
        says(title=item(_RED, _RED)),
        filed(title="[31mStromrechnung September 2026[0m"),
    ),
    Case(
        "NUL within a title",
        model=says(title=item("Strom\x00rechnung September 20\x0026", "Strom\x00rechnung")),
    ),
)
