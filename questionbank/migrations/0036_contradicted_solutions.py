from django.db import migrations


def forget(apps, schema_editor):
    """Have questions with a published answer solved again: a solution that contradicts it has no graph key now."""
    solutions = apps.get_model("questionbank", "QuestionSolution").objects
    solutions.filter(question__equation__isnull=True).exclude(question__answer="").delete()


class Migration(migrations.Migration):
    dependencies = [("questionbank", "0035_solutions_by_retriever")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
