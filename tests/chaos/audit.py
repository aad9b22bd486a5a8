"""Compare the changes in the store with the documents in Paperless, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from core.changes import Change, ChangeState
from core.fields import FieldName, Name
from core.jobs import Job, JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless.records import Kind
from tests.installation import snapshot

Described = Mapping[str, object]

_KEYS = {
    FieldName.TITLE: "title",
    FieldName.CORRESPONDENT: "correspondent",
    FieldName.DOCUMENT_TYPE: "document_type",
    FieldName.DATE: "created",
}
"""Key of each field with a single value in Paperless."""


async def audit(services: Services, sandbox: Sandbox, before: Mapping[int, Described]) -> list[str]:
    """Return the differences; `before` has the original values in Paperless."""
    found = snapshot(sandbox)
    problems: list[str] = []
    for job in await services.store.jobs.list(limit=1000):
        changes = await services.store.changes.list_for_document(job.document)
        number = job.document.id
        found_here = [*_check_job(job, changes), *_find_missing(changes, found[number])]
        found_here += _find_unexplained(
            _possibly_written(job, changes), sandbox, before[number], found[number]
        )
        problems += [f"{job.document}: {problem}" for problem in found_here]
    return problems


def _check_job(job: Job, changes: Sequence[Change]) -> Iterator[str]:
    if job.status is JobStatus.FAILED and job.problem is None:
        yield "failed without a problem"
    if job.status is JobStatus.COMPLETED:
        yield from (f"{change.field} left open" for change in _in(changes, ChangeState.INTENDED))


def _find_missing(changes: Sequence[Change], found: Described) -> Iterator[str]:
    """Yield each change that is recorded as written and missing in Paperless."""
    for change in _in(changes, ChangeState.APPLIED):
        if _words(change.after) not in _values(found, change):
            yield f"{change.field} is not {_words(change.after)}"


def _find_unexplained(
    changes: Sequence[Change], sandbox: Sandbox, before: Described, found: Described
) -> Iterator[str]:
    """Yield each value in Paperless that no change explains."""
    for field, key in _KEYS.items():
        if found[key] != before[key] and found[key] not in _written(changes, field):
            yield f"{field} became {found[key]}"
    added = _listed(found["tags"]) - _listed(before["tags"])
    yield from (f"tag {tag}" for tag in added - _with_ancestors(changes, sandbox))
    rest = found.keys() - {"tags", *_KEYS.values()}
    yield from (f"{key} changed" for key in rest if found[key] != before[key])
    yield from (f"tag {tag} is gone" for tag in _listed(before["tags"]) - _listed(found["tags"]))


def _possibly_written(job: Job, changes: Sequence[Change]) -> list[Change]:
    """Return the changes that may have been written; a failed job need not know all outcomes."""
    applied = _in(changes, ChangeState.APPLIED)
    return applied if job.status is JobStatus.COMPLETED else [*applied, *_open(changes)]


def _open(changes: Sequence[Change]) -> list[Change]:
    return _in(changes, ChangeState.INTENDED)


def _in(changes: Sequence[Change], state: ChangeState) -> list[Change]:
    return [change for change in changes if change.state is state]


def _values(found: Described, change: Change) -> set[str]:
    if change.field is FieldName.TAGS:
        return _listed(found["tags"])
    assert isinstance(change.field, FieldName)
    return {str(found[_KEYS[change.field]])}


def _written(changes: Sequence[Change], field: FieldName) -> set[str]:
    return {_words(change.after) for change in changes if change.field is field}


def _with_ancestors(changes: Sequence[Change], sandbox: Sandbox) -> set[str]:
    """Return the names of the written tags, and of their ancestors, which Paperless adds."""
    tags, named = sandbox.world.names[Kind.TAG], _written(changes, FieldName.TAGS)
    todo = [tag for tag in tags.values() if tag.name in named]
    for tag in todo:
        if tag.parent is not None:
            todo.append(tags[tag.parent])
    return {tag.name for tag in todo}


def _listed(names: object) -> set[str]:
    assert isinstance(names, list)
    return set(names)


def _words(value: object) -> str:
    match value:
        case Name(name=name):
            return name
        case date():
            return value.isoformat()
        case _:
            return str(value)
