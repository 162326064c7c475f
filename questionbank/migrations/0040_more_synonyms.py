"""Add new synonyms; a group that shares a term with one of the bank's is left out, since an admin may have changed it."""

from django.db import migrations

from questionbank.default_synonyms import DEFAULT_SYNONYMS


def add_synonyms(apps, schema_editor):
    SynonymGroup = apps.get_model("questionbank", "SynonymGroup")
    known = {term.casefold() for terms in SynonymGroup.objects.values_list("terms", flat=True) for term in terms}
    SynonymGroup.objects.bulk_create(
        SynonymGroup(terms=terms)
        for terms in DEFAULT_SYNONYMS
        if known.isdisjoint(term.casefold() for term in terms)
    )


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0039_characters_and_tasks_in_search")]

    operations = [migrations.RunPython(add_synonyms, migrations.RunPython.noop)]
