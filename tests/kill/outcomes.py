"""Expected results of each scenario, checked by a person: one file per scenario in `expected/`.

A run without kills cannot serve as the reference: a scanner that always drops one document would
drop it there as well. `python -m tests.kill.outcomes` writes the files again after an intended
change; review the diff line by line.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.kill.campaign import undisturbed
from tests.kill.evidence import Outcome
from tests.kill.scenarios import SCENARIOS, Scenario

FOLDER = Path(__file__).with_name("expected")


@cache
def expected(scenario: Scenario) -> Outcome:
    """Load the expected results of a scenario."""
    stored = json.loads(_file(scenario).read_text("utf-8"))
    return Outcome(
        fields={int(id_): fields for id_, fields in stored["fields"].items()},
        names=tuple((kind, name) for kind, name in stored["names"]),
        jobs=Counter({(id_, kind, status): n for id_, kind, status, n in stored["jobs"]}),
        documents={int(id_): (state, tag) for id_, (state, tag) in stored["documents"].items()},
        changes=Counter({(a, b, c, d, e): n for a, b, c, d, e, n in stored["changes"]}),
    )


def write(scenario: Scenario, outcome: Outcome) -> None:
    """Write the results of a scenario, one fact per line."""
    parts = {
        "fields": _object(outcome.fields.items()),
        "names": _list(outcome.names),
        "jobs": _list((*key, n) for key, n in sorted(outcome.jobs.items())),
        "documents": _object(outcome.documents.items()),
        "changes": _list((*key, n) for key, n in sorted(outcome.changes.items())),
    }
    text = ",\n".join(f'"{name}": {part}' for name, part in parts.items())
    _file(scenario).write_text(f"{{\n{text}\n}}\n", "utf-8")


def _file(scenario: Scenario) -> Path:
    return FOLDER / f"{scenario.name}.json"


def _object(rows: Iterable[tuple[int, object]]) -> str:
    lines = (f'  "{id_}": {json.dumps(row, ensure_ascii=False)}' for id_, row in sorted(rows))
    return "{\n" + ",\n".join(lines) + "\n}"


def _list(rows: Iterable[object]) -> str:
    return "[\n" + ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows) + "\n]"


def main() -> None:
    """Write the current results of all scenarios."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for scenario in SCENARIOS:
            write(scenario, undisturbed(scenario, Path(folder) / scenario.name))


if __name__ == "__main__":
    main()
