from django.db import migrations


def forget(apps, schema_editor):
    """Have all questions solved again: rules, twins and other numbers count now, and slots may stand elsewhere."""
    apps.get_model("questionbank", "QuestionSolution").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0043_questions_that_are_not_whole")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
