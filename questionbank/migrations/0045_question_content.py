"""Give questions a content, pictures and originals; a figure that is attached is no longer missing.

PostgreSQL computes `needs_figure` anew while it rewrites the table. The rules are those of migration 43.
"""

from importlib import import_module

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models
from django.db.models import BooleanField, F, Func, Q, Value

RULES = import_module("questionbank.migrations.0043_questions_that_are_not_whole")
TEXT, OPTIONS, matches = RULES.TEXT, RULES.OPTIONS, RULES._matches
PICTURE, UNNAMED = r"!\[[^]]*\]\(", r"!\[[^]]*\]\( *\)"
MARKS = tuple(mark for mark in RULES.MARKS if mark != PICTURE)


def has_picture(condition):
    return Q(
        Func(
            F("content"),
            Value(f"$.pictures[*] ? ({condition})"),
            template="jsonb_path_exists(%(expressions)s::jsonpath)",
            output_field=BooleanField(),
        )
    )


NEEDS_FIGURE = (
    matches(TEXT, *MARKS)
    | matches(OPTIONS, *MARKS)
    | has_picture("!exists(@.sha256)")
    | matches(TEXT, UNNAMED)
    | matches(OPTIONS, UNNAMED)
    | (
        ~has_picture("exists(@.sha256)")
        & (
            matches(TEXT, PICTURE)
            | matches(OPTIONS, PICTURE)
            | (
                matches(TEXT, RULES.HINT)
                & (
                    (matches(TEXT, *RULES.FIGURES) & ~matches(TEXT, *RULES.LAYOUTS))
                    | (matches(TEXT, *RULES.TABLES) & ~matches(TEXT, *RULES.DATA))
                )
            )
        )
    )
)


def rename_blanks(apps, schema_editor):
    """Call the kind ``blank`` ``blanks``, without a version of each question in the history."""
    schema_editor.execute("ALTER TABLE questionbank_question DISABLE TRIGGER USER")
    for table in ("question", "questionevent", "facetcount"):
        schema_editor.execute(f"UPDATE questionbank_{table} SET kind = 'blanks' WHERE kind = 'blank'")
    schema_editor.execute("ALTER TABLE questionbank_question ENABLE TRIGGER USER")


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0044_solutions_by_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="Attachment",
            fields=[
                ("sha256", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("media_type", models.CharField(max_length=40, verbose_name="media type")),
                ("size", models.PositiveIntegerField(verbose_name="bytes")),
                ("width", models.PositiveIntegerField(verbose_name="width in pixels")),
                ("height", models.PositiveIntegerField(verbose_name="height in pixels")),
                ("used_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "picture",
                "verbose_name_plural": "pictures",
            },
        ),
        migrations.CreateModel(
            name="QuestionOriginal",
            fields=[
                (
                    "question",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="original",
                        serialize=False,
                        to="questionbank.question",
                    ),
                ),
                ("format", models.CharField(max_length=20)),
                ("data", models.BinaryField()),
                ("preamble", models.BinaryField(default=b"")),
                ("fields", models.BinaryField(max_length=32)),
            ],
            options={
                "verbose_name": "original",
                "verbose_name_plural": "originals",
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="question",
            name="update_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="question",
            name="delete_delete",
        ),
        migrations.AddField(
            model_name="question",
            name="content",
            field=models.JSONField(blank=True, default=dict, verbose_name="grading"),
        ),
        migrations.AddField(
            model_name="questionevent",
            name="content",
            field=models.JSONField(blank=True, default=dict, verbose_name="grading"),
        ),
        migrations.AlterField(
            model_name="question",
            name="kind",
            field=models.CharField(
                choices=[
                    ("open", "Open answer"),
                    ("choice", "Multiple choice"),
                    ("true_false", "True or false"),
                    ("number", "Number"),
                    ("short", "Short answer"),
                    ("matching", "Matching"),
                    ("ordering", "Ordering"),
                    ("blanks", "Fill in the blanks"),
                    ("parts", "Several parts"),
                    ("description", "Description"),
                    ("opaque", "Other type"),
                ],
                default="open",
                max_length=12,
                verbose_name="type",
            ),
        ),
        migrations.RemoveIndex(model_name="question", name="question_figure"),
        migrations.RemoveField(model_name="question", name="needs_figure"),
        migrations.AddField(
            model_name="question",
            name="needs_figure",
            field=models.GeneratedField(
                verbose_name="needs a figure",
                expression=NEEDS_FIGURE,
                output_field=models.BooleanField(),
                db_persist=True,
            ),
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(condition=Q(needs_figure=True), fields=["id"], name="question_figure"),
        ),
        migrations.AlterField(
            model_name="questionevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("open", "Open answer"),
                    ("choice", "Multiple choice"),
                    ("true_false", "True or false"),
                    ("number", "Number"),
                    ("short", "Short answer"),
                    ("matching", "Matching"),
                    ("ordering", "Ordering"),
                    ("blanks", "Fill in the blanks"),
                    ("parts", "Several parts"),
                    ("description", "Description"),
                    ("opaque", "Other type"),
                ],
                default="open",
                max_length=12,
                verbose_name="type",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="question",
            trigger=pgtrigger.compiler.Trigger(
                name="update_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."answer" IS DISTINCT FROM (NEW."answer") OR OLD."content" IS DISTINCT FROM (NEW."content") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."difficulty" IS DISTINCT FROM (NEW."difficulty") OR OLD."difficulty_percent" IS DISTINCT FROM (NEW."difficulty_percent") OR OLD."difficulty_scale" IS DISTINCT FROM (NEW."difficulty_scale") OR OLD."facility" IS DISTINCT FROM (NEW."facility") OR OLD."grade" IS DISTINCT FROM (NEW."grade") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."paraphrase_of_id" IS DISTINCT FROM (NEW."paraphrase_of_id") OR OLD."responses" IS DISTINCT FROM (NEW."responses") OR OLD."solution" IS DISTINCT FROM (NEW."solution") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."stage" IS DISTINCT FROM (NEW."stage") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."version" IS DISTINCT FROM (NEW."version"))',
                    func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;',
                    hash="8a40264e0fb9c7734c38dddfa74f017bbf8ff73b",
                    operation="UPDATE",
                    pgid="pgtrigger_update_update_cd11e",
                    table="questionbank_question",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="question",
            trigger=pgtrigger.compiler.Trigger(
                name="delete_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;',
                    hash="1dc647137ef77d5399f8277e580f1c79558bc2e9",
                    operation="DELETE",
                    pgid="pgtrigger_delete_delete_f591f",
                    table="questionbank_question",
                    when="AFTER",
                ),
            ),
        ),
        migrations.RunPython(rename_blanks, migrations.RunPython.noop),
    ]
