"""Saved searches, and since when people can see a question; a question of before counts as seen since the migration."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0076_data_protection'),
    ]

    operations = [
        AtOnce([
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_searches', to=settings.AUTH_USER_MODEL)),
                ('school', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='questionbank.school', verbose_name='school')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('visibility', models.CharField(choices=[('all', 'Everybody'), ('school', 'One school'), ('private', 'Only its author')], db_default='private', default='private', max_length=7, verbose_name='visible to')),
                ('audience', models.GeneratedField(db_persist=True, expression=models.Case(models.When(then=models.F('school'), visibility='school'), models.When(then=models.Func(models.F('owner'), output_field=models.BigIntegerField(), template='(- %(expressions)s)'), visibility='private'), default=models.Value(0), output_field=models.BigIntegerField()), output_field=models.BigIntegerField(null=True))),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
            ],
            options={
                'verbose_name': 'saved search',
                'verbose_name_plural': 'saved searches',
                'ordering': ('name', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='SavedSearchOpening',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('saved_search', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='openings', to='questionbank.savedsearch')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seen_until', models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name='question',
            name='visible_since',
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(fields=['visible_since'], name='question_visible'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='visible_since', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN ((NEW."status" = \'ready\' AND NOT (OLD."status" = \'ready\')) OR OLD."visibility" IS DISTINCT FROM (NEW."visibility") OR OLD."school_id" IS DISTINCT FROM (NEW."school_id"))', func='NEW.visible_since = now(); RETURN NEW;', hash='17e0d02481fb19b25c6a1f5b35d542f707d1eaab', operation='UPDATE', pgid='pgtrigger_visible_since_b04a1', table='questionbank_question', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='savedsearch',
            index=models.Index(fields=['audience'], name='saved_search_audience'),
        ),
        migrations.AddConstraint(
            model_name='savedsearch',
            constraint=models.UniqueConstraint(fields=('owner', 'name'), name='one_saved_search_a_person_and_name'),
        ),
        migrations.AddConstraint(
            model_name='savedsearch',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('visibility', 'school'), ('school__isnull', False)), models.Q(models.Q(('visibility', 'school'), _negated=True), ('school__isnull', True)), _connector='OR'), name='saved_search_has_its_school'),
        ),
        migrations.AddConstraint(
            model_name='savedsearchopening',
            constraint=models.UniqueConstraint(fields=('saved_search', 'person'), name='one_opening_a_person_and_saved_search'),
        ),
        ]),
    ]
