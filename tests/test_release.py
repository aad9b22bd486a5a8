"""What GitHub runs and publishes, and what stands beside the container."""

import re
import xml.etree.ElementTree as ET
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
UNIT = ROOT / "contrib/systemd/paperclerk.service"
TEMPLATE = ROOT / "contrib/unraid/paperclerk.xml"


def read(name: str) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true; no test needs it.
    workflow: dict[str, Any] = yaml.safe_load(
        (ROOT / ".github/workflows" / name).read_text("utf-8")
    )
    return workflow


def steps(name: str, job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read(name)["jobs"][job]["steps"]
    return found


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_every_action_is_pinned_by_its_commit(file: Path) -> None:
    used = [line.strip(" -") for line in file.read_text("utf-8").splitlines() if "uses:" in line]

    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_only_read_unless_a_job_needs_more(file: Path) -> None:
    assert read(file.name)["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_no_job_keeps_the_credentials_of_the_checkout(file: Path) -> None:
    for job in read(file.name)["jobs"]:
        [checkout] = [s for s in steps(file.name, job) if "checkout@" in s.get("uses", "")]

        assert checkout["with"] == {"persist-credentials": False}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_nothing_from_outside_is_put_into_a_script(file: Path) -> None:
    scripts = [
        s["run"] for job in read(file.name)["jobs"] for s in steps(file.name, job) if "run" in s
    ]

    assert [script for script in scripts if "${{" in script] == []


def test_ci_runs_what_a_developer_runs() -> None:
    assert steps("test.yml", "test")[-1] == {"run": "make test"}
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8")


def test_a_release_is_tested_first_and_has_the_version_of_the_changelog() -> None:
    assert read("release.yml")["jobs"]["image"]["needs"] == "test"
    assert steps("release.yml", "test")[-1] == {"run": "make test"}
    assert "CHANGELOG.md" in steps("release.yml", "test")[-2]["run"]


def test_a_release_has_both_architectures_with_sbom_and_provenance() -> None:
    [build] = [s for s in steps("release.yml", "image") if "build-push-action" in s.get("uses", "")]

    assert build["with"]["platforms"] == "linux/amd64,linux/arm64"
    assert build["with"]["push"] is True
    assert build["with"]["sbom"] is True
    assert build["with"]["provenance"] == "mode=max"


def test_the_unit_of_systemd_can_do_no_more_than_it_needs() -> None:
    unit = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT, encoding="utf-8")
    service = unit["Service"]

    assert service["User"] == "paperclerk"
    assert service["ProtectSystem"] == "strict"
    assert service["NoNewPrivileges"] == "yes"
    assert service["CapabilityBoundingSet"] == ""
    assert service["StateDirectoryMode"] == service["ConfigurationDirectoryMode"] == "0700"
    assert int(service["TimeoutStopSec"]) > 10


def test_the_template_for_unraid_starts_what_compose_starts() -> None:
    template = ET.parse(TEMPLATE).getroot()  # noqa: S314 - our own file
    options = set(str(template.findtext("ExtraParams")).split())
    targets = {config.get("Target") for config in template.iter("Config")}

    assert template.findtext("Repository") == "localhost/paperclerk"
    assert template.findtext("Privileged") == "false"
    assert {"--user=99:100", "--read-only", "--cap-drop=ALL", "--memory=1g"} <= options
    assert targets == {"8484", "/config", "/data", "TZ"}
