"""`python -m benchmarks.eval.prompt_tokens`: tokens of the prompts about the documents.

Compares the prompt for a server that enforces the schema with the one that contains it as text.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean

import httpx

from benchmarks.eval.corpus import CURRENCY, DUE, NUMBER, TOTAL, load_archive, load_documents
from benchmarks.eval.report import Table
from core.fields import CustomField, DataType, Definition, FieldName
from daemon.cli.terminal import print_table
from processor.analysis.prompt import Prompt, PromptSettings, build_prompt
from processor.analysis.prompt_blocks import NameEntry, OfferedNames, estimate_tokens
from processor.policy import reason_not_to_ask
from sandbox.paperless.records import Kind

_FIELDS = tuple(field for field in FieldName if field is not FieldName.STORAGE_PATH)
_CUSTOM_FIELDS = (
    Definition(CustomField(1, NUMBER), DataType.STRING),
    Definition(CustomField(2, TOTAL), DataType.MONETARY, currency=CURRENCY),
    Definition(CustomField(3, DUE), DataType.DATE),
)
_KINDS = {
    FieldName.CORRESPONDENT: Kind.CORRESPONDENT,
    FieldName.DOCUMENT_TYPE: Kind.DOCUMENT_TYPE,
    FieldName.TAGS: Kind.TAG,
}
_MARK = "0" * 16

Count = Callable[[str], int]


def build_prompts(texts: Iterable[str], names: OfferedNames) -> list[Prompt]:
    """Build the prompt about each text that is worth a model call."""
    settings = PromptSettings(fields=_FIELDS, custom_fields=_CUSTOM_FIELDS)
    return [
        build_prompt(text, names=names, settings=settings, mark=_MARK)
        for text in texts
        if reason_not_to_ask(text) is None
    ]


def compare_forms(prompts: Sequence[Prompt], count: Count) -> Table:
    """Return the mean tokens of both forms: of the first message, and of the whole prompt."""
    forms: Mapping[str, Sequence[Prompt]] = {
        "with the schema as text": [prompt.with_schema_text() for prompt in prompts],
        "with an example of one line": prompts,
    }
    rows = [
        (
            form,
            f"{mean(count(prompt.system) for prompt in sent):,.0f}",
            f"{mean(count(prompt.system) + count(prompt.user) for prompt in sent):,.0f}",
        )
        for form, sent in forms.items()
    ]
    title = f"Mean tokens of {len(prompts)} prompts"
    return Table(title, ("prompt", "first message", "both messages"), rows)


def count_by_server(url: str) -> Count:
    """Return a function that counts tokens as a llama.cpp server does."""
    http = httpx.Client(base_url=url, timeout=60)

    def count(text: str) -> int:
        answer = http.post("/tokenize", json={"content": text})
        return len(answer.raise_for_status().json()["tokens"])

    return count


def _names_of_archive() -> OfferedNames:
    world = load_archive()
    return {
        field: [NameEntry(name.name, id=name.id) for name in world.names[kind].values()]
        for field, kind in _KINDS.items()
    }


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default="", help="a llama.cpp server that counts the tokens")
    server = parser.parse_args(arguments).server
    texts = [document.text for document in load_documents()]
    prompts = build_prompts(texts, _names_of_archive())
    table = compare_forms(prompts, count_by_server(server) if server else estimate_tokens)
    print_table(table.headings, table.rows)


if __name__ == "__main__":
    main(sys.argv[1:])
