"""The files that pages load: ours, and those of others as they were published."""

import hashlib
import re

from dashboard.rendering import STATIC
from tests.dashboard.conftest import DashboardRig

VENDOR = STATIC / "vendor"


def test_files_of_others_are_as_they_were_published() -> None:
    readme = (VENDOR / "README.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^\| `([\w.-]+)` .*`(\w{64})` \|$", readme, re.MULTILINE))

    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VENDOR.glob("*.js")
    }

    assert found == documented


async def test_a_file_with_the_mark_of_its_content_is_kept_for_ever(rig: DashboardRig) -> None:
    async with rig.client() as client:
        marked = await client.get("/static/app.css?v=1")
        plain = await client.get("/static/app.css")

    assert "immutable" in marked.headers["cache-control"]
    assert plain.headers["cache-control"] == "no-cache"


async def test_no_template_has_script_or_style_within() -> None:
    within = re.compile(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|\|\s*safe\b|Markup")
    templates = STATIC.parent / "templates"

    found = [path.name for path in templates.rglob("*.html") if within.search(path.read_text())]

    assert found == []
