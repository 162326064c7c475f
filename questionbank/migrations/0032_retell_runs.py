from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0001_squashed_0031"),
    ]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="kind",
            field=models.CharField(
                choices=[
                    ("import", "Import"),
                    ("embed", "Compute vectors"),
                    ("train", "Train"),
                    ("evaluate", "Evaluate"),
                    ("promote", "Promote"),
                    ("score", "Score"),
                    ("propose", "Propose paraphrases"),
                    ("project", "Draw the map"),
                    ("undo", "Undo an import"),
                    ("change", "Change questions"),
                    ("report", "Count the training data"),
                    ("solve", "Solve word problems"),
                    ("ask", "Ask the language model"),
                    ("retell", "Write similar problems"),
                ],
                max_length=10,
                verbose_name="kind",
            ),
        ),
    ]
