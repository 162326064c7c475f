"""Making many models at once, and banks of other releases: upgraded, or refused in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.migrations import CreateModel, DeleteModel
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.utils import timezone

from questionbank.core import migrations
from questionbank.core.migrations import AtOnce, applied_migrations, history_problem, known_migrations, release
from questionbank.jobs.run_services import runs_reconcile
from questionbank.models import Question, QuestionList, Run, WorkBlock
from questionbank.operations import backup_database
from questionbank.operations.backup_archive import DUMP, archive_write
from questionbank.operations.backup_database import connected_to
from questionbank.operations.backups import backup_restore
from tests.releases import bank_rows, differences, releases

KEY = ("id", models.BigAutoField(primary_key=True))
OPERATIONS = [
    CreateModel(
        "Volume",
        fields=[
            KEY,
            ("title", models.CharField(max_length=20)),
            ("shelf", models.ForeignKey("questionbank.shelf", models.CASCADE, related_name="+")),
        ],
        options={
            "indexes": [models.Index(fields=["shelf", "title"], name="volume_title")],
            "constraints": [models.UniqueConstraint(fields=["title"], name="one_title")],
        },
    ),
    CreateModel("Shelf", fields=[KEY, ("volumes", models.ManyToManyField("questionbank.volume"))]),
]


@pytest.mark.django_db
def test_a_table_may_refer_to_a_later_one() -> None:
    before, after = ProjectState(), ProjectState()
    operation = AtOnce(OPERATIONS)
    operation.state_forwards("questionbank", after)
    with connection.schema_editor() as editor:
        operation.database_forwards("questionbank", editor, before, after)
    with connection.cursor() as cursor:
        table = "questionbank_volume"
        columns = {column.name for column in connection.introspection.get_table_description(cursor, table)}
        constraints = connection.introspection.get_constraints(cursor, table)
        tables = connection.introspection.table_names(cursor)
    assert columns == {"id", "title", "shelf_id"}
    assert constraints["volume_title"]["columns"] == ["shelf_id", "title"]
    assert constraints["one_title"]["unique"]
    assert ("questionbank_shelf", "id") in {constraint["foreign_key"] for constraint in constraints.values()}
    assert "questionbank_shelf_volumes" in tables
    assert operation.describe() == "2 operations at once"


def test_another_operation_is_refused() -> None:
    with pytest.raises(TypeError, match="Delete model Volume"):
        AtOnce([DeleteModel("Volume")])


def test_models_are_described_as_one_operation_after_another_does() -> None:
    at_once, one_by_one = ProjectState(), ProjectState()
    at_once.apps  # noqa: B018 rendered before, as `migrate` does
    AtOnce(OPERATIONS).state_forwards("questionbank", at_once)
    for operation in OPERATIONS:
        operation.state_forwards("questionbank", one_by_one)
    assert at_once == one_by_one
    assert set(at_once.apps.all_models["questionbank"]) == {"volume", "shelf", "shelf_volumes"}


@pytest.mark.django_db
@pytest.mark.parametrize(("last", "is_refused"), [("0020", True), ("0038", True), ("0044", False), ("0047", False)])
def test_a_bank_older_than_the_first_release_is_refused(last, is_refused):
    rows = MigrationRecorder.Migration.objects.filter(app="questionbank")
    rows.filter(name__gt=f"{last}_z").delete()
    rows.filter(name__contains="_squashed_", name__gt=f"0001_squashed_{last}_z").delete()
    assert bool(history_problem()) == is_refused
    if is_refused:
        for command in ("migrate", "setup_bank"):
            with pytest.raises(CommandError, match="This bank is older than Kindred"):
                call_command(command, verbosity=0)


@pytest.mark.django_db
def test_a_bank_of_a_later_release_is_refused_with_the_release_that_it_needs(monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(migrations, "release", lambda: "0.99.0")
        migrations.bank_release_note()
    MigrationRecorder(connection).record_applied("questionbank", "0999_from_the_future")
    with pytest.raises(CommandError, match=rf"of Kindred 0\.99\.0, and this is {release()}: install 0\.99\.0 or"):
        call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("COMMENT ON TABLE django_migrations IS NULL")
    assert "is of a later release of Kindred" in history_problem()


_SCHEMA = """
    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
           || coalesce(' ' || column_default, '') || coalesce(' ' || generation_expression, '')
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE 'embedding_hnsw_%'
    UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
              WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
"""


def _schema():
    with connection.cursor() as cursor:
        cursor.execute(_SCHEMA)
        return sorted(row[0] for row in cursor.fetchall())


@contextmanager
def empty_bank() -> Iterator[None]:
    """Connect to an empty database until the block ends."""
    fresh = f"{connection.settings_dict['NAME']}_stopped"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {fresh}")
    try:
        with connected_to(fresh):
            yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {fresh} WITH (FORCE)")


@pytest.mark.django_db(transaction=True)
def test_a_bank_that_stopped_between_two_lines_of_work_goes_on():
    expected = _schema()
    with empty_bank():
        # for a day banks had 0048, with an index of 0050, and 0049 without 0046
        state = None
        for stop in ("0048_work_blocks", "0049_imports_that_update"):
            state = MigrationExecutor(connection).migrate([("questionbank", stop)], state=state)
        with connection.cursor() as cursor:
            cursor.execute("CREATE INDEX question_observed ON questionbank_question (status) WHERE responses > 0")
            cursor.execute("INSERT INTO questionbank_workblock (job, first, last, size) VALUES ('kept', 1, 2, 3)")
        call_command("migrate", verbosity=0)
        assert _schema() == expected
        assert list(WorkBlock.objects.values_list("job", "first")) == [("kept", 1)]


def add_rows(apps, number: int) -> None:
    """Add rows to a release's main tables, as its own models have them."""
    names = {model.__name__ for model in apps.get_app_config("questionbank").get_models()}

    def add(model: str, /, **fields):
        return apps.get_model("questionbank", model).objects.create(**fields)

    person = add("User", username=f"person {number}", password="!")
    hierarchy = add("KnowledgeHierarchy", name=f"Hierarchy {number}")
    concept = add("KnowledgeConcept", name="Sums", hierarchy=hierarchy, path=f"{number:04d}", depth=1, numchild=0)
    run = add("Run", kind="import", state="queued", parameters={"upload": "a.jsonl"}, requested_by=person)
    add("RunLog", run=run, text="Waiting")
    add("Run", kind="embed", state="running", worker="killed", heartbeat_at=timezone.now() - timedelta(hours=1))
    question = add(
        "Question",
        text=f"What is {number} + 5? ____",
        content_hash=number.to_bytes(32),
        kind="blanks" if "WorkBlock" in names else "blank",
        options=[{"label": "A", "text": "six"}],
        difficulty=0.4,
        difficulty_percent=40,
        facility=0.7,
        responses=60,
        created_by=person,
    )
    add("QuestionTag", question=question, concept=concept, user=person)
    add("QuestionEquation", question=question, expression="+ N0 N1", numbers=[str(number), "5"])
    shared = {"visibility": "all"} if "QuestionListMove" in names else {"is_shared": True}
    kept = add("QuestionList", name="Kept", owner=person, **shared)
    add("QuestionList", name="Own", owner=person)
    add("QuestionListItem", question_list=kept, question=question, position=1)
    encoder = add("ModelArtifact", capability="encoder", name="small", checksum="c" * 64, location=f"encoder/{number}")
    vectors = add("EmbeddingSet", lens="purpose", encoder_name="small", dimension=2, artifact=encoder)
    add("QuestionEmbedding", embedding_set=vectors, question=question, vector=[0.5, number], content_hash=b"h")
    add("QuestionSolution", question=question, content_hash=b"h", artifact=encoder, probability=0.5)
    add("ParaphrasePair", original="What is 2 + 2?", paraphrase="Add 2 and 2.", source="typed", created_by=person)
    if "WorkBlock" in names:
        add("WorkBlock", job=f"vectors/{number}", first=1, last=9, size=9, done=4)
        add("Worksheet", name="Sums", owner=person, source_list=kept)
        add("DocumentDraft", name="paper.docx", owner=person, lines=[{"text": "1. What is 2 + 2?"}])
        add("ImportUpdate", run=run, question=question, outcome="updated", before={"grade": "7"})
    if "ApiKey" in names:
        add("ApiKey", name="Nightly", digest=f"{number:064d}", beginning="kdr_1234", owner=person)
    if "ResponseSet" in names:
        tested = add("ResponseSet", title="Test", layout="long", owner=person)
        add("Response", response_set=tested, question=question, person=b"p" * 16, version=1, score=1)
    if "Hook" in names:
        add("Hook", owner=person, address="https://school.example/hook", site="school.example")


def write_backup(path: Path) -> None:
    """Write a backup as earlier code did, whose models do not fit today's."""
    dump = path.with_suffix(".dump")
    with backup_database.snapshot() as name:
        backup_database.database_dump(path=dump, snapshot_name=name)
    about = {
        "kindred": "0.1.0",  # what all releases up to 0.10.0 called themselves
        "created": "2026-11-29T15:05:00+00:00",
        "postgres": backup_database.server_version(),
        "migrations": applied_migrations(),
        "rows": backup_database.row_counts(tables=["questionbank_question", "questionbank_run"]),
    }
    with archive_write(path=path, about=about) as archive, dump.open("rb") as stream:
        archive.add(name=DUMP, stream=stream, size=dump.stat().st_size)


@pytest.mark.django_db(transaction=True)
def test_banks_and_backups_of_every_release_are_upgraded_and_their_jobs_go_on(own_files, broker, settings, tmp_path):
    expected = _schema()
    settings.VAR_DIR.mkdir()
    backup = tmp_path / "bank.tar"
    kept, state = {}, None  # the models, which take longer to make than the tables
    with empty_bank():
        for newest, alike in groupby(releases(), key=attrgetter("newest")):
            executor = MigrationExecutor(connection)
            squashed = {key: new for new, it in executor.loader.replacements.items() for key in it.replaces}
            targets = [squashed.get(("questionbank", name), ("questionbank", name)) for name in newest]
            state = executor.migrate(targets, state=state)
            state.clear_delayed_apps_cache()  # models that refer to a changed one refer to what it was
            for each in alike:
                add_rows(state.apps, len(kept) + 1)
                kept[each.number] = bank_rows()
                if each.number == "0.4.0":  # and until 0.9.0 migrations 0045 to 0050 were one
                    MigrationRecorder(connection).record_applied("questionbank", "0045_squashed_0050")
                if each.number == "0.10.0":
                    write_backup(backup)
        call_command("migrate", verbosity=0)
        now = bank_rows()
        assert {number: found for number, rows in kept.items() if (found := differences(rows, now))} == {}
        assert _schema() == expected
        first = Question.objects.earliest("pk")
        assert (first.kind, first.difficulty_percent) == ("blanks", pytest.approx(30))  # 0045, 0065
        shown = QuestionList.objects.order_by("pk").values_list("name", "visibility")  # 0074
        assert list(shown) == [("Kept", "all"), ("Own", "private")] * len(kept)
        assert runs_reconcile()["requeued"] == len(kept)
        assert set(Run.objects.values_list("state", flat=True)) == {"queued"}

        backup_restore(path=backup, force=True)
        assert differences(kept["0.10.0"], bank_rows()) == []
        assert Question.objects.count() == 10
        assert known_migrations()["questionbank"][-1] in applied_migrations()["questionbank"]


def test_the_migrations_of_all_releases_are_known():
    known = known_migrations()["questionbank"]
    assert [name for each in releases() for name in each.newest if name not in known] == []
    assert len(releases()) >= 10
