"""Put the question about a custom field into words."""

import json
from collections.abc import Mapping

from core.custom_fields import DataType, Definition
from core.text import tidy
from processor.analysis.answer import answer_key
from processor.analysis.custom_values import TEXT_LENGTH

_MOST_OPTIONS = 100
"""A longer list would leave no room for the document."""
_WANTED: Mapping[DataType, str] = {
    DataType.STRING: f"text, at most {TEXT_LENGTH} characters, as the document spells it",
    DataType.LONGTEXT: "text, in the document's own words",
    DataType.URL: "a web address that begins with http:// or https://",
    DataType.DATE: "a date as YYYY-MM-DD",
    DataType.BOOLEAN: '"yes" or "no", only if the document says so',
    DataType.INTEGER: "a whole number, digits only",
    DataType.FLOAT: "a number, with a point before the decimals and no other signs",
    DataType.MONETARY: "an amount of money with its currency, as in EUR 1234.50",
}


def custom_line(definition: Definition) -> str:
    """Say what is asked for: its key in the answer, the owner's name for it, what it may be."""
    name = json.dumps(tidy(definition.field.name), ensure_ascii=False)
    return f"- {answer_key(definition.field)}: what the archive calls {name}: {_wanted(definition)}"


def _wanted(definition: Definition) -> str:
    if definition.data_type is not DataType.SELECT:
        return _WANTED[definition.data_type]
    labels = [tidy(option.label) for option in definition.options[:_MOST_OPTIONS]]
    return f"one of these and nothing else: {json.dumps(labels, ensure_ascii=False)}"
