"""Packages are installed by uv from where pip would take them."""

from __future__ import annotations

import subprocess
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from tests.docker.conftest import DOCKER

LISTED = """\
:env:.find-links='/srv/wheels'
global.cert='/etc/ssl/certs/school.crt'
global.extra-index-url='https://one.example/simple\\nhttps://two.example/simple'
global.find-links='/old/wheels'
global.index-url='https://mirror.example/simple'
install.constraint='constraints.txt'
list.format='columns'
"""


@pytest.fixture
def install():
    spec = spec_from_file_location("install", DOCKER / "install.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_uv_is_told_what_pip_is_configured_with(install):
    settings = install.pip_settings(LISTED)
    assert settings["cert"] == "/etc/ssl/certs/school.crt"
    assert install.uv_options(settings) == [
        *["--default-index", "https://mirror.example/simple"],
        *["--index", "https://one.example/simple", "--index", "https://two.example/simple"],
        *["--find-links", "/srv/wheels"],
        *["--constraint", "constraints.txt"],
    ]


@pytest.mark.parametrize("has_uv", [True, False])
def test_pip_installs_where_uv_fails_or_cannot_be_had(install, monkeypatch, has_uv):
    commands = []

    def run(command, **_options):
        commands.append(command)
        return subprocess.CompletedProcess(command, 1 if "uv" in command else 0)

    monkeypatch.setattr(install, "_has_uv", lambda: has_uv)
    monkeypatch.setattr(install, "_output", lambda *command: LISTED)
    monkeypatch.setattr(install.subprocess, "run", run)
    assert install.main(["kindred"]) == 0
    assert [("uv" in command, command[-1]) for command in commands] == [(True, "kindred")] * has_uv + [
        (False, "kindred")
    ]
