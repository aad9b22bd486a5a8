"""Bring the catalogues up to date: add new texts untranslated, remove those no longer used.

Run by `make translations`; the tests fail until the new entries are translated.
"""

import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

import i18n
from tests.i18n.extract import Texts, extract_all


def main() -> None:
    texts = extract_all()
    for path in sorted(Path(i18n.__file__).parent.glob("*.po")):
        untranslated = update(path, texts)
        sys.stdout.write(f"{path.name}: {len(texts)} texts, {untranslated} to translate\n")


def update(path: Path, texts: Texts) -> int:
    """Write a catalogue with exactly these texts. Return how many lack a translation."""
    with path.open("rb") as file:
        before = read_po(file)
    after = Catalog(locale=path.stem, header_comment=before.header_comment, fuzzy=False)
    known = [entry.id[0] if entry.pluralizable else entry.id for entry in before if entry.id]
    added = sorted(set(texts) - set(known))
    for text in (*(text for text in known if text in texts), *added):
        old, plural = before.get(text), texts[text]
        after.add(
            text if plural is None else (text, plural),
            old.string if old is not None and old.pluralizable == (plural is not None) else "",
            user_comments=old.user_comments if old is not None else (),
        )
    header = path.read_bytes().partition(b"\n\n")[0]
    with path.open("wb") as file:
        write_po(file, after, width=0, omit_header=True)
    path.write_bytes(header + b"\n\n" + path.read_bytes().strip() + b"\n")
    return sum(not any(entry.string or ()) for entry in after if entry.id)


if __name__ == "__main__":
    main()
