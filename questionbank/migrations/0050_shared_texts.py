"""Find the questions that share a text, and those with a published facility."""

from django.contrib.postgres.indexes import HashIndex
from django.db import migrations, models
from django.db.migrations import AddIndex
from django.db.models import Q
from django.db.models.fields.json import KT


class AddMissingIndex(AddIndex):
    """Add an index that some banks have already: for a day, migration 0048 created it."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Create the index unless it exists."""
        schema_editor.execute(f"DROP INDEX IF EXISTS {schema_editor.quote_name(self.index.name)}")
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0047_worksheets"),
        ("questionbank", "0048_work_blocks"),
        ("questionbank", "0049_imports_that_update"),
    ]

    operations = [
        AddMissingIndex(
            "question", models.Index(condition=Q(responses__gt=0), fields=["status"], name="question_observed")
        ),
        AddIndex(
            "question",
            HashIndex(
                KT("content__stimulus__text"), name="question_stimulus", condition=Q(content__has_key="stimulus")
            ),
        ),
    ]
