"""Turn a template and values into a page."""

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from dashboard.access.local import address_in
from dashboard.desk import Desk

_templates = Environment(
    loader=PackageLoader("dashboard"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(
    request: Request, desk: Desk, template: str, *, status: int = 200, **values: object
) -> HTMLResponse:
    """Render a template for who asks. Every value is escaped; none may bring markup along."""
    context = {"_": _said, "url": lambda path: address_in(request, path)}
    page = _templates.get_template(template).render(context | values)
    return HTMLResponse(page, status_code=status)


def _said(sentence: str, **values: object) -> str:
    return sentence.format(**values) if values else sentence
