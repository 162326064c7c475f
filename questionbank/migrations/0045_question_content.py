"""Give questions a content, pictures and originals.

PostgreSQL computes `needs_figure` anew while it rewrites the table: a figure that is attached is no longer missing.
"""

from django.db import migrations, models
from django.db.migrations import AddField, AddIndex, AlterField, CreateModel
from django.db.models import Q
from pgtrigger.compiler import Trigger, UpsertTriggerSql
from pgtrigger.migrations import AddTrigger, RemoveTrigger

from questionbank.core.migrations import AtOnce
from questionbank.migrations._wholeness import NEEDS_FIGURE


def rename_blanks(apps, schema_editor):
    """Call the kind ``blank`` ``blanks``, without a version of each question in the history."""
    schema_editor.execute("ALTER TABLE questionbank_question DISABLE TRIGGER USER")
    for table in ("question", "questionevent", "facetcount"):
        schema_editor.execute(f"UPDATE questionbank_{table} SET kind = 'blanks' WHERE kind = 'blank'")
    # The rows are new in this transaction, which has rewritten the table, so PostgreSQL has put off checking their foreign keys.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    schema_editor.execute("ALTER TABLE questionbank_question ENABLE TRIGGER USER")


KIND = models.CharField(choices=[('open', 'Open answer'), ('choice', 'Multiple choice'), ('true_false', 'True or false'), ('number', 'Number'), ('short', 'Short answer'), ('matching', 'Matching'), ('ordering', 'Ordering'), ('blanks', 'Fill in the blanks'), ('parts', 'Several parts'), ('description', 'Description'), ('opaque', 'Other type')], default='open', max_length=12, verbose_name='type')
TRIGGERS = (
    ('question', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."answer" IS DISTINCT FROM (NEW."answer") OR OLD."content" IS DISTINCT FROM (NEW."content") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."difficulty" IS DISTINCT FROM (NEW."difficulty") OR OLD."difficulty_percent" IS DISTINCT FROM (NEW."difficulty_percent") OR OLD."difficulty_scale" IS DISTINCT FROM (NEW."difficulty_scale") OR OLD."facility" IS DISTINCT FROM (NEW."facility") OR OLD."grade" IS DISTINCT FROM (NEW."grade") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."paraphrase_of_id" IS DISTINCT FROM (NEW."paraphrase_of_id") OR OLD."responses" IS DISTINCT FROM (NEW."responses") OR OLD."solution" IS DISTINCT FROM (NEW."solution") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."stage" IS DISTINCT FROM (NEW."stage") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."version" IS DISTINCT FROM (NEW."version"))', func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='8a40264e0fb9c7734c38dddfa74f017bbf8ff73b', operation='UPDATE', pgid='pgtrigger_update_update_cd11e', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='1dc647137ef77d5399f8277e580f1c79558bc2e9', operation='DELETE', pgid='pgtrigger_delete_delete_f591f', table='questionbank_question', when='AFTER'))),
)


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0001_squashed_0044"),
    ]

    operations = [
        AtOnce([
            CreateModel(
                name='Attachment',
                fields=[
                    ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('media_type', models.CharField(max_length=40, verbose_name='media type')),
                    ('size', models.PositiveIntegerField(verbose_name='bytes')),
                    ('width', models.PositiveIntegerField(verbose_name='width in pixels')),
                    ('height', models.PositiveIntegerField(verbose_name='height in pixels')),
                    ('used_at', models.DateTimeField(auto_now_add=True)),
                ],
            ),
            CreateModel(
                name='QuestionOriginal',
                fields=[
                    ('question', models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name='original', serialize=False, to='questionbank.question')),
                    ('format', models.CharField(max_length=20)),
                    ('data', models.BinaryField()),
                    ('preamble', models.BinaryField(default=b'')),
                    ('fields', models.BinaryField(max_length=32)),
                ],
            ),
        ]),
        *(RemoveTrigger(model_name=model, name=trigger.name) for model, trigger in TRIGGERS),
        *(AddField(name, "content", models.JSONField(blank=True, default=dict, verbose_name='grading')) for name in ("question", "questionevent")),
        *(AlterField(name, "kind", KIND) for name in ("question", "questionevent")),
        migrations.RemoveIndex("question", "question_figure"),
        migrations.RemoveField("question", "needs_figure"),
        AddField(
            "question",
            "needs_figure",
            models.GeneratedField(db_persist=True, expression=NEEDS_FIGURE, output_field=models.BooleanField(), verbose_name="needs a figure"),
        ),
        AddIndex("question", models.Index(condition=Q(needs_figure=True), fields=["id"], name="question_figure")),
        *(AddTrigger(model_name=model, trigger=trigger) for model, trigger in TRIGGERS),
        migrations.RunPython(rename_blanks, migrations.RunPython.noop),
    ]
