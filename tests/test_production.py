"""Without DEMO every setting is production's."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

BASE_DIR = Path(__file__).resolve().parent.parent

PRODUCTION = {"ALLOWED_HOSTS": "kindred.school.example", "HF_HUB_OFFLINE": "1"}

SHOW_SETTINGS = """
import django, json
django.setup()
from django.conf import settings
names = [name for name in dir(settings) if name.startswith(("SECURE_", "SESSION_COOKIE", "CSRF_COOKIE", "DEBUG"))]
print(json.dumps({name: getattr(settings, name) for name in names}, default=str))
"""


@pytest.fixture
def production(tmp_path) -> dict[str, str]:
    """The environment of an installation: no DEMO, a VAR_DIR of its own, servers that do not run."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, **PRODUCTION, "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "questionbank.settings"}


def python(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=BASE_DIR, capture_output=True, text=True, check=False
    )


def test_djangos_check_for_deployments_finds_nothing(production):
    finished = python(production, "manage.py", "check", "--deploy", "--fail-level", "INFO")
    assert finished.returncode == 0, finished.stderr
    assert "no issues (0 silenced)" in finished.stdout


def test_without_demo_the_settings_are_productions(production):
    shown = json.loads(python(production, "-c", SHOW_SETTINGS).stdout)
    assert shown["DEBUG"] is False
    for name in ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY"):
        assert shown[name] is True
    for name in ("CSRF_COOKIE_SECURE", "CSRF_COOKIE_HTTPONLY", "SECURE_HSTS_INCLUDE_SUBDOMAINS"):
        assert shown[name] is True
    assert shown["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert shown["SESSION_COOKIE_SAMESITE"] == "Lax"
    assert shown["SECURE_PROXY_SSL_HEADER"] is None  # a client could send it
    key = Path(production["VAR_DIR"]) / "secret_key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_text()) >= 50


def test_the_site_listens_to_this_machine_alone_unless_told_otherwise(production):
    finished = python(production | {"DEMO": "1"}, "-c", SHOW_SETTINGS)
    shown = json.loads(finished.stdout)
    assert shown["SECURE_SSL_REDIRECT"] is False
    program = """
import os
from questionbank import serve
serve.os.execvpe = lambda *command: print(command[1])
serve.needs_embedded = lambda environ: ()
serve.subprocess.run = lambda *command, **options: serve.subprocess.CompletedProcess(command, 0)  # no static files
for os.environ["DEMO"], *options in (["1"], [""], ["", "--host=10.0.0.9"]):
    serve.main(["--only=web", *options])
"""
    finished = python(production, "-c", program)
    hosts = ["127.0.0.1", "127.0.0.1", "10.0.0.9"]
    assert re.findall(r"'--bind', '([0-9.]+):8000'", finished.stdout) == hosts, finished.stderr


@pytest.mark.django_db
def test_demo_log_ins_are_on_no_page_of_production(client, settings):
    from questionbank.people.roles import DEMO_PEOPLE

    settings.DEMO = False
    page = client.get(reverse("account_login")).content.decode()
    for _username, password, _role in DEMO_PEOPLE:
        assert password not in page
