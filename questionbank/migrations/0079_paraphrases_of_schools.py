"""Paraphrases of texts that are not in the bank belong to a school; those of before stay visible to everybody."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0078_merged_into'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='paraphrasepair',
            options={'verbose_name': 'paraphrase', 'verbose_name_plural': 'paraphrases'},
        ),
        migrations.AddField(
            model_name='paraphrasepair',
            name='school',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='questionbank.school', verbose_name='school'),
        ),
        migrations.AddField(
            model_name='paraphrasepair',
            name='visibility',
            field=models.CharField(choices=[('all', 'Everybody'), ('school', 'One school'), ('private', 'Only its author')], db_default='all', default='all', max_length=7, verbose_name='visible to'),
        ),
        migrations.AddConstraint(
            model_name='paraphrasepair',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('visibility', 'school'), ('school__isnull', False)), models.Q(models.Q(('visibility', 'school'), _negated=True), ('school__isnull', True)), _connector='OR'), name='paraphrase_has_its_school'),
        ),
        migrations.AddField(
            model_name='paraphrasepair',
            name='audience',
            field=models.GeneratedField(db_persist=True, expression=models.Case(models.When(then=models.F('school'), visibility='school'), models.When(then=models.Func(models.F('created_by'), output_field=models.BigIntegerField(), template='(- %(expressions)s)'), visibility='private'), default=models.Value(0), output_field=models.BigIntegerField()), output_field=models.BigIntegerField(null=True)),
        ),
    ]
