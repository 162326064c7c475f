"""schemathesis finds nothing: requests made from the schema, one by one and in sequences, against a running server.

`python -m tests.bench.contract` does the same for as long as one likes.
"""

from __future__ import annotations

import re

import pytest

from questionbank.api.key_services import LARGEST_RATE
from tests.bench.contract import explore
from tests.questionbank.api_client import Program
from tests.questionbank.page_bank import make_bank

SECONDS = 30


@pytest.mark.django_db(transaction=True)
def test_schemathesis_finds_nothing(live_server, admin_person, own_uploads, own_attachments, tmp_path) -> None:
    make_bank(admin_person)
    secret = Program(admin_person, rate_limit=LARGEST_RATE).secret
    report, passed = explore(live_server.url, secret, seconds=SECONDS, folder=tmp_path)
    if not passed:
        pytest.fail(report, pytrace=False)
    assert int(re.search(r"API Links: +(\d+) covered", report)[1]) > 0  # from a response to the next request
