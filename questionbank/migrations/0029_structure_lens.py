"""The lens “structure”, and questions that a lens does not compare: looked at, and without a vector."""

from __future__ import annotations

import pgvector.django.halfvec
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0028_pair_solutions")]

    operations = [
        migrations.AlterField(
            model_name="embeddingset",
            name="lens",
            field=models.CharField(
                choices=[("purpose", "Purpose"), ("structure", "Structure"), ("wording", "Wording")],
                max_length=12,
                verbose_name="lens",
            ),
        ),
        migrations.AlterField(
            model_name="questionembedding",
            name="vector",
            field=pgvector.django.halfvec.HalfVectorField(blank=True, null=True),
        ),
    ]
