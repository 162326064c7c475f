"""Settings from the environment; the only module that reads it.

Reading starts no server. It has one side effect: if the environment has no secret key, one is generated in
`VAR_DIR` (mode 0600). An invalid value ends the process with a one-sentence message.
"""

from __future__ import annotations

import os
import secrets
import sys
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from questionbank.core.locations import postgres_location, redis_location

BASE_DIR = Path(__file__).resolve().parents[2]
_PARAQD = BASE_DIR.parent / "shared" / "data" / "paraqd"

SCHOOL_SYSTEMS = ("us", "england", "australia", "germany", "france", "spain", "china", "india")
"""The systems known to `questionbank.bank.school_grades`."""

PROCESSES = ("auto", "few", "many")

_FOLDERS = {"default": "files", "artifacts": "artifacts", "attachments": "attachments", "uploads": "uploads"}


class _Environment(environ.Env):
    """An environment in which an empty value counts as unset (compose files pass these); a list may be empty."""

    def get_value(self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, **kwargs: Any) -> Any:
        kind, otherwise = self.scheme[var]
        if kind is not list and not self.ENVIRON.get(var, "").strip():
            return otherwise
        return super().get_value(var, cast, default, **kwargs)


environment = _Environment(
    ALLOWED_HOSTS=(list, []),
    CSRF_TRUSTED_ORIGINS=(list, []),
    DATABASE_POOLER_URL=(str, ""),
    DATABASE_URL=(str, ""),
    DEMO=(bool, False),
    EMAIL_URL=(str, "consolemail://"),
    FONT_FOLDER=(str, ""),
    HOOK_NETWORKS=(list, []),
    LANGUAGE_MODEL=(str, ""),
    LANGUAGE_MODEL_AT_ONCE=(int, 4),
    LANGUAGE_MODEL_EXAM=(str, str(BASE_DIR / "tests" / "bench" / "outside")),
    LANGUAGE_MODEL_KEY=(str, ""),
    LANGUAGE_MODEL_NAME=(str, ""),
    LANGUAGE_MODEL_PER_MINUTE=(int, 0),
    LANGUAGE_MODEL_PRIVATE_ADDRESS=(bool, True),
    LANGUAGE_MODEL_SECONDS=(float, 60.0),
    LANGUAGE_MODEL_TOKENS_PER_DAY=(int, 0),
    LANGUAGE_MODEL_URL=(str, ""),
    LANGUAGE_MODEL_WINDOW=(int, 8192),
    LOG_LEVEL=(str, "INFO"),
    METRICS_PORT=(int, 0),
    MODEL_CACHE_GB=(float, 10.0),
    MAIL_FROM=(str, ""),
    PARAPHRASE_MODEL=(str, ""),
    PARAPHRASE_PREFIX=(str, ""),
    PORT=(int, 8000),
    PROCESSES=(str, "auto"),
    QUEUE_LIMIT=(int, 500),
    REDIS_URL=(str, ""),
    RESPONSES_KEPT_YEARS=(int, 0),
    REVIEW_LEASE_SECONDS=(int, 180),
    REVIEW_OPINIONS=(int, 1),
    REVIEW_RANDOM_SHARE=(float, 0.2),
    SCHOOL_SYSTEM=(str, ""),
    SCORER_SUITES=(list, [str(_PARAQD / name) for name in ("aquarat_test.jsonl.gz", "sawp_test.jsonl.gz")]),
    SECRET_KEY=(str, ""),
    SIGN_ON=(str, ""),
    STORAGE_URL=(str, ""),
    TEACHERS_PUBLISH_IMPORTS=(bool, True),
    TIME_ZONE=(str, "UTC"),
    TRUSTED_PROXIES=(int, 0),
    VAR_DIR=(str, str(BASE_DIR / "var")),
)

RETIRED = {"DATABASE_REPLICA_URLS": "Kindred reads from DATABASE_URL alone"}
"""Variables of earlier releases that no longer have any effect, and why."""


def var_dir() -> Path:
    """Return the folder for everything that running processes write."""
    return Path(environment("VAR_DIR")).expanduser().absolute()


def retired_settings() -> list[str]:
    """Return a sentence for each variable of an earlier release that is still set."""
    return [
        f"{name} has no effect any more: {why}. Remove it from the environment."
        for name, why in RETIRED.items()
        if os.environ.get(name, "").strip()
    ]


def secret_key() -> str:
    """Return the secret key from the environment, or else from `VAR_DIR/secret_key`, created on first use."""
    key: str = environment("SECRET_KEY")
    if key:
        return key
    path = var_dir() / "secret_key"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".secret_key.{os.getpid()}")
    if not path.exists():
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(64))
            os.link(temporary, path)
        except FileExistsError:
            pass  # another process was first: use its key
        except OSError as error:  # this is the first file that a new installation writes
            sys.exit(f"Error: {path.parent} cannot be written: {error.strerror or error}.")
        finally:
            temporary.unlink(missing_ok=True)
    return path.read_text().strip()


def is_behind_pooler() -> bool:
    """Return whether this process reaches PostgreSQL through a pooler in transaction mode.

    `manage.py serve` sets `DATABASE_URL` to the pooler's address for the site and the workers; commands bypass the
    pooler.
    """
    pooler: str = environment("DATABASE_POOLER_URL")
    return bool(pooler) and pooler == environment("DATABASE_URL")


def databases() -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES: the server at `DATABASE_URL`, or else the embedded one."""
    options = {"pool": False, "connect_timeout": 5}  # seconds; a stalled server never answers
    if environment("DATABASE_URL"):
        default = _database(environment("DATABASE_URL"))
    else:
        location = postgres_location(var_dir())
        default = {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": str(location.socket_directory),
            "NAME": location.database,
            "USER": location.user,
            "OPTIONS": {},
        }
    default["OPTIONS"] = {**options, **default["OPTIONS"]}
    default["CONN_MAX_AGE"] = 600
    default["CONN_HEALTH_CHECKS"] = True
    default["DISABLE_SERVER_SIDE_CURSORS"] = is_behind_pooler()  # such cursors outlive a transaction
    return {"default": default}


def _database(address: str) -> dict[str, Any]:
    """Return Django's settings for the database at an address."""
    try:
        database: dict[str, Any] = environment.db_url_config(address)
    except (ImproperlyConfigured, ValueError):
        database = {}
    if database.get("ENGINE") != "django.db.backends.postgresql" or not database.get("NAME"):
        sys.exit(
            "Error: DATABASE_URL is wrong. Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE, percent-encoded."
        )
    database.setdefault("OPTIONS", {})
    return database


def storages() -> dict[str, dict[str, object]]:
    """Return Django's STORAGES: folders of `VAR_DIR`, or of the bucket at `STORAGE_URL`."""
    local = "django.core.files.storage.FileSystemStorage"
    folders: dict[str, dict[str, object]] = {
        alias: {"BACKEND": local, "OPTIONS": {"location": var_dir() / folder}} for alias, folder in _FOLDERS.items()
    }
    folders["uploads"] = {
        "BACKEND": local,
        "OPTIONS": {"location": var_dir() / "uploads", "file_permissions_mode": 0o600},
    }
    if not environment("STORAGE_URL"):
        return folders
    bucket = _bucket(environment("STORAGE_URL"))
    try:
        from botocore.config import Config
        from storages.backends import s3  # noqa: F401 - Django imports it by name
    except (ImportError, ImproperlyConfigured):
        sys.exit("Error: STORAGE_URL needs the packages of the extra s3: pip install '.[s3]'.")
    # Not every S3 server supports these checksums; we store the SHA-256 of models, pictures and backups ourselves.
    checksums = {"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"}
    bucket |= {
        "client_config": Config(connect_timeout=5, read_timeout=30, retries={"max_attempts": 3}, **checksums),
        "file_overwrite": False,
    }
    prefix = bucket.pop("location")
    return {
        alias: {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {**bucket, "location": f"{prefix}/{folder or alias}".strip("/")},
        }
        for alias, folder in {**_FOLDERS, **dict.fromkeys(("backups", "checkpoints"))}.items()
    }


def _bucket(address: str) -> dict[str, Any]:
    """Return django-storages' options for ``s3://BUCKET/FOLDER`` or ``s3+https://KEY:SECRET@HOST/BUCKET/FOLDER``."""
    url = urlsplit(address)
    scheme = url.scheme.removeprefix("s3+")
    path = url.path.strip("/")
    bucket, _, folder = (f"{url.hostname or ''}/{path}" if url.scheme == "s3" else path).partition("/")
    try:
        port = f":{url.port}" if url.port else ""
    except ValueError:
        bucket = port = ""
    if not bucket or url.scheme not in ("s3", "s3+http", "s3+https") or not url.hostname:
        sys.exit("Error: STORAGE_URL is wrong. Write it as s3+https://KEY:SECRET@HOST/BUCKET, percent-encoded.")
    options: dict[str, Any] = {"bucket_name": bucket, "location": folder}
    if url.scheme != "s3":
        options["endpoint_url"] = f"{scheme}://{url.hostname}{port}"
    if url.username:
        options["access_key"], options["secret_key"] = unquote(url.username), unquote(url.password or "")
    region = parse_qs(url.query).get("region")
    return options | ({"region_name": region[0]} if region else {})


def broker_url() -> str:
    """Return Celery's broker: the server at `REDIS_URL`, or else the embedded one's socket."""
    return environment("REDIS_URL") or f"redis+socket://{redis_location(var_dir()).socket_path}?virtual_host=0"


def cache_url() -> str:
    """Return the address of Django's cache: like `broker_url`, but database 1 of the embedded server."""
    return environment("REDIS_URL") or f"unix://{redis_location(var_dir()).socket_path}?db=1"


def mail_server() -> dict[str, object]:
    """Return Django's settings for the mail server at `EMAIL_URL`."""
    try:
        server: dict[str, object] = environment.email("EMAIL_URL")
    except (ImproperlyConfigured, ValueError):
        sys.exit("Error: EMAIL_URL is wrong. Write it as smtp+tls://USER:PASSWORD@HOST:587, percent-encoded.")
    if str(server["EMAIL_BACKEND"]).endswith("smtp.EmailBackend") and not server["EMAIL_HOST"]:
        sys.exit("Error: EMAIL_URL names no mail server. Write it as smtp+tls://USER:PASSWORD@HOST:587.")
    return server


def mail_sender(hosts: list[str]) -> str:
    """Return the sender of mail: `MAIL_FROM`, or ``no-reply`` at the first domain in `hosts`, or an empty string."""
    sender: str = environment("MAIL_FROM").strip()
    if sender:
        try:
            validate_email("" if "\n" in sender else parseaddr(sender)[1])
        except ValidationError:
            sys.exit("Error: MAIL_FROM is not an e-mail address. Write it as Kindred <kindred@school.example>.")
        return sender
    domains = [host.strip("*.") for host in hosts if _is_domain(host.strip("*."))]
    return f"Kindred <no-reply@{domains[0]}>" if domains else ""


def _is_domain(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return "." in host
    return False


def hook_networks() -> list[IPv4Network | IPv6Network]:
    """Return the private networks that web hooks may call."""
    networks = []
    for network in environment("HOOK_NETWORKS"):
        try:
            networks.append(ip_network(network.strip()))
        except ValueError:
            sys.exit(f"Error: HOOK_NETWORKS: {network!r} is not a network. Write it as 10.2.0.0/16 or 10.2.0.7.")
    return networks


def school_system() -> str:
    """Return the school system that names the grades on pages; empty to show grades as they were written."""
    name: str = environment("SCHOOL_SYSTEM").strip().casefold()
    if name and name not in SCHOOL_SYSTEMS:
        known = ", ".join(SCHOOL_SYSTEMS)
        sys.exit(f"Error: SCHOOL_SYSTEM: there is no school system {name!r}. Choose one of: {known}.")
    return name


def processes() -> str:
    """Return how many processes `manage.py serve` runs; ``auto`` depends on the machine's memory."""
    choice: str = environment("PROCESSES").strip().casefold()
    if choice not in PROCESSES:
        sys.exit(f"Error: PROCESSES cannot be {choice!r}. Choose one of: {', '.join(PROCESSES)}.")
    return choice


def time_zone() -> str:
    """Return the time zone in which pages show times."""
    name: str = environment("TIME_ZONE").strip()
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # unknown, a folder of time zones, or a path
        sys.exit(f"Error: TIME_ZONE: there is no zone {name!r}. Write it as Europe/London, or UTC.")
    return name
