from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = (("questionbank", "0047_worksheets"),)

    operations = (
        migrations.CreateModel(
            name="WorkBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("job", models.CharField(max_length=120)),
                ("first", models.BigIntegerField(default=0)),
                ("last", models.BigIntegerField(default=0)),
                ("size", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(null=True)),
                ("holder", models.UUIDField(null=True)),
                ("until", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "block of work",
                "verbose_name_plural": "blocks of work",
                "constraints": [
                    models.UniqueConstraint(fields=("job", "first"), name="one_block_a_job_and_start")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                condition=models.Q(responses__gt=0), fields=["status"], name="question_observed"
            ),
        ),
        *(
            migrations.AlterField(
                model_name=name,
                name="created_at",
                field=models.DateTimeField(db_default=Now(), editable=False),
            )
            for name in ("run", "reviewdecision", "reviewdecisionevent")
        ),
    )
