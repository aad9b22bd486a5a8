"""Read the pages of the documentation: links, tables, commands and settings."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

_FENCED = re.compile(r"^ *```(?P<language>\w*)\n(?P<code>.*?)^ *```$", re.M | re.S)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.M)
_CONTAINER = r"docker compose (?:run --rm|exec paperclerk) "
_COMMAND = re.compile(
    rf"(?:\$ )?(?:\.venv/bin/|{_CONTAINER})?(?P<program>paperclerk|make)(?P<rest>(?: .*)?)"
)


@dataclass(frozen=True)
class Page:
    """One page of the documentation."""

    path: Path

    def __str__(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        """The text without its code blocks."""
        return _FENCED.sub("", self.text)

    def section(self, heading: str) -> str:
        """Return the text between a heading and the next one of its level."""
        level = heading.partition(" ")[0]
        after = self.text.split(f"\n{heading}\n")[1]
        return re.split(rf"^{level} ", after, maxsplit=1, flags=re.M)[0]

    def links(self) -> list[str]:
        """Return the links to other pages of the documentation, or within this one."""
        targets: list[str] = _LINK.findall(self.prose)
        return [target for target in targets if "://" not in target]

    def anchors(self) -> set[str]:
        """Return the anchors of its headings, as GitHub makes them."""
        return {_anchor(heading) for heading in _HEADING.findall(self.prose)}

    def inline_code(self) -> list[str]:
        found: list[str] = _INLINE.findall(self.prose)
        return found

    def commands(self, program: str) -> Iterator[list[str]]:
        """Yield the words after each call of `program` that a reader may copy."""
        lines = [line for _, code in self._blocks() for line in code.splitlines()]
        for said in [*lines, *self.inline_code()]:
            match = _COMMAND.fullmatch(said.strip())
            if match and match["program"] == program:
                yield shlex.split(match["rest"], comments=True)

    def settings(self) -> Iterator[dict[str, dict[str, object]]]:
        """Yield every example of a settings file."""
        for language, code in self._blocks():
            if language == "toml":
                yield tomllib.loads(code)

    def quotes(self, language: str) -> list[str]:
        """Return the code blocks in a language."""
        return [code for named, code in self._blocks() if named == language]

    def _blocks(self) -> list[tuple[str, str]]:
        return _FENCED.findall(self.text)


def pages() -> list[Page]:
    """Return every page of the documentation."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [Page(path) for path in (*top, *sorted((ROOT / "docs").rglob("*.md")))]


def page(name: str) -> Page:
    return Page(ROOT / name)


def rows(section: str) -> list[list[str]]:
    """Return the cells of every table in `section`, without headings and backticks."""
    tables = re.findall(r"^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n?)+)", section, re.M)
    lines = [line for table in tables for line in table.splitlines()]
    return [
        [cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines
    ]


def first_cells(section: str) -> list[str]:
    return [row[0] for row in rows(section)]


def _anchor(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.replace(" ", "-")
