"""Keep with a list what its paper says above the questions and gives for them; and how wide a paper's pictures are."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("questionbank", "0054_analysed_text"),)

    operations = (
        migrations.AddField("questionlist", "instructions", models.TextField("instructions", blank=True)),
        migrations.AddField("questionlistitem", "points", models.FloatField("points", null=True, blank=True)),
        migrations.AddField(
            "questionlistitem", "heading", models.CharField("heading", max_length=200, blank=True)
        ),
        migrations.AddField("questionlistitem", "instructions", models.TextField("instructions", blank=True)),
        migrations.AddField("documentdraft", "picture_widths", models.JSONField(default=dict, blank=True)),
    )
