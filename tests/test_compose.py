"""The compose files keep the container closed, and its volumes writable."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import ROOT

FILES = sorted(ROOT.glob("compose*.yaml"))
BESIDE, OLLAMA, WORKERS = (
    ROOT / name for name in ("compose.yaml", "compose.ollama.yaml", "compose.workers.yaml")
)
STOPS_WITHIN = timedelta(seconds=10)
"""How long the daemon takes at most to stop."""


def read(file: Path) -> dict[str, Any]:
    written: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return written


def services(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = read(file)["services"]
    return found


def ours() -> list[Any]:
    return [
        pytest.param(service, id=f"{file.name}: {name}")
        for file in (BESIDE, WORKERS)
        for name, service in services(file).items()
        if "build" in service
    ]


def test_there_is_a_file_for_each_way_to_run_it() -> None:
    assert set(FILES) == {BESIDE, OLLAMA, WORKERS}
    assert set(services(WORKERS)) == {"database", "paperclerk", "worker"}
    assert set(services(OLLAMA)) == {"ollama"}


@pytest.mark.parametrize("service", ours())
def test_our_containers_can_do_no_more_than_they_need(service: dict[str, Any]) -> None:
    assert service["user"] == "1000:1000"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["healthcheck"]["test"] == ["CMD", "paperclerk", "healthcheck"]


@pytest.mark.parametrize("service", ours())
def test_our_containers_have_time_to_stop(service: dict[str, Any]) -> None:
    seconds = int(service["stop_grace_period"].removesuffix("s"))

    assert timedelta(seconds=seconds) > STOPS_WITHIN


@pytest.mark.parametrize("service", ours())
def test_an_image_that_is_not_published_cannot_be_pulled_from_a_stranger(
    service: dict[str, Any],
) -> None:
    # Compose tries to pull an image before it builds it; nobody can publish under localhost/.
    assert service["image"] == "${PAPERCLERK_IMAGE:-localhost/paperclerk}"
    assert service["build"] == "."


@pytest.mark.parametrize("service", ours())
def test_paperless_and_the_machine_can_be_reached(service: dict[str, Any]) -> None:
    assert service["networks"] == ["default", "paperless"]
    assert service["extra_hosts"] == ["host.docker.internal:host-gateway"]


@pytest.mark.parametrize("file", [BESIDE, WORKERS], ids=lambda file: file.name)
def test_the_network_of_paperless_is_one_variable(file: Path) -> None:
    network = read(file)["networks"]["paperless"]

    assert network == {"external": True, "name": "${PAPERLESS_NETWORK:-paperless_default}"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_ports_are_open_on_this_machine_only(file: Path) -> None:
    ports = [port for service in services(file).values() for port in service.get("ports", ())]

    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []
    assert bool(ports) is (file != OLLAMA)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_volumes_are_named_and_declared(file: Path) -> None:
    used = {
        volume.partition(":")[0]
        for service in services(file).values()
        for volume in service.get("volumes", ())
    }

    assert used == set(read(file)["volumes"])


def test_only_the_daemon_writes_settings_and_data() -> None:
    for file in (BESIDE, WORKERS):
        assert services(file)["paperclerk"]["volumes"] == ["config:/config", "data:/data"]
    assert services(WORKERS)["worker"]["volumes"] == ["config:/config:ro"]


def test_folders_can_be_used_instead_of_volumes() -> None:
    written = BESIDE.read_text(encoding="utf-8")

    assert "# - ./paperclerk/config:/config" in written
    assert "# - ./paperclerk/data:/data" in written
    assert "sudo chown -R 1000:1000 paperclerk" in written


def test_volumes_take_over_the_user_of_the_image() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    [owner] = re.findall(r"chown (\S+) /config /data", dockerfile)

    assert f"\nUSER {owner}\n" in dockerfile
    assert services(BESIDE)["paperclerk"]["user"] == owner
