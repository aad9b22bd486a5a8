"""Say in plain words what pydantic found wrong with a setting."""

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from core.settings.closest import closest, did_you_mean
from core.settings.daemon import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.mistakes import KeyPath
from core.settings.options import Option, options_of, tables_of

_SENTENCES = {
    "string_type": "expected text in quotes",
    "int_type": "expected a whole number",
    "bool_parsing": "expected true or false",
    "bool_type": "expected true or false",
    "tuple_type": 'expected a list such as ["Inbox"]',
    "dict_type": 'expected a table such as {{ name = "value" }}',
    "model_type": "expected a table",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}


def path_of(error: ErrorDetails) -> KeyPath:
    """Return the keys that lead to an error; for an item of a list those of the list."""
    return tuple(key for key in error["loc"] if isinstance(key, str))


def sentence(error: ErrorDetails, model: type[BaseModel]) -> str:
    """Say what is wrong and what to write instead, without repeating what may be secret."""
    path, context = path_of(error), error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return str(context["error"])
        case "missing":
            return _missing(_option(path, model))
        case "extra_forbidden":
            return "unknown option" + _unknown(path, model)
        case "enum":
            return _not_one_of(error["input"], _option(path, model))
        case other if other in _SENTENCES:
            return _SENTENCES[other].format_map(context)
    return error["msg"]


def meant_by(error: ErrorDetails, model: type[BaseModel]) -> KeyPath | None:
    """Return the path that an unknown one was probably meant to be."""
    if error["type"] != "extra_forbidden":
        return None
    *table, key = path_of(error)
    guess = closest(key, _beside(path_of(error), model))
    return (*table, guess) if guess else None


def _option(path: KeyPath, model: type[BaseModel]) -> Option:
    """Return the option at a path, or the table within which the path leads on."""
    return next(one for one in options_of(model) if one.path == path[: len(one.path)])


def _missing(option: Option) -> str:
    if option.is_secret:
        return f"missing - give {' or '.join(path[-1] for path in option.paths)}"
    examples = option.field.examples or []
    return f'missing - write for example "{examples[0]}"' if examples else "missing"


def _unknown(path: KeyPath, model: type[BaseModel]) -> str:
    """Guess what was meant: another file, a key beside it, or the same key in another table."""
    if model is InstanceTables and path[0] in DaemonSettings.model_fields:
        return " - it belongs in daemon.toml"
    if model is DaemonSettings and path[0] in InstanceTables.model_fields:
        return " - it belongs in the file of an instance"
    keys = [one for option in options_of(model) for one in option.paths]
    elsewhere = (f' - did you mean "{".".join(one)}"?' for one in keys if one[-1] == path[-1])
    return did_you_mean(path[-1], _beside(path, model)) or next(elsewhere, "")


def _beside(path: KeyPath, model: type[BaseModel]) -> set[str]:
    """List the keys and tables that could stand where an unknown one does."""
    keys = {one for option in options_of(model) for one in option.paths}
    keys |= {(table,) for table in tables_of(model)}
    return {one[-1] for one in keys if one[:-1] == path[:-1]}


def _not_one_of(value: object, option: Option) -> str:
    choices = ", ".join(f'"{choice.value}"' for choice in option.choices)
    return (
        f'"{value}" is not one of {choices}'
        if isinstance(value, str)
        else f"expected one of {choices}"
    )
