"""Give the bank blocks of work, and rows the time of their creation from the database."""

from django.db import migrations, models
from django.db.migrations import AlterField, CreateModel
from django.db.models.functions import Now

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0045_question_content"),
    ]

    operations = [
        AtOnce([
            CreateModel(
                name='WorkBlock',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('job', models.CharField(max_length=120)),
                    ('first', models.BigIntegerField(default=0)),
                    ('last', models.BigIntegerField(default=0)),
                    ('size', models.PositiveIntegerField(default=0)),
                    ('done', models.PositiveIntegerField(null=True)),
                    ('holder', models.UUIDField(null=True)),
                    ('until', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('job', 'first'), name='one_block_a_job_and_start')],
                },
            ),
        ]),
        *(
            AlterField(name, "created_at", models.DateTimeField(db_default=Now(), editable=False))
            for name in ("run", "reviewdecision", "reviewdecisionevent")
        ),
    ]
