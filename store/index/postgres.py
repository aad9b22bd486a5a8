"""The full text index on PostgreSQL: `tsvector` with stemming, and trigrams of its words.

A chunk is stemmed in the language of its document, and a search in every language. Trigrams are
arrays of our own, because the extension `pg_trgm` needs an administrator to install it.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Engine, bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY, TEXT

from store.index.tables import LONG, numbered_chunk_id
from store.index.text import ChunkWords, TermGroup

_CONFIGURATIONS = {"de": "german", "en": "english"}
_EVERY_CONFIGURATION = (*_CONFIGURATIONS.values(), "simple")


def _in_every_language(value: str, mark: str = ":") -> str:
    return " || ".join(f"to_tsquery('{name}', {mark}{value})" for name in _EVERY_CONFIGURATION)


_INSERT = text(
    "UPDATE archive_chunks SET words ="
    " setweight(to_tsvector(CAST(:configuration AS regconfig), :title), 'A')"
    " || to_tsvector(CAST(:configuration AS regconfig), :words) WHERE id = :id"
)
_WORDS = bindparam("words", type_=ARRAY(TEXT))
_ADD_WORDS = text(
    "INSERT INTO archive_words (word, chunks) SELECT unnest(:words), 0"
    " ON CONFLICT (word) DO NOTHING"
).bindparams(_WORDS)
# In a fixed order: two transactions that lock the same rows in different orders block each other.
_LOCK_WORDS = text(
    "SELECT 1 FROM archive_words WHERE word = ANY(:words) ORDER BY word FOR UPDATE"
).bindparams(_WORDS)
_COUNT_WORDS = text(
    "UPDATE archive_words SET chunks = chunks + :count WHERE word = ANY(:words)"
).bindparams(_WORDS)
_FIND_WORDS = text(
    "SELECT word FROM archive_words WHERE trigrams @> :trigrams AND strpos(word, :part) > 0"
    " ORDER BY chunks DESC, word LIMIT :limit"
).bindparams(bindparam("trigrams", type_=ARRAY(TEXT)))


_DROP_WORDS = text(
    f"""
    DELETE FROM archive_words WHERE word = ANY(:words) AND NOT EXISTS (
        SELECT 1 FROM archive_chunks
        WHERE archive_chunks.words @@ ({_in_every_language("archive_words.word", "")})
    )
    """  # noqa: S608 - a parameter alone
).bindparams(_WORDS)


def is_supported(connection: Connection) -> bool:
    """Return True: the migration has created everything."""
    return True


def chunk_id(row: int, number: int, *, is_long: bool) -> int:
    """Return the id of a chunk."""
    return numbered_chunk_id(row, number) + (LONG if is_long else 0)


def add_chunks(connection: Connection, chunks: Iterable[ChunkWords]) -> None:
    """Index the words of stored chunks, each stemmed in its language."""
    values = [
        {
            "id": chunk.id,
            "title": " ".join(chunk.title),
            "words": chunk.spelled_out,
            "configuration": _CONFIGURATIONS.get(chunk.language, "simple"),
        }
        for chunk in chunks
    ]
    connection.execute(_INSERT, values)


def remove_chunk(connection: Connection, chunk: ChunkWords) -> None:
    """Do nothing: the words go with the row of the chunk."""


def add_words(connection: Connection, words: Sequence[str]) -> None:
    """Add words to the vocabulary; those that are there are not written again."""
    connection.execute(_ADD_WORDS, {"words": list(words)})


def count_words(connection: Connection, words: Sequence[str], count: int) -> None:
    """Add `count` to the number of chunks that each word is known to occur in."""
    connection.execute(_LOCK_WORDS, {"words": list(words)})
    connection.execute(_COUNT_WORDS, {"words": list(words), "count": count})


def drop_words(connection: Connection, words: Sequence[str]) -> None:
    """Delete the words that occur in no chunk any more; a form with the same stem counts."""
    connection.execute(_LOCK_WORDS, {"words": list(words)})
    connection.execute(_DROP_WORDS, {"words": list(words)})


def find_words(connection: Connection, part: str, limit: int) -> Sequence[str]:
    """Return the indexed words that contain `part`, the most frequent first."""
    trigrams = sorted({part[n : n + 3] for n in range(len(part) - 2)})
    values = {"trigrams": trigrams, "part": part, "limit": limit}
    return connection.scalars(_FIND_WORDS, values).all()


def hits_query(
    connection: Connection, groups: Sequence[TermGroup]
) -> tuple[str, dict[str, object]]:
    """Build the query for the best chunk of each document that has a word of every group."""
    values: dict[str, object] = {f"group_{n}": _expression(group) for n, group in enumerate(groups)}
    queries = [_in_every_language(name) for name in values]
    any_ = " || ".join(queries)
    has = ", ".join(f"words @@ ({query}) AS has_{n}" for n, query in enumerate(queries))
    has_all = " AND ".join(f"bool_or(has_{n})" for n in range(len(queries)))
    query = f"""
        SELECT document, (array_agg(id ORDER BY score, id))[1] AS chunk, min(score) AS score
        FROM (
            SELECT document, id, -ts_rank(words, {any_})::float8 AS score, {has}
            FROM archive_chunks WHERE words @@ ({any_})
        ) AS matching
        GROUP BY document HAVING {has_all}
    """  # noqa: S608 - parameters alone
    return query, values


def similar_query(words: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Build the query for the documents that share most of these words.

    The words come with the rarest first, and count accordingly.
    """
    query = f"""
        SELECT document, -sum(weight) AS score
        FROM (
            SELECT DISTINCT archive_chunks.document, term.number, 1.0 / (term.number + 5) AS weight
            FROM unnest(string_to_array(:terms, ' ')) WITH ORDINALITY AS term (word, number)
            JOIN archive_chunks ON archive_chunks.words @@ ({_in_every_language("term.word", "")})
        ) AS shared
        GROUP BY document
    """  # noqa: S608 - a parameter alone
    return query, {"terms": " ".join(words)}


def merge_step(connection: Connection) -> bool:
    """Return False: PostgreSQL merges its indexes by itself."""
    return False


def begin_purge(connection: Connection) -> None:
    """Do nothing: VACUUM, which cannot run in a transaction, removes deleted rows."""


def vacuum(engine: Engine) -> None:
    """Remove deleted rows from the tables."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in ("archive_chunks", "archive_words", "archive_documents"):
            connection.execute(text(f"VACUUM {table}"))


def _expression(group: TermGroup) -> str:
    terms = [f"'{word}'" for word in group.words]
    if group.prefix:
        terms.append(f"'{group.prefix}':*")
    return " | ".join(terms)
