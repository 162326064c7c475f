"""Index again what full-text search finds questions by, with the kinds of task that they are; add new synonyms.

A group that shares a term with one of the bank's is left out: an admin may have changed it.
"""

from importlib import import_module

from django.db import migrations

from questionbank.default_synonyms import DEFAULT_SYNONYMS

index_again = import_module("questionbank.migrations.0020_shapes_of_formulas").index_shapes


def add_synonyms(apps, schema_editor):
    SynonymGroup = apps.get_model("questionbank", "SynonymGroup")
    known = {term.casefold() for terms in SynonymGroup.objects.values_list("terms", flat=True) for term in terms}
    SynonymGroup.objects.bulk_create(
        SynonymGroup(terms=terms)
        for terms in DEFAULT_SYNONYMS
        if known.isdisjoint(term.casefold() for term in terms)
    )


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0038_equation_history")]

    operations = [
        migrations.RunPython(index_again, migrations.RunPython.noop),
        migrations.RunPython(add_synonyms, migrations.RunPython.noop),
    ]
