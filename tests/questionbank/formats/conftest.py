"""What tests of formats share."""

from __future__ import annotations

import pytest

from tests.questionbank.formats.test_moodle_xml import Pictures


@pytest.fixture
def pictures() -> Pictures:
    return Pictures()
