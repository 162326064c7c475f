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
                max_length=10,
                verbose_name="kind",
            ),
        ),
    ]
