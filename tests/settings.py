"""Settings of the tests: their own `VAR_DIR`, so that they run beside `make run`, and embedded servers.

Each process of pytest-xdist has a `VAR_DIR` within it, and so servers, of its own.

The environment is set before `questionbank.settings` reads it. Nothing else differs from production
but plain HTTP, quick password hashing and a cache in memory.
"""

from __future__ import annotations

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

tests_var_dir = Path(os.environ.get("TEST_VAR_DIR", BASE_DIR / "var" / "test"))
os.environ["VAR_DIR"] = str(tests_var_dir / os.environ.get("PYTEST_XDIST_WORKER", ""))
if os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # they share the processors
os.environ["DEMO"] = "1"
os.environ["SCORER_SUITES"] = ""
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["SECRET_KEY"] = "tests-only-" + "k" * 60
for name in ("DATABASE_URL", "DATABASE_POOLER_URL", "STORAGE_URL", "REDIS_URL", "ALLOWED_HOSTS", "PORT"):
    if name not in os.environ.get("TEST_KEEP_ENVIRONMENT", "").split(","):
        os.environ.pop(name, None)

from questionbank.settings import *  # noqa: E402, F403

DEMO = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STORAGES = {
    **STORAGES,  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
DEFAULT_FROM_EMAIL = "Kindred <no-reply@school.example>"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405 - whitenoise warns where there is none
