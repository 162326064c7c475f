"""How people log in, as a file says it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from questionbank.people.sign_on import configured


@pytest.fixture
def sign_on(settings, tmp_path: Path) -> Callable[[str], None]:
    """Return a function that writes a file of `SIGN_ON` and puts it into effect."""

    def put_into_effect(text: str) -> None:
        path = tmp_path / "sign-on.toml"
        path.write_text(text, encoding="utf-8")
        settings.SIGN_ON = configured(str(path))

    return put_into_effect
