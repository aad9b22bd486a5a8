"""Faults on demand and the log of requests, over a real port."""

import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.faults import (
    Answer,
    Cut,
    Delay,
    Fault,
    Faults,
    Hang,
    html_page,
    redirect,
    too_many_requests,
)
from sandbox.layers import FaultLayer, LogLayer, RequestLog
from sandbox.server import Server
from tests.waiting import HELD, LONG


class Counter:
    """An app that counts what was carried out."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.log = RequestLog()
        self.carried_out = 0
        routes = [Route("/{rest:path}", self.answer, methods=["GET", "PATCH", "DELETE"])]
        self.app = LogLayer(FaultLayer(Starlette(routes=routes), self.faults), self.log)

    async def answer(self, request: Request) -> Response:
        self.carried_out += 1
        if request.method == "DELETE":
            return Response(status_code=204)
        return JSONResponse({"count": self.carried_out, "body": (await request.body()).decode()})


@pytest.fixture
def counter() -> Counter:
    return Counter()


@pytest.fixture
def http(counter: Counter) -> Iterator[httpx.Client]:
    with Server(counter.app) as server, httpx.Client(base_url=server.url, timeout=LONG) as client:
        yield client


def test_a_request_that_no_rule_matches_is_spared(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(
        Fault(method="PATCH", effect=Answer()), Fault(path="/other/", effect=Answer())
    )

    answer = http.get("/things/")

    assert answer.json() == {"count": 1, "body": ""}
    assert len(counter.faults.waiting) == 2


def test_a_rule_strikes_from_its_nth_match_and_so_many_times(
    counter: Counter, http: httpx.Client
) -> None:
    counter.faults.add(Fault(path="/a/.*", nth=2, times=2, effect=Answer(status=502)))

    statuses = [http.get(path).status_code for path in ["/a/1", "/b", "/a/2", "/a/3", "/a/4"]]

    assert statuses == [200, 200, 502, 502, 200]
    assert counter.faults.waiting == ()


def test_rules_strike_one_after_the_other(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(Fault(effect=Answer(status=500)), Fault(effect=Answer(status=429)))

    assert [http.get("/").status_code for _ in range(3)] == [500, 429, 200]


def test_a_rule_without_an_end_strikes_until_it_is_cleared(
    counter: Counter, http: httpx.Client
) -> None:
    counter.faults.add(Fault(times=None, effect=Answer(status=500)))

    before = [http.get("/").status_code for _ in range(3)]
    counter.faults.clear()

    assert before == [500, 500, 500]
    assert http.get("/").status_code == 200


def test_an_answer_instead_leaves_the_request_undone(counter: Counter, http: httpx.Client) -> None:
    fault = Fault(effect=Answer(status=503, body="down", headers={"X-Why": "test"}))
    counter.faults.add(fault)

    answer = http.patch("/", json={"a": 1})

    assert (answer.status_code, answer.text, answer.headers["x-why"]) == (503, "down", "test")
    assert counter.carried_out == 0
    assert counter.faults.struck == (fault,)


def test_an_answer_after_hides_that_the_request_was_carried_out(
    counter: Counter, http: httpx.Client
) -> None:
    counter.faults.add(Fault(moment="after", effect=Answer(status=500)))

    answer = http.patch("/", json={"a": 1})

    assert answer.status_code == 500
    assert counter.carried_out == 1


@pytest.mark.parametrize(
    ("effect", "status", "header", "value"),
    [
        (html_page(), 200, "content-type", "text/html; charset=utf-8"),
        (html_page(403), 403, "content-type", "text/html; charset=utf-8"),
        (redirect("/accounts/login/"), 302, "location", "/accounts/login/"),
        (too_many_requests(30), 429, "retry-after", "30"),
    ],
)
def test_common_answers_have_a_short_form(
    counter: Counter, http: httpx.Client, effect: Answer, status: int, header: str, value: str
) -> None:
    counter.faults.add(Fault(effect=effect))

    answer = http.get("/")

    assert (answer.status_code, answer.headers[header]) == (status, value)


def test_a_cut_body_breaks_off_after_the_request_was_carried_out(
    counter: Counter, http: httpx.Client
) -> None:
    counter.faults.add(Fault(effect=Cut()))

    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        http.get("/")

    assert counter.carried_out == 1


def test_a_cut_without_a_body_drops_the_connection(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(Fault(effect=Cut()))

    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        http.delete("/")

    assert counter.carried_out == 1


@pytest.mark.parametrize(("moment", "carried_out"), [("instead", 0), ("after", 1)])
def test_a_hang_ends_without_an_answer(
    counter: Counter, http: httpx.Client, moment: str, carried_out: int
) -> None:
    counter.faults.add(Fault.model_validate({"moment": moment, "effect": Hang(seconds=0.01)}))

    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        http.get("/")

    assert counter.carried_out == carried_out


def test_a_hang_ends_when_the_client_gives_up(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(Fault(effect=Hang(seconds=60)))

    with pytest.raises(httpx.ReadTimeout):
        http.get("/", timeout=0.05)

    assert http.get("/").status_code == 200


@pytest.mark.parametrize("moment", ["instead", "after"])
def test_a_delay_waits_until_released_and_then_goes_on(
    counter: Counter, http: httpx.Client, moment: str
) -> None:
    counter.faults.add(Fault.model_validate({"moment": moment, "effect": Delay(seconds=60)}))
    answers: list[httpx.Response] = []
    client = threading.Thread(target=lambda: answers.append(http.patch("/", json=[1])))

    client.start()
    assert counter.faults.wait_for_strikes(1, timeout=LONG)
    counter.faults.release()
    client.join(LONG)

    assert answers[0].json() == {"count": 1, "body": "[1]"}


def test_a_delay_that_nobody_releases_has_an_end(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(Fault(effect=Delay(seconds=0.01)))

    assert http.get("/").status_code == 200


def test_a_request_that_breaks_off_in_its_body_is_not_carried_out(
    counter: Counter, http: httpx.Client
) -> None:
    address = (http.base_url.host, http.base_url.port or 0)
    with socket.create_connection(address) as connection:
        connection.sendall(b"PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")

    http.get("/")

    assert [request.method for request in counter.log] == ["GET"]


def test_waiting_for_a_strike_that_never_comes_has_an_end(counter: Counter) -> None:
    assert not counter.faults.wait_for_strikes(1, timeout=0.01)


def test_the_paths_that_drive_the_sandbox_are_never_struck_nor_logged(
    counter: Counter, http: httpx.Client
) -> None:
    counter.faults.add(Fault(times=None, effect=Answer(status=500)))

    assert http.get("/sandbox/requests").status_code == 200
    assert len(counter.log) == 0


def test_the_log_tells_what_was_asked_and_answered(counter: Counter, http: httpx.Client) -> None:
    counter.faults.add(Fault(method="PATCH", moment="after", effect=Answer(status=500)))

    http.get("/a/?x=1&x=&y=a%20b")
    http.patch("/b/", json={"title": "T"})
    http.patch("/b/", content=b"not json")

    rows = [(r.number, r.method, r.path, r.body, r.status, r.fault) for r in counter.log]
    assert rows == [
        (1, "GET", "/a/", None, 200, None),
        (2, "PATCH", "/b/", {"title": "T"}, 500, "answer 500, after"),
        (3, "PATCH", "/b/", "not json", 200, None),
    ]
    assert counter.log.as_json()[0]["query"] == [("x", "1"), ("x", ""), ("y", "a b")]


def test_numbers_go_on_after_the_log_is_cleared(counter: Counter, http: httpx.Client) -> None:
    http.get("/")
    counter.log.clear()

    http.get("/")

    assert [request.number for request in counter.log] == [2]


def test_a_mistyped_key_of_a_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="tims"):
        Fault.model_validate({"effect": {"do": "cut"}, "tims": 2})


def test_a_server_stops_even_with_a_request_hanging(counter: Counter) -> None:
    counter.faults.add(Fault(effect=Hang(seconds=HELD)))

    with Server(counter.app) as server:
        caller = threading.Thread(target=_expect_no_answer, args=(server.url,))
        caller.start()
        assert counter.faults.wait_for_strikes(1, timeout=LONG)
    caller.join(LONG)

    assert not caller.is_alive()


def test_a_stopped_server_leaves_its_port_free(counter: Counter) -> None:
    with Server(counter.app) as first:
        httpx.get(first.url, timeout=LONG)

    with Server(counter.app, port=first.port) as second:
        assert httpx.get(second.url, timeout=LONG).status_code == 200


def test_a_server_that_never_ran_can_be_stopped(counter: Counter) -> None:
    server = Server(counter.app)

    server.stop()
    server.stop()


def _expect_no_answer(url: str) -> None:
    with pytest.raises(httpx.TransportError):
        httpx.get(url, timeout=HELD)
