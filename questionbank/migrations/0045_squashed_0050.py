"""Give questions a content, pictures and originals, and the bank test papers, worksheets and blocks of work.

PostgreSQL computes `needs_figure` anew while it rewrites the table: a figure that is attached is no longer missing.
"""

from django.conf import settings
from django.contrib.postgres.indexes import HashIndex
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.migrations import AddField, AddIndex, AlterField, CreateModel
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Now
from pgtrigger.compiler import Trigger, UpsertTriggerSql
from pgtrigger.migrations import AddTrigger, RemoveTrigger

from questionbank.core.migrations import CreateModels
from questionbank.migrations._wholeness import NEEDS_FIGURE


def rename_blanks(apps, schema_editor):
    """Call the kind ``blank`` ``blanks``, without a version of each question in the history."""
    schema_editor.execute("ALTER TABLE questionbank_question DISABLE TRIGGER USER")
    for table in ("question", "questionevent", "facetcount"):
        schema_editor.execute(f"UPDATE questionbank_{table} SET kind = 'blanks' WHERE kind = 'blank'")
    schema_editor.execute("ALTER TABLE questionbank_question ENABLE TRIGGER USER")


KIND = models.CharField(choices=[('open', 'Open answer'), ('choice', 'Multiple choice'), ('true_false', 'True or false'), ('number', 'Number'), ('short', 'Short answer'), ('matching', 'Matching'), ('ordering', 'Ordering'), ('blanks', 'Fill in the blanks'), ('parts', 'Several parts'), ('description', 'Description'), ('opaque', 'Other type')], default='open', max_length=12, verbose_name='type')
TRIGGERS = (
    ('question', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."answer" IS DISTINCT FROM (NEW."answer") OR OLD."content" IS DISTINCT FROM (NEW."content") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."difficulty" IS DISTINCT FROM (NEW."difficulty") OR OLD."difficulty_percent" IS DISTINCT FROM (NEW."difficulty_percent") OR OLD."difficulty_scale" IS DISTINCT FROM (NEW."difficulty_scale") OR OLD."facility" IS DISTINCT FROM (NEW."facility") OR OLD."grade" IS DISTINCT FROM (NEW."grade") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."paraphrase_of_id" IS DISTINCT FROM (NEW."paraphrase_of_id") OR OLD."responses" IS DISTINCT FROM (NEW."responses") OR OLD."solution" IS DISTINCT FROM (NEW."solution") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."stage" IS DISTINCT FROM (NEW."stage") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."version" IS DISTINCT FROM (NEW."version"))', func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='8a40264e0fb9c7734c38dddfa74f017bbf8ff73b', operation='UPDATE', pgid='pgtrigger_update_update_cd11e', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='1dc647137ef77d5399f8277e580f1c79558bc2e9', operation='DELETE', pgid='pgtrigger_delete_delete_f591f', table='questionbank_question', when='AFTER'))),
)


class Migration(migrations.Migration):
    replaces = [
        ("questionbank", "0045_question_content"),
        ("questionbank", "0046_document_drafts"),
        ("questionbank", "0047_worksheets"),
        ("questionbank", "0048_work_blocks"),
        ("questionbank", "0049_imports_that_update"),
        ("questionbank", "0050_shared_texts"),
    ]
    dependencies = [("questionbank", "0001_squashed_0044")]

    operations = [
        CreateModels([
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
            CreateModel(
                name='DocumentDraft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('state', models.CharField(choices=[('reading', 'Being read'), ('ready', 'Ready to review'), ('refused', 'Cannot be read'), ('imported', 'Imported')], default='reading', max_length=10)),
                    ('reason', models.TextField(blank=True)),
                    ('upload', models.CharField(blank=True, max_length=100)),
                    ('lines', models.JSONField(blank=True, default=list)),
                    ('roles', models.JSONField(blank=True, default=list)),
                    ('pictures', models.JSONField(blank=True, default=dict)),
                    ('notices', models.JSONField(blank=True, default=list)),
                    ('corrections', models.JSONField(blank=True, default=list)),
                    ('applied', models.PositiveIntegerField(default=0)),
                    ('with_headings', models.BooleanField(default=False, verbose_name='headings become concepts')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('hierarchy', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.knowledgehierarchy')),
                    ('import_run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                    ('owner', models.ForeignKey(on_delete=models.CASCADE, related_name='document_drafts', to=settings.AUTH_USER_MODEL)),
                    ('read_run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'verbose_name': 'test paper',
                    'verbose_name_plural': 'test papers',
                    'ordering': ('-updated_at', '-pk'),
                },
            ),
            CreateModel(
                name='Worksheet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('title', models.CharField(blank=True, max_length=200, verbose_name='title')),
                    ('instructions', models.TextField(blank=True, verbose_name='instructions')),
                    ('columns', models.PositiveSmallIntegerField(default=1, verbose_name='columns')),
                    ('paper', models.CharField(choices=[('a4', 'A4'), ('us-letter', 'US Letter')], default='a4', max_length=12, verbose_name='paper')),
                    ('has_name_field', models.BooleanField(default=True, verbose_name='line for name, class and date')),
                    ('versions', models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1), MaxValueValidator(4)], verbose_name='versions')),
                    ('seed', models.PositiveIntegerField(default=1)),
                    ('mixes_questions', models.BooleanField(default=True, verbose_name='mix the order of questions')),
                    ('mixes_options', models.BooleanField(default=True, verbose_name='mix the order of options')),
                    ('changes_numbers', models.BooleanField(default=True, verbose_name='change numbers')),
                    ('is_shared', models.BooleanField(default=False, verbose_name='shared inside the school')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('owner', models.ForeignKey(on_delete=models.CASCADE, related_name='worksheets', to=settings.AUTH_USER_MODEL)),
                    ('source_list', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.questionlist')),
                ],
                options={
                    'verbose_name': 'worksheet',
                    'verbose_name_plural': 'worksheets',
                    'ordering': ('-updated_at', '-pk'),
                    'constraints': [
                        models.UniqueConstraint(fields=('owner', 'name'), name='one_worksheet_a_person_and_name'),
                        models.CheckConstraint(condition=models.Q(('columns__in', (1, 2))), name='worksheet_has_one_or_two_columns'),
                        models.CheckConstraint(condition=models.Q(('versions__gte', 1), ('versions__lte', 4)), name='worksheet_has_one_to_four_versions'),
                    ],
                },
            ),
            CreateModel(
                name='QuestionUse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField(verbose_name='day')),
                    ('worksheet_name', models.CharField(max_length=120, verbose_name='worksheet')),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='uses', to='questionbank.question')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('worksheet', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='uses', to='questionbank.worksheet')),
                ],
                options={
                    'ordering': ('-day', '-pk'),
                    'indexes': [models.Index(fields=['day', 'question'], name='use_day')],
                    'constraints': [models.UniqueConstraint(fields=('question', 'worksheet', 'day'), name='one_use_a_worksheet_and_day')],
                },
            ),
            CreateModel(
                name='WorksheetItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('heading', models.CharField(blank=True, max_length=200, verbose_name='heading')),
                    ('instructions', models.TextField(blank=True, verbose_name='instructions')),
                    ('points', models.FloatField(blank=True, null=True, verbose_name='points')),
                    ('answer_lines', models.PositiveSmallIntegerField(default=0, verbose_name='answer lines')),
                    ('question', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='worksheet_items', to='questionbank.question')),
                    ('worksheet', models.ForeignKey(on_delete=models.CASCADE, related_name='items', to='questionbank.worksheet')),
                ],
                options={
                    'verbose_name': 'question on a worksheet',
                    'verbose_name_plural': 'questions on worksheets',
                    'ordering': ('position',),
                    'constraints': [
                        models.UniqueConstraint(fields=('worksheet', 'question'), name='question_once_a_worksheet'),
                        models.UniqueConstraint(deferrable=models.Deferrable['DEFERRED'], fields=('worksheet', 'position'), name='one_item_a_place_on_a_worksheet'),
                    ],
                },
            ),
            CreateModel(
                name='WorkBlock',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('job', models.CharField(max_length=120)),
                    ('first', models.BigIntegerField(default=0)),
                    ('last', models.BigIntegerField(default=0)),
                    ('size', models.PositiveIntegerField(default=0)),
                    ('done', models.PositiveIntegerField(null=True)),
                    ('holder', models.UUIDField(null=True)),
                    ('until', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('job', 'first'), name='one_block_a_job_and_start')],
                },
            ),
            CreateModel(
                name='ImportUpdate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('outcome', models.CharField(choices=[('updated', 'Updated'), ('conflict', 'Edited in the bank and in the file'), ('kept', "The bank's version was kept"), ('taken', "The file's version was taken"), ('undone', 'Updated, then undone')], max_length=10)),
                    ('before', models.JSONField(default=dict)),
                    ('incoming', models.JSONField(default=dict)),
                    ('version', models.PositiveIntegerField(null=True)),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='import_updates', to='questionbank.question')),
                    ('run', models.ForeignKey(on_delete=models.CASCADE, related_name='import_updates', to='questionbank.run')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('run', 'question'), name='import_update_once_a_run')],
                },
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
        AddIndex("question", models.Index(condition=Q(responses__gt=0), fields=["status"], name="question_observed")),
        AddIndex("question", HashIndex(KT("content__stimulus__text"), name="question_stimulus", condition=Q(content__has_key="stimulus"))),
        *(AddTrigger(model_name=model, trigger=trigger) for model, trigger in TRIGGERS),
        *(
            AlterField(name, "created_at", models.DateTimeField(db_default=Now(), editable=False))
            for name in ("run", "reviewdecision", "reviewdecisionevent")
        ),
        migrations.RunPython(rename_blanks, migrations.RunPython.noop),
    ]
