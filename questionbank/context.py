"""What every template may use."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    """Whether this is the demo, so that the log-in page can show the demo log-ins."""
    return {"demo": settings.DEMO}
