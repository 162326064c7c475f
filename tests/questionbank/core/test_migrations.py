"""Making many models at once, and banks that stopped where no migration leads on."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.migrations import CreateModel, DeleteModel
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from questionbank.core.migrations import CreateModels, history_problem
from questionbank.models import WorkBlock
from questionbank.operations.backup_database import connected_to

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
    operation = CreateModels(OPERATIONS)
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
    assert operation.describe() == "Create 2 models"


def test_another_operation_is_refused() -> None:
    with pytest.raises(TypeError, match="Delete model Volume"):
        CreateModels([DeleteModel("Volume")])


def test_models_are_described_as_one_operation_after_another_does() -> None:
    at_once, one_by_one = ProjectState(), ProjectState()
    at_once.apps  # noqa: B018 rendered before, as `migrate` does
    CreateModels(OPERATIONS).state_forwards("questionbank", at_once)
    for operation in OPERATIONS:
        operation.state_forwards("questionbank", one_by_one)
    assert at_once == one_by_one
    assert set(at_once.apps.all_models["questionbank"]) == {"volume", "shelf", "shelf_volumes"}


@pytest.mark.django_db
@pytest.mark.parametrize(("last", "commit"), [("0020", "72c08ee0"), ("0038", "bb817d2a"), ("0044", ""), ("0047", "")])
def test_a_bank_older_than_the_first_version_is_told_by_which_commit_it_goes_on(last, commit):
    rows = MigrationRecorder.Migration.objects.filter(app="questionbank")
    rows.filter(name__gt=f"{last}_z").delete()
    rows.filter(name__contains="_squashed_", name__gt=f"0001_squashed_{last}_z").delete()
    assert commit in history_problem()
    assert bool(history_problem()) == bool(commit)
    if commit:
        for command in ("migrate", "setup_bank"):
            with pytest.raises(CommandError, match=f"commit {commit}"):
                call_command(command, verbosity=0)


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


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "stops",
    [
        ["0047_worksheets", "0048_work_blocks"],
        # two lines of work that met later: for a day banks had 0048, with an index of 0050, and 0049 without 0046
        ["0048_work_blocks", "0049_imports_that_update", "with the index of 0050"],
    ],
)
def test_a_bank_that_stopped_between_two_versions_goes_on(stops):
    expected = _schema()
    fresh = f"{connection.settings_dict['NAME']}_stopped"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {fresh}")
    try:
        with connected_to(fresh):
            for stop in stops:
                if stop.startswith("with"):
                    with connection.cursor() as cursor:
                        cursor.execute(
                            "CREATE INDEX question_observed ON questionbank_question (status) WHERE responses > 0"
                        )
                else:
                    MigrationExecutor(connection).migrate([("questionbank", stop)])
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO questionbank_workblock (job, first, last, size) VALUES ('kept', 1, 2, 3)")
            call_command("migrate", verbosity=0)
            assert _schema() == expected
            assert list(WorkBlock.objects.values_list("job", "first")) == [("kept", 1)]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {fresh} WITH (FORCE)")
