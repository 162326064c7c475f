import django.contrib.postgres.indexes
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0003_history_keeps_what_was_there")]

    operations = [
        migrations.RemoveIndex(model_name="question", name="question_search"),
        migrations.AddIndex(
            model_name="question",
            index=django.contrib.postgres.indexes.GinIndex(fields=["search_vector"], name="question_search"),
        ),
    ]
