"""Load the settings from files and environment, and describe every error in them at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.messages import Message, closest_match, did_you_mean, message, message_in, plain
from core.settings.daemon import DaemonSettings
from core.settings.errors import (
    ConfigError,
    KeyPath,
    SettingError,
    SettingSource,
)
from core.settings.files import (
    SettingsFile,
    check_file_names,
    describe_missing_instance,
    find_files,
    parse_file,
    read_file,
)
from core.settings.instance import DAEMON, InstanceSettings, InstanceTables
from core.settings.options import (
    FileSettings,
    Option,
    build_from_layers,
    list_options,
    list_tables,
)
from core.settings.sources import (
    RENAMED,
    UNKNOWN,
    Layer,
    LayerSource,
    Renames,
    SourcedValue,
    flatten,
    read_environment,
    renames_in,
    use_present_names,
)

_MESSAGES = {
    "string_type": message("expected text in quotes"),
    "int_type": message("expected a whole number"),
    "bool_parsing": message("expected true or false"),
    "bool_type": message("expected true or false"),
    "tuple_type": message('expected a list such as ["Inbox"]'),
    "dict_type": message('expected a table such as { name = "value" }'),
    "model_type": message("expected a table"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, and where each value comes from."""

    instances: Mapping[str, InstanceSettings]
    daemon: DaemonSettings
    origins: Mapping[str, str] = field(default_factory=dict)
    """`home.toml:7`, a variable's name or `default`, by `home.ai.model` or `daemon.log.level`."""
    folder: Path = Path("config")
    """The config folder; it may not exist yet."""
    warnings: tuple[SettingError, ...] = ()
    """What is accepted, but should be changed."""

    def require_instances(self) -> None:
        """Raise ConfigError if no instance is set up yet."""
        if not self.instances:
            raise ConfigError([describe_missing_instance(self.folder)])


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The validated values of one file, or its errors."""

    values: Mapping[str, object]
    origins: Mapping[str, str]
    """`home.toml:7`, a variable's name or `default`, by the path of the setting."""
    errors: list[SettingError]
    warnings: list[SettingError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SettingsReading:
    """What the files and the environment contain; a file with an error has no values."""

    instances: Mapping[str, InstanceSettings]
    daemon: DaemonSettings | None
    """None if daemon.toml, or one of its variables, has an error."""
    origins: Mapping[str, str]
    folder: Path
    warnings: tuple[SettingError, ...] = ()
    errors: tuple[SettingError, ...] = ()
    invalid: frozenset[str] = frozenset()
    """The stems of the files with an error."""
    has_unknown_variables: bool = False

    def without_invalid(self) -> Settings:
        """Return the settings without the invalid instances.

        Raise ConfigError if daemon.toml is invalid, or if a variable belongs to no file.
        """
        if self.daemon is None or self.has_unknown_variables:
            raise ConfigError(self.errors)
        return Settings(self.instances, self.daemon, self.origins, self.folder, self.warnings)


def load_settings(
    folder: Path, environ: Mapping[str, str], *, renames: Renames = RENAMED
) -> Settings:
    """Load every settings file of the folder; raise ConfigError with all errors.

    A folder without an instance is valid: the daemon then offers to set one up.
    """
    reading = read_settings(folder, environ, renames=renames)
    if reading.errors:
        raise ConfigError(reading.errors)
    return reading.without_invalid()


def read_settings(
    folder: Path, environ: Mapping[str, str], *, renames: Renames = RENAMED
) -> SettingsReading:
    """Read every settings file of the folder; raise ConfigError if the folder cannot be read."""
    files = find_files(folder)
    layers, misread = read_environment(environ, files.keys() - {DAEMON}, renames=renames)
    checked = {
        stem: _check_file(stem, files.get(stem), layers[stem], folder, renames)
        for stem in sorted(layers)
    }
    misnamed = check_file_names(files)
    of_variables = [error for errors in misread.values() for error in errors]
    invalid = {stem for stem, file in checked.items() if file.errors or misread[stem]}
    invalid |= {error.file.removesuffix(".toml") for error in misnamed}
    valid = {stem: file for stem, file in checked.items() if stem not in invalid}
    instances = _build_instances(valid)
    return SettingsReading(
        instances=instances,
        daemon=DaemonSettings.model_validate(valid[DAEMON].values) if DAEMON in valid else None,
        origins=_join_origins(valid),
        folder=folder,
        warnings=(*_join_warnings(valid), *_warn_of_shared_urls(instances, valid)),
        errors=(
            *misnamed,
            *(error for file in checked.values() for error in file.errors),
            *sorted(of_variables, key=lambda error: error.file),
        ),
        invalid=frozenset(invalid),
        has_unknown_variables=bool(misread[UNKNOWN]),
    )


def load_daemon_settings(folder: Path, environ: Mapping[str, str]) -> DaemonSettings:
    """Load the process-wide settings, regardless of errors in the instances.

    Raise ConfigError with the errors in daemon.toml and in its variables.
    """
    try:
        files = find_files(folder)
    except ConfigError:
        files = {}
    layers, _ = read_environment(environ, files.keys() - {DAEMON})
    checked = _check_file(DAEMON, files.get(DAEMON), layers[DAEMON], folder)
    if checked.errors:
        raise ConfigError(checked.errors)
    return DaemonSettings.model_validate(checked.values)


def load_setup_settings(folder: Path, environ: Mapping[str, str]) -> DaemonSettings:
    """Load the process-wide settings for the page about invalid settings.

    Where daemon.toml is invalid, those of the environment alone. Raise ConfigError if they are
    invalid, too.
    """
    try:
        return load_daemon_settings(folder, environ)
    except ConfigError:
        layers, _ = read_environment(environ, ())
        checked = _check_file(DAEMON, None, layers[DAEMON], folder)
        if checked.errors:
            raise
    return DaemonSettings.model_validate(checked.values)


def load_draft(name: str, text: str, folder: Path, environ: Mapping[str, str]) -> Settings:
    """Load the settings of one file from a text that is not written to it yet.

    The process-wide settings are those of the folder unless the text is for daemon.toml; other
    instances are left out. Raise ConfigError with the errors in the text, in daemon.toml and in the
    names of the files.
    """
    files = find_files(folder)
    layers, _ = read_environment(environ, {name} - {DAEMON})
    draft = parse_file(f"{name}.toml", text)
    model: type[FileSettings] = DaemonSettings if name == DAEMON else InstanceTables
    checked = {DAEMON: _check_file(DAEMON, files.get(DAEMON), layers[DAEMON], folder)}
    checked[name] = _check_values(model, draft, layers[name], folder)
    errors = [
        *check_file_names({*files, name}),
        *(error for file in checked.values() for error in file.errors),
    ]
    if errors:
        raise ConfigError(errors)
    return Settings(
        _build_instances(checked),
        DaemonSettings.model_validate(checked[DAEMON].values),
        _join_origins(checked),
        folder,
        _join_warnings(checked),
    )


def error_path(error: ErrorDetails) -> KeyPath:
    """Return the path of an error; for an item of a list, the path of the list."""
    return tuple(key for key in error["loc"] if isinstance(key, str))


def describe(error: ErrorDetails, model: type[BaseModel]) -> Message:
    """Return the message for an error, without a value that may be secret."""
    path, context = error_path(error), error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return message_in(context["error"])
        case "missing":
            return _describe_missing(_find_option(path, model))
        case "extra_forbidden":
            return _describe_unknown(path, model)
        case "enum":
            return _describe_choices(error["input"], _find_option(path, model))
    return _MESSAGES.get(error["type"]) or _describe_range(error)


def guess_path(error: ErrorDetails, model: type[BaseModel]) -> KeyPath | None:
    """Return the known path that is most similar to an unknown one; None if there is none."""
    if error["type"] != "extra_forbidden":
        return None
    *table, key = error_path(error)
    guess = closest_match(key, _sibling_keys(error_path(error), model))
    return (*table, guess) if guess else None


def _check_file(
    stem: str, path: Path | None, above: Layer, folder: Path, renames: Renames = RENAMED
) -> CheckedFile:
    model: type[FileSettings] = DaemonSettings if stem == DAEMON else InstanceTables
    try:
        file = read_file(path) if path else SettingsFile(f"{stem}.toml", {}, {})
    except ConfigError as error:
        return CheckedFile({}, {}, list(error.errors))
    return _check_values(model, file, above, folder, renames)


def _build_instances(checked: Mapping[str, CheckedFile]) -> Mapping[str, InstanceSettings]:
    return MappingProxyType(
        {
            stem: InstanceSettings.model_validate({**file.values, "name": stem})
            for stem, file in checked.items()
            if stem != DAEMON
        }
    )


def _join_origins(checked: Mapping[str, CheckedFile]) -> Mapping[str, str]:
    return MappingProxyType(
        {
            f"{stem}.{path}": origin
            for stem, file in checked.items()
            for path, origin in file.origins.items()
        }
    )


def _join_warnings(checked: Mapping[str, CheckedFile]) -> tuple[SettingError, ...]:
    return tuple(warning for file in checked.values() for warning in file.warnings)


def _warn_of_shared_urls(
    instances: Mapping[str, InstanceSettings], checked: Mapping[str, CheckedFile]
) -> Iterator[SettingError]:
    """Yield a warning for each instance whose Paperless is that of one before it.

    It is no error: the two may select different documents.
    """
    path = ("paperless", "url")
    first: dict[str, str] = {}
    for name, instance in instances.items():
        url = instance.paperless.url.rstrip("/")
        other = first.setdefault(url, name)
        if other != name:
            place = SettingSource.parse(checked[name].origins[".".join(path)])
            text = message(
                "{file} has the same address: documents that both instances select are processed"
                " and paid for twice",
                file=f"{other}.toml",
            )
            yield SettingError.at(place, path, text)


def _check_values(
    model: type[FileSettings],
    file: SettingsFile,
    above: Layer,
    folder: Path,
    renames: Renames = RENAMED,
) -> CheckedFile:
    """Validate the values of a file under those of the environment."""
    renamed = renames_in(model, renames)
    raw = flatten(file.raw, {*list_tables(model), *(former[0] for former in renamed)})
    written = {path: SourcedValue(value, file.source_of(path)) for path, value in raw.items()}
    below, warnings = use_present_names(written, renamed)
    above, more_warnings = use_present_names(above, renamed)
    upper, lower = LayerSource(model, above, folder), LayerSource(model, below, folder)
    values, errors = _build_table(model, upper, lower)
    layer = {**lower.layer, **upper.layer}
    invalid = [
        SettingError.at(_find_place(path, layer, file), path, describe(error, model))
        for error in errors
        for path in (error_path(error),)
    ]
    ordered = _sort_errors([*upper.errors, *lower.errors, *invalid])
    origins = {
        ".".join(option.path): str(layer[option.path].place) if option.path in layer else "default"
        for option in list_options(model)
    }
    return CheckedFile(values, origins, ordered, [*warnings, *more_warnings])


def _build_table(
    model: type[FileSettings], upper: LayerSource, lower: LayerSource
) -> tuple[Mapping[str, object], list[ErrorDetails]]:
    # A value where a table belongs has priority, so that variables do not hide that error.
    no_tables = {
        key: lower.layer[key,].value for key in list_tables(model) if (key,) in lower.layer
    }
    try:
        return dict(build_from_layers(model, upper, lower, **no_tables)), []
    except ValidationError as error:
        return {}, _drop_repeated(error.errors(), model)


def _drop_repeated(errors: list[ErrorDetails], model: type[BaseModel]) -> list[ErrorDetails]:
    """Return the errors without a missing setting whose misspelt name is reported already."""
    meant = {guess_path(error, model) for error in errors}
    return [
        error for error in errors if error["type"] != "missing" or error_path(error) not in meant
    ]


def _find_place(path: KeyPath, layer: Layer, file: SettingsFile) -> SettingSource:
    """Return where a value was written; for a part of a value in a file, the part's own line."""
    if path in layer:
        return layer[path].place
    outer = layer.get(path[:2])
    return outer.place if outer and outer.place.line is None else file.source_of(path)


def _sort_errors(errors: list[SettingError]) -> list[SettingError]:
    """Return the first error of each setting by line, those of the environment last."""
    first: dict[str, SettingError] = {}
    for error in errors:
        first.setdefault(error.path.removesuffix("_file"), error)
    return sorted(
        first.values(), key=lambda error: (error.line is None, error.line or 0, error.path)
    )


def _find_option(path: KeyPath, model: type[BaseModel]) -> Option:
    """Return the option at a path, or the option that contains it."""
    options = list_options(model)
    return next(option for option in options if option.path == path[: len(option.path)])


def _describe_range(error: ErrorDetails) -> Message:
    match error.get("ctx"):
        case {"ge": least}:
            return message("must be at least {least}", least=str(least))
        case {"le": most}:
            return message("must be at most {most}", most=str(most))
    return plain(error["msg"])


def _describe_missing(option: Option) -> Message:
    if option.is_secret:
        key, file = (path[-1] for path in option.paths)
        return message("missing - set {key} or {file}", key=key, file=file)
    if examples := option.field.examples:
        return message('missing - write for example "{example}"', example=str(examples[0]))
    return message("missing")


def _describe_unknown(path: KeyPath, model: type[BaseModel]) -> Message:
    """Suggest another file, a similar key of the table, or the same key of another table."""
    unknown = message("unknown option")
    if model is InstanceTables and path[0] in DaemonSettings.model_fields:
        return message("{said} - it belongs in daemon.toml", said=unknown)
    if model is DaemonSettings and path[0] in InstanceTables.model_fields:
        return message("{said} - it belongs in the file of an instance", said=unknown)
    known = [known for option in list_options(model) for known in option.paths]
    elsewhere = (".".join(keys) for keys in known if keys[-1] == path[-1])
    guess = closest_match(path[-1], _sibling_keys(path, model)) or next(elsewhere, None)
    return did_you_mean(unknown, guess) if guess else unknown


def _sibling_keys(path: KeyPath, model: type[BaseModel]) -> set[str]:
    """Return the keys and tables that are valid beside an unknown key."""
    known = {keys for option in list_options(model) for keys in option.paths}
    known |= {(table,) for table in list_tables(model)}
    return {keys[-1] for keys in known if keys[:-1] == path[:-1]}


def _describe_choices(value: object, option: Option) -> Message:
    choices = ", ".join(f'"{choice.value}"' for choice in option.choices)
    if isinstance(value, str):
        return message('"{value}" is not one of {choices}', value=value, choices=choices)
    return message("expected one of {choices}", choices=choices)
