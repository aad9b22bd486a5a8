"""Say in plain words what pydantic found wrong with a setting."""

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from core.messages import Message, message, message_in, plain
from core.settings.daemon import DaemonSettings
from core.settings.errors import KeyPath, closest_match, did_you_mean
from core.settings.instance import InstanceTables
from core.settings.options import Option, list_options, list_tables

_MESSAGES = {
    "string_type": message("expected text in quotes"),
    "int_type": message("expected a whole number"),
    "bool_parsing": message("expected true or false"),
    "bool_type": message("expected true or false"),
    "tuple_type": message('expected a list such as ["Inbox"]'),
    "dict_type": message('expected a table such as { name = "value" }'),
    "model_type": message("expected a table"),
}


def error_path(error: ErrorDetails) -> KeyPath:
    """Return the keys that lead to an error; for an item of a list those of the list."""
    return tuple(key for key in error["loc"] if isinstance(key, str))


def describe(error: ErrorDetails, model: type[BaseModel]) -> Message:
    """Return what is wrong and what to write instead, without repeating what may be secret."""
    path, context = error_path(error), error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return message_in(context["error"])
        case "missing":
            return _missing(_option(path, model))
        case "extra_forbidden":
            return _unknown(path, model)
        case "enum":
            return _not_one_of(error["input"], _option(path, model))
    return _MESSAGES.get(error["type"]) or _out_of_range(error)


def guess_path(error: ErrorDetails, model: type[BaseModel]) -> KeyPath | None:
    """Return the path that an unknown one was probably meant to be."""
    if error["type"] != "extra_forbidden":
        return None
    *table, key = error_path(error)
    guess = closest_match(key, _beside(error_path(error), model))
    return (*table, guess) if guess else None


def _option(path: KeyPath, model: type[BaseModel]) -> Option:
    """Return the option at a path, or the table within which the path leads on."""
    return next(one for one in list_options(model) if one.path == path[: len(one.path)])


def _out_of_range(error: ErrorDetails) -> Message:
    match error.get("ctx"):
        case {"ge": least}:
            return message("must be at least {least}", least=str(least))
        case {"le": most}:
            return message("must be at most {most}", most=str(most))
    return plain(error["msg"])


def _missing(option: Option) -> Message:
    if option.is_secret:
        key, file = (path[-1] for path in option.paths)
        return message("missing - give {key} or {file}", key=key, file=file)
    if examples := option.field.examples:
        return message('missing - write for example "{example}"', example=str(examples[0]))
    return message("missing")


def _unknown(path: KeyPath, model: type[BaseModel]) -> Message:
    """Guess what was meant: another file, a key beside it, or the same key in another table."""
    unknown = message("unknown option")
    if model is InstanceTables and path[0] in DaemonSettings.model_fields:
        return message("{said} - it belongs in daemon.toml", said=unknown)
    if model is DaemonSettings and path[0] in InstanceTables.model_fields:
        return message("{said} - it belongs in the file of an instance", said=unknown)
    keys = [one for option in list_options(model) for one in option.paths]
    elsewhere = (".".join(one) for one in keys if one[-1] == path[-1])
    guess = closest_match(path[-1], _beside(path, model)) or next(elsewhere, None)
    return did_you_mean(unknown, guess) if guess else unknown


def _beside(path: KeyPath, model: type[BaseModel]) -> set[str]:
    """List the keys and tables that could stand where an unknown one does."""
    keys = {one for option in list_options(model) for one in option.paths}
    keys |= {(table,) for table in list_tables(model)}
    return {one[-1] for one in keys if one[:-1] == path[:-1]}


def _not_one_of(value: object, option: Option) -> Message:
    choices = ", ".join(f'"{choice.value}"' for choice in option.choices)
    if isinstance(value, str):
        return message('"{value}" is not one of {choices}', value=value, choices=choices)
    return message("expected one of {choices}", choices=choices)
