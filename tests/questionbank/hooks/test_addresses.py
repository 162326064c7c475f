"""Addresses of web hooks: what is refused before anything is sent."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from questionbank.core import env
from questionbank.core.errors import ValidationFailed
from questionbank.hooks.services import checked_address
from tests.cases import each_case


@each_case("hook_addresses", "refused")
def test_an_address_that_is_no_public_place_is_refused(address, message) -> None:
    with pytest.raises(ValidationFailed, match=message) as refused:
        checked_address(address)
    assert set(refused.value.fields) == {"address"}


@each_case("hook_addresses", "accepted")
def test_an_address_elsewhere_is_accepted(address) -> None:
    assert checked_address(f" {address} ") == address


def test_an_address_of_10_kb_is_refused() -> None:
    with pytest.raises(ValidationFailed, match="2,000 characters"):
        checked_address("https://example.org/" + "a" * 10_000)


def test_a_setting_allows_a_private_network_and_no_other(settings) -> None:
    settings.HOOK_NETWORKS = [ip_network("10.2.0.0/16")]
    assert checked_address("http://10.2.9.9/") == "http://10.2.9.9/"
    with pytest.raises(ValidationFailed):
        checked_address("http://10.3.0.1/")


def test_the_setting_names_networks(monkeypatch) -> None:
    monkeypatch.setenv("HOOK_NETWORKS", "10.2.0.0/16,fd00::7")
    assert env.hook_networks() == [ip_network("10.2.0.0/16"), ip_network("fd00::7")]
    monkeypatch.setenv("HOOK_NETWORKS", "10.2.0.7/16")
    with pytest.raises(SystemExit, match="is not a network"):
        env.hook_networks()
