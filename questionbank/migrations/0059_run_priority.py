"""Add the priority of a job: what a worker does first, and to what a bulk job gives way."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0058_publish_drafts")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="priority",
            field=models.PositiveSmallIntegerField(default=0),
        ),
    ]
