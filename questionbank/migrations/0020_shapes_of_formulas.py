"""Index the shapes of formulas of the questions that are in the bank, which a search finds alike formulas by."""

from django.db import migrations

BATCH = 1000


def index_shapes(apps, schema_editor):
    from questionbank.services.search_index import question_tokens, search_index_settle

    Question = apps.get_model("questionbank", "Question")
    last = 0
    while True:
        rows = Question.objects.filter(pk__gt=last).only("text", "options", "language").order_by("pk")[:BATCH]
        tokens = [(question.pk, question_tokens(question)) for question in rows]
        if not tokens:
            break
        last = tokens[-1][0]
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(
                "UPDATE questionbank_question SET search_vector = to_tsvector('simple', fresh.tokens)"
                " FROM unnest(%s::bigint[], %s::text[]) AS fresh (id, tokens)"
                " WHERE questionbank_question.id = fresh.id",
                [[pk for pk, _ in tokens], [text for _, text in tokens]],
            )
    if last:
        search_index_settle()


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0019_synonyms_and_long_searches")]

    operations = [migrations.RunPython(index_shapes, migrations.RunPython.noop)]
