"""Add "Publish drafts" to the kinds of changes of many questions; the table stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0055_sections_and_sizes")]

    operations = [
        migrations.AlterField(
            model_name="bulkchange",
            name="kind",
            field=models.CharField(
                choices=[
                    ("publish", "Publish drafts"),
                    ("retire", "Retire"),
                    ("restore", "Bring back"),
                    ("delete_drafts", "Delete drafts"),
                    ("concepts", "Change concepts"),
                    ("grade", "Set the grade"),
                    ("source", "Set the source"),
                    ("difficulty", "Set the difficulty"),
                ],
                max_length=16,
                verbose_name="kind",
            ),
        ),
    ]
