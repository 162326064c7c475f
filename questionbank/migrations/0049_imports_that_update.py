"""Remember what imports change, and what waits for a choice."""

from django.db import migrations, models
from django.db.migrations import CreateModel

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0045_question_content"),
    ]

    operations = [
        AtOnce([
            CreateModel(
                name='ImportUpdate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('outcome', models.CharField(choices=[('updated', 'Updated'), ('conflict', 'Edited in the bank and in the file'), ('kept', "The bank's version was kept"), ('taken', "The file's version was taken"), ('undone', 'Updated, then undone')], max_length=10)),
                    ('before', models.JSONField(default=dict)),
                    ('incoming', models.JSONField(default=dict)),
                    ('version', models.PositiveIntegerField(null=True)),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='import_updates', to='questionbank.question')),
                    ('run', models.ForeignKey(on_delete=models.CASCADE, related_name='import_updates', to='questionbank.run')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('run', 'question'), name='import_update_once_a_run')],
                },
            ),
        ]),
    ]
