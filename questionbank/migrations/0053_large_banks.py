"""Compute what a question lacks with fewer patterns than PostgreSQL keeps compiled; index the orders of browsing.

PostgreSQL rewrites the table once.
"""

from django.db import migrations, models
from django.db.models import Q

from questionbank.migrations._wholeness import DRAWS_NUMBERS, NEEDS_FIGURE

NAMES = {"needs_figure": "needs a figure", "draws_numbers": "draws its numbers"}
EXPRESSIONS = {"needs_figure": NEEDS_FIGURE, "draws_numbers": DRAWS_NUMBERS}
FIELDS = {
    name: models.GeneratedField(
        verbose_name=NAMES[name], expression=expression, output_field=models.BooleanField(), db_persist=True
    )
    for name, expression in EXPRESSIONS.items()
}


def set_expressions(apps, schema_editor):
    """Change both in one statement, so that the table is rewritten once."""
    question = apps.get_model("questionbank", "Question")
    changes = []
    for name in EXPRESSIONS:
        sql, parameters = question._meta.get_field(name).generated_sql(schema_editor.connection)
        quoted = tuple(map(schema_editor.quote_value, parameters))
        changes.append(f"ALTER COLUMN {name} SET EXPRESSION AS ({sql % quoted})")
    schema_editor.execute(f"ALTER TABLE questionbank_question {', '.join(changes)}", None)


class Migration(migrations.Migration):
    dependencies = (("questionbank", "0050_shared_texts"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(model_name="question", name=name, field=field)
                for name, field in FIELDS.items()
            ]
        ),
        migrations.RunPython(set_expressions, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                fields=["status", "difficulty_percent", "id"],
                name="question_rated",
                condition=Q(difficulty_percent__isnull=False),
            ),
        ),
        migrations.RemoveIndex(model_name="question", name="question_observed"),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                fields=["status", "responses", "id"], name="question_observed", condition=Q(responses__gt=0)
            ),
        ),
        migrations.AddIndex(
            model_name="questiontag",
            index=models.Index(fields=["concept", "question"], name="tag_concept"),
        ),
        migrations.AlterField(
            model_name="questiontag",
            name="question",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="tags",
                to="questionbank.question",
            ),
        ),
        migrations.AlterField(
            model_name="questiontag",
            name="concept",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="question_tags",
                to="questionbank.knowledgeconcept",
            ),
        ),
    )
