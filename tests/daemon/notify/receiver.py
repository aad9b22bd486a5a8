"""A notification service on a real port, which can be unavailable."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.waiting import HELD


class Receiver:
    """Accepts or refuses notifications."""

    def __init__(self, port: int) -> None:
        self.url = f"json://user:geheim@127.0.0.1:{port}/"
        self.is_unavailable = False
        self.attempts = 0
        """Number of requests."""
        self.messages: list[str] = []
        self.has_request = threading.Event()
        self.may_answer = threading.Event()
        """If cleared, requests are not answered."""
        self.may_answer.set()

    def receive(self, body: bytes) -> int:
        self.attempts += 1
        self.has_request.set()
        self.may_answer.wait(HELD)
        if self.is_unavailable:
            return 503
        message = json.loads(body)
        assert message["title"] == "Paperclerk"
        self.messages.append(message["message"])
        return 200


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """Run the service on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(receiver.receive(body))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server.server_port)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.may_answer.set()
        server.shutdown()
        server.server_close()
