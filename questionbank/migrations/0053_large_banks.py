"""Compute what a question lacks with fewer patterns than PostgreSQL keeps compiled; index the orders of browsing.

The rules are those of migration 45, but for the names of pictures, which are no variables ("image1.png").
PostgreSQL rewrites the table once.
"""

from functools import reduce
from importlib import import_module
from itertools import groupby
from operator import itemgetter, or_

from django.db import migrations, models
from django.db.models import Q
from django.db.models.lookups import Regex

from questionbank.migrations import _wholeness as RULES

FIGURES = import_module("questionbank.migrations.0045_squashed_0050")
TEXT, OPTIONS = RULES.TEXT, RULES.OPTIONS


def matches(wording, *patterns):
    return Q(Regex(wording, "|".join(patterns)))


def part(replacements, wording):
    """Return a part of a wording, without its pictures where drawings are left out."""
    if replacements:
        (drawing, blank), *others = replacements
        replacements = ((drawing + r"|!\[[^]]*\]\([^()]*\)", blank), *others)
    return RULES.part(replacements, wording)


def placeholders(wording):
    for (hint, replacements), rules in groupby(RULES.PLACEHOLDERS, itemgetter(0, 1)):
        found = matches(part(replacements, wording), *(pattern for *_, pattern in rules))
        yield matches(wording, hint) & found if hint else found


EXPRESSIONS = {
    "needs_figure": matches(TEXT, *FIGURES.MARKS)
    | matches(OPTIONS, *FIGURES.MARKS)
    | FIGURES.has_picture("!exists(@.sha256)")
    | matches(TEXT, FIGURES.UNNAMED)
    | matches(OPTIONS, FIGURES.UNNAMED)
    | (
        ~FIGURES.has_picture("exists(@.sha256)")
        & (
            matches(TEXT, FIGURES.PICTURE)
            | matches(OPTIONS, FIGURES.PICTURE)
            | (
                matches(TEXT, RULES.HINT)
                & (
                    (matches(TEXT, *RULES.FIGURES) & ~matches(TEXT, *RULES.LAYOUTS))
                    | (matches(TEXT, *RULES.TABLES) & ~matches(TEXT, *RULES.DATA))
                )
            )
        )
    ),
    "draws_numbers": reduce(or_, (rule for wording in (TEXT, OPTIONS) for rule in placeholders(wording))),
}
NAMES = {"needs_figure": "needs a figure", "draws_numbers": "draws its numbers"}
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
    dependencies = (("questionbank", "0045_squashed_0050"),)

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
