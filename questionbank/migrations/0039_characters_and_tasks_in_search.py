"""Index the bank's questions anew: characters of Word and PDF files are found both ways, and the kinds of task are."""

from django.db import migrations


def rebuild(apps, schema_editor):
    from questionbank.services.search_index import search_index_rebuild, vocabulary_refresh

    if search_index_rebuild(apps.get_model("questionbank", "Question").objects.all()):
        vocabulary_refresh()


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0038_equation_history")]

    operations = [migrations.RunPython(rebuild, migrations.RunPython.noop)]
