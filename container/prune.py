"""Delete from an installation what Paperclerk never uses, to keep the image and its memory small.

Each line was measured; docs/performance.md has the figures. The licences and the metadata of the
libraries stay. `tests/test_image.py` files a document with what is left.
"""

import ast
import marshal
import shutil
import struct
import subprocess
import sys
from importlib.util import MAGIC_NUMBER
from pathlib import Path

UNUSED = (
    # Tests, sources in other languages and type stubs; nothing of it is imported by a program.
    "*/testing",
    "*/tests",
    "**/*.c",
    "**/*.pxd",
    "**/*.pyi",
    # Apprise's pictures for desktops, and its own log messages in other languages.
    "apprise/assets/themes",
    "apprise/i18n/*.pot",
    "apprise/i18n/*/LC_MESSAGES",
    # Parts of the OpenAI API other than chat; the SDK imports each when it is asked for.
    *(
        f"openai/{folder}/{part}"
        for folder in ("lib", "resources", "types")
        for part in (
            *("admin", "audio", "beta", "containers", "conversations", "evals", "fine_tuning"),
            *("live", "realtime", "responses_websocket", "skills", "vector_stores", "webhooks"),
        )
    ),
    # Its command line, which loads Rich and click. Without it, httpx works as before.
    "httpx/_main.py",
    # Reads C, to build the modules that are compiled already.
    "pycparser",
    # Pydantic's v1 API. FastAPI imports it only to recognise v1 models.
    "pydantic/v1",
    # Colours for source code. The help imports Rich's tracebacks, which need Python's alone.
    "pygments/formatters/[!_]*",
    "pygments/lexers/[!_p]*",
    "pygments/lexers/_[!_m]*",
    "pygments/lexers/p[!y]*",
    "pygments/styles/[!_d]*",
    # Variants for newer processors. Names are short; they are compared as fast without.
    "rapidfuzz/**/*_avx2*",
    # Databases that Paperclerk does not use.
    "sqlalchemy/dialects/mssql",
    "sqlalchemy/dialects/mysql",
    "sqlalchemy/dialects/oracle",
    # Numbers of network cards, SIM cards and Chinese places.
    "stdnum/cn/loc.dat",
    "stdnum/imsi.dat",
    "stdnum/oui.dat",
    # The base image has Debian's time zones.
    "tzdata",
)
"""Patterns of files and folders below `site-packages`."""

WITH_SYMBOLS = ("sqlalchemy/**/*.so", "yaml/*.so")
"""Compiled modules that were published with their debugging symbols, nine tenths of their size."""
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def prune(packages: Path) -> None:
    """Delete the unused files below `site-packages`, and the symbols of compiled modules."""
    for pattern in UNUSED:
        for path in list(packages.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
                if path.suffix == ".py":
                    _compiled(path).unlink(missing_ok=True)
    modules = [str(path) for pattern in WITH_SYMBOLS for path in packages.glob(pattern)]
    subprocess.run(["strip", "--strip-debug", *modules], check=True)


def compile_without_docstrings(packages: Path) -> None:
    """Compile the libraries below `site-packages` without their docstrings, which stay in memory.

    Ours are needed: the help of the commands and the description of the API are made from them.
    """
    [record] = packages.glob("paperclerk-*.dist-info/RECORD")
    ours = {line.partition("/")[0] for line in record.read_text(encoding="utf-8").splitlines()}
    for source in packages.rglob("*.py"):
        if source.relative_to(packages).parts[0] not in ours and _compiled(source).exists():
            _compile(source)


def _compile(source: Path) -> None:
    """Write the bytecode of a module as Python does it, but without docstrings."""
    tree = ast.parse(source.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            # Not removed: SQLAlchemy asserts that some of its functions have one.
            node.body[0] = ast.copy_location(ast.Expr(ast.Constant("-")), node.body[0])
    code = compile(ast.fix_missing_locations(tree), source, "exec", dont_inherit=True)
    found = source.stat()
    header = struct.pack("<4sLLL", MAGIC_NUMBER, 0, int(found.st_mtime), found.st_size)
    _compiled(source).write_bytes(header + marshal.dumps(code))


def _compiled(source: Path) -> Path:
    return source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"


if __name__ == "__main__":
    prune(Path(sys.argv[1]))
    compile_without_docstrings(Path(sys.argv[1]))
