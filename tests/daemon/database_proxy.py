"""A proxy in front of PostgreSQL that loses the confirmation of a commit."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType


class LosingProxy:
    """Listens on 127.0.0.1 and forwards data to and from a server's Unix socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._marks: list[bytes] = []
        self.lost = threading.Event()

    def __enter__(self) -> "LosingProxy":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()

    def lose_commit_of(self, mark: str) -> None:
        """Lose the confirmation of the next commit of a writing transaction with this text."""
        self.lost.clear()
        self._marks.append(mark.encode())

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server, losing = socket.socket(socket.AF_UNIX), threading.Event()
        with client, server, suppress(OSError):
            server.connect(str(self._path))
            forward = threading.Thread(
                target=self._pass_on, args=(client, server, losing), daemon=True
            )
            forward.start()
            self._pass_back(server, client, losing)

    def _pass_on(
        self, client: socket.socket, server: socket.socket, losing: threading.Event
    ) -> None:
        sent = b""
        with suppress(OSError):
            while data := client.recv(1 << 16):
                sent += data
                if b"COMMIT" in data:
                    # A page's statistics, too, ask for the events of a name.
                    writes = b"READ ONLY" not in sent
                    if writes and any(mark in sent for mark in self._marks):
                        self._marks.clear()
                        losing.set()
                if b"COMMIT" in data or b"ROLLBACK" in data:
                    sent = b""
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)

    def _pass_back(
        self, server: socket.socket, client: socket.socket, losing: threading.Event
    ) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                # Cut the client off only here: the server has confirmed, so it has committed.
                if losing.is_set() and b"COMMIT" in data:
                    break
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)
        if losing.is_set():
            self.lost.set()
