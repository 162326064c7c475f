"""Give the equations that are in the bank the key by which questions that are computed alike find each other."""

from django.db import migrations

ROWS = 1_000


def index_equations(apps, schema_editor):
    from questionbank.services.equations import equation_graph_key

    equations = apps.get_model("questionbank", "QuestionEquation").objects.using(
        schema_editor.connection.alias
    )
    last = 0
    while rows := list(
        equations.filter(pk__gt=last)
        .select_related("question")
        .only("expression", "question__text")
        .order_by("pk")[:ROWS]
    ):
        last = rows[-1].pk
        for row in rows:
            row.graph_key = equation_graph_key(text=row.question.text, expression=row.expression)
        equations.bulk_update(rows, ["graph_key"])


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0026_solutions")]

    operations = [migrations.RunPython(index_equations, migrations.RunPython.noop)]
