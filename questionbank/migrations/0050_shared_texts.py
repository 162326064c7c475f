"""Find the questions that share a text by that text."""

from __future__ import annotations

from django.contrib.postgres.indexes import HashIndex
from django.db import migrations
from django.db.models import Q
from django.db.models.fields.json import KT


class Migration(migrations.Migration):
    dependencies = (("questionbank", "0049_imports_that_update"),)

    operations = (
        migrations.AddIndex(
            model_name="question",
            index=HashIndex(
                KT("content__stimulus__text"), name="question_stimulus", condition=Q(content__has_key="stimulus")
            ),
        ),
    )
