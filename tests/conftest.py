"""What every test may use: embedded servers for those with a database, the public data, people."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import FrameType

import hypothesis
import psycopg
import pytest
import redis

TESTS = Path(__file__).resolve().parent
hypothesis.settings.register_profile("untimed", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("untimed")
SHARED_DATA = TESTS.parent.parent / "shared" / "data"
LARGE_TABLE = 2**20  # bytes
MADE_FROM_MODELS = {"django_content_type", "auth_permission"}  # tables that no test changes

# Files of half a minute or more: several processes begin with them, so that none is left alone with one at the end.
SLOW_FILES = frozenset(
    TESTS / name
    for name in (
        "analytics/test_library.py",
        "docker/test_containers.py",
        "e2e/test_accessibility.py",
        "e2e/test_flows.py",
        "e2e/test_retraining.py",
        "e2e/test_review.py",
        "faults/test_faults.py",
        "questionbank/api/test_access.py",
        "questionbank/api/test_hostile.py",
        "questionbank/api/test_schemathesis.py",
        "questionbank/core/test_migrations.py",
        "questionbank/local/test_serve.py",
        "questionbank/operations/test_backups.py",
        "questionbank/test_permissions.py",
        "questionbank/test_schools_apart.py",
        "worker/encoder/test_training.py",
        "worker/exam/test_real_model.py",
        "worker/test_promotion.py",
        "worker/reproduction/test_apart.py",
        "worker/test_real_worker.py",
        "worker/test_starters.py",
    )
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow files first in a process of pytest-xdist, whose `--no-loadscope-reorder` keeps this order."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        items.sort(key=lambda item: item.path not in SLOW_FILES)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case of bytes by its argument: an archive holds its time of writing, and processes must agree on names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture
def without_running_loop() -> Iterator[None]:
    """Hide the event loop that Playwright keeps running in a process in which tests have used a browser.

    Django's connection is another one without the loop, and a restored backup may have ended it since.
    """
    from django.db import connection

    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    if not connection.in_atomic_block:
        connection.close()
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix) -> None:
    """Start the embedded PostgreSQL and Redis before the test database is made."""
    from questionbank import local as embedded
    from questionbank.core.env import var_dir

    embedded.ensure(var_dir(), services={"postgres", "redis"})
    _wait_for_no_disk(var_dir())


def _wait_for_no_disk(var_dir: Path) -> None:
    """A test bank need not survive the machine: waiting for the disk is most of what a small write takes."""
    from questionbank.core.locations import postgres_location
    from tests.pooler import admit

    location = postgres_location(var_dir)
    admit(location.home)
    with psycopg.connect(
        host=str(location.socket_directory), dbname=location.database, user="postgres", autocommit=True
    ) as server:
        for setting in ("fsync", "full_page_writes"):
            server.execute(f"ALTER SYSTEM SET {setting} = off")
        server.execute("SELECT pg_reload_conf()")
        server.execute("GRANT SET ON PARAMETER session_replication_role TO PUBLIC")  # for `_sql_flush`


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup) -> None:
    """A test that empties every table empties those that hold something; rows that migrations make come back."""
    from django.core.management.commands import flush
    from django.db import connection

    connection.ops.sql_flush = partial(_sql_flush, connection.ops.sql_flush)
    flush.emit_post_migrate_signal = lambda _verbosity, _interactive, using: _make_rows_of_migrations(using)


def _sql_flush(truncate, style, tables: list[str], **options: bool) -> list[str]:
    """Return what empties tables: deleting a test's few rows is quicker than a new file for each table and index.

    Args:
        truncate: Django's way, for tables that have become large.
    """
    from django.db import connection

    tables = [table for table in tables if table not in MADE_FROM_MODELS]
    sizes = ", ".join(f"CASE WHEN EXISTS (TABLE {table}) THEN pg_relation_size('{table}') END" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sizes}")
        size = dict(zip(tables, cursor.fetchone(), strict=True))
    filled = [table for table in tables if size[table] is not None]
    if any(size[table] > LARGE_TABLE for table in filled):
        return truncate(style, tables, **options)
    # A replica checks no foreign keys and runs no triggers, as TRUNCATE of all tables does.
    deletions = [f"DELETE FROM {table}" for table in filled]
    return ["SET LOCAL session_replication_role = replica", *deletions]


def _make_rows_of_migrations(using: str) -> None:
    from django.apps import apps
    from django.contrib.auth.models import Group
    from django.contrib.contenttypes.models import ContentType
    from django.core.management.sql import emit_post_migrate_signal

    from questionbank.models import SynonymGroup
    from questionbank.search.default_synonyms import DEFAULT_SYNONYMS

    kept = set(ContentType.objects.using(using).values_list("app_label", "model"))
    if not kept >= {(model._meta.app_label, model._meta.model_name) for model in apps.get_models()}:
        # A restored backup has those of its own; one that a test makes would be gone, but not forgotten, after it.
        emit_post_migrate_signal(0, False, using)
    ContentType.objects.clear_cache()
    groups = SynonymGroup.objects.using(using)
    if not groups.exists():
        groups.bulk_create(SynonymGroup(terms=terms) for terms in DEFAULT_SYNONYMS)
    for name in ("teacher", "reviewer", "admin"):
        Group.objects.using(using).get_or_create(name=name)


@pytest.fixture(scope="session")
def pooler_port() -> Iterator[int]:
    """The port of a PgBouncer in transaction mode before the tests' PostgreSQL; skips where it is not installed."""
    from questionbank.core.env import var_dir
    from questionbank.core.locations import postgres_location
    from tests.pooler import pgbouncer, running_pooler

    if pgbouncer() is None:
        pytest.skip("pgbouncer is not installed")
    folder = Path(tempfile.mkdtemp(prefix="kindred-pooler-"))
    with running_pooler(folder, str(postgres_location(var_dir()).socket_directory)) as port:
        yield port
    shutil.rmtree(folder)


@pytest.fixture
def behind_pooler(transactional_db, pooler_port, settings) -> Iterator[None]:
    """Every connection to the database goes through the pooler."""
    from django.db import connection, connections

    database = connection.settings_dict
    before = dict(database)
    connections.close_all()
    database.update(HOST="127.0.0.1", PORT=str(pooler_port), DISABLE_SERVER_SIDE_CURSORS=True)
    settings.BEHIND_POOLER = True
    yield
    connections.close_all()
    database.update(before)


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    """The embedded Redis of the tests, with nothing in its queues."""
    from questionbank.core.env import var_dir
    from questionbank.core.locations import redis_location

    with redis.Redis(unix_socket_path=str(redis_location(var_dir()).socket_path)) as client:
        client.flushall()
        yield client
        client.flushall()


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory) -> Callable[[int], str]:
    """Return a function of a number of tokens: the folder of a random encoder that reads so many; do not change it."""

    @cache
    def saved(max_tokens: int) -> str:
        from analytics.backbone.export import save_backbone
        from tests.tiny_backbone import tiny_backbone

        folder = tmp_path_factory.mktemp("backbone") / "tiny"
        save_backbone(tiny_backbone(max_tokens=max_tokens), folder)
        return str(folder)

    return saved


def _keep(settings, storage: str, folder: Path) -> None:
    place = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    settings.STORAGES = {**settings.STORAGES, storage: place}


@pytest.fixture
def own_artifacts(settings, tmp_path) -> None:
    """Models are kept in a folder of this test."""
    _keep(settings, "artifacts", tmp_path / "artifacts")


@pytest.fixture
def own_attachments(settings, tmp_path) -> None:
    """So are pictures."""
    _keep(settings, "attachments", tmp_path / "attachments")


@pytest.fixture
def own_uploads(settings, tmp_path) -> None:
    """So are the files that people put in."""
    _keep(settings, "uploads", tmp_path / "uploads")


@pytest.fixture
def own_files(own_artifacts, settings, tmp_path) -> None:
    """So is everything else that a run leaves."""
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture
def no_default_models(monkeypatch) -> None:
    """Commands install no default models, which takes a while."""
    from questionbank.registry import artifact_services as artifacts

    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the public data sets are not at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Ends a test that computes for 20 seconds or waits for five minutes, however busy the machine is.

    No measure of speed (`make bench` measures): what takes this long has no end, or grows as the square of a text.
    """

    def give_up(number: int, frame: FrameType | None) -> None:
        pytest.fail("it hangs")

    limits = {signal.ITIMER_PROF: (signal.SIGPROF, 20), signal.ITIMER_REAL: (signal.SIGALRM, 300)}
    before = {number: signal.signal(number, give_up) for number, _seconds in limits.values()}
    for timer, (_number, seconds) in limits.items():
        signal.setitimer(timer, seconds)
    yield
    for timer in limits:
        signal.setitimer(timer, 0)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def no_attempts_yet() -> Iterator[None]:
    """Rate limits count in the cache."""
    from django.core.cache import cache

    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def teacher(db, django_user_model):
    """A teacher."""
    return _person(django_user_model, "teacher")


@pytest.fixture
def reviewer(db, django_user_model):
    """A reviewer."""
    return _person(django_user_model, "reviewer")


@pytest.fixture
def admin_person(db, django_user_model):
    """Somebody with the role admin (not a superuser)."""
    return _person(django_user_model, "admin")


def _person(model, role: str):
    from django.contrib.auth.models import Group

    person = model.objects.create_user(username=role, password="correct horse battery")
    person.groups.add(Group.objects.get_or_create(name=role)[0])
    return person
