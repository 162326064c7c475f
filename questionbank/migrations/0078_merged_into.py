"""Note into which question a duplicate was merged."""

import django.db.models.deletion
from django.db import migrations, models

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0077_saved_searches'),
    ]

    operations = [
        AtOnce([
        migrations.AddField(
            model_name='question',
            name='merged_into',
            field=models.ForeignKey(blank=True, db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged', to='questionbank.question', verbose_name='merged into'),
        ),
        migrations.AlterField(
            model_name='bulkchange',
            name='kind',
            field=models.CharField(choices=[('publish', 'Publish drafts'), ('retire', 'Retire'), ('restore', 'Bring back'), ('delete_drafts', 'Delete drafts'), ('concepts', 'Change concepts'), ('grade', 'Set the grade'), ('source', 'Set the source'), ('difficulty', 'Set the difficulty'), ('visibility', 'Visible to'), ('merge', 'Merge duplicates')], max_length=16, verbose_name='kind'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('merged_into__isnull', False)), fields=['merged_into'], name='question_merged'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('status', 'retired'), models.Q(('merged_into', models.F('id')), _negated=True)), _connector='OR'), name='merged_question_is_retired'),
        ),
        ]),
    ]
