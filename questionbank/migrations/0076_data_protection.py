"""Add the times for which data is kept, and the audit; let the history be read by time and by person."""

import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):

    dependencies = [
        ('pghistory', '0007_auto_20250421_0444'),
        ('questionbank', '0075_erased_people'),
    ]

    operations = [
        AtOnce([
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('sign_in', 'Log-ins'), ('export', 'Exports'), ('view', 'Views'), ('retention', 'Deleted by age')], max_length=10)),
                ('what', models.CharField(max_length=300)),
                ('path', models.CharField(blank=True, max_length=300)),
                ('address', models.GenericIPAddressField(blank=True, null=True)),
                ('through', models.CharField(blank=True, max_length=120)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'verbose_name': 'entry of the audit',
                'verbose_name_plural': 'entries of the audit',
                'ordering': ('-created_at', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='Retention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20, unique=True, verbose_name='kind of data')),
                ('days', models.PositiveIntegerField(blank=True, null=True, verbose_name='days')),
            ],
            options={
                'verbose_name': 'time for which data is kept',
                'verbose_name_plural': 'times for which data is kept',
                'ordering': ('kind',),
            },
        ),
        migrations.CreateModel(
            name='RetentionEvent',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('id', models.BigIntegerField()),
                ('kind', models.CharField(max_length=20, verbose_name='kind of data')),
                ('days', models.PositiveIntegerField(blank=True, null=True, verbose_name='days')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='questionevent',
            index=models.Index(fields=['pgh_created_at', 'pgh_id'], name='question_event_time'),
        ),
        migrations.AddIndex(
            model_name='questiontagevent',
            index=models.Index(fields=['pgh_created_at', 'pgh_id'], name='tag_event_time'),
        ),
        migrations.AddField(
            model_name='auditevent',
            name='person',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='retention',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_retentionevent" ("days", "id", "kind", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (NEW."days", NEW."id", NEW."kind", _pgh_attach_context(), NOW(), \'insert\', NEW."id"); RETURN NULL;', hash='21aba4ae3e3876161cbe08fee46f82fe08367d79', operation='INSERT', pgid='pgtrigger_insert_insert_52370', table='questionbank_retention', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='retention',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='INSERT INTO "questionbank_retentionevent" ("days", "id", "kind", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."days", OLD."id", OLD."kind", _pgh_attach_context(), NOW(), \'update\', OLD."id"); RETURN NULL;', hash='b69c7913c3729133448fe342746b989b934186c6', operation='UPDATE', pgid='pgtrigger_update_update_5e490', table='questionbank_retention', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='retention',
            trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_retentionevent" ("days", "id", "kind", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."days", OLD."id", OLD."kind", _pgh_attach_context(), NOW(), \'delete\', OLD."id"); RETURN NULL;', hash='0def6dfb0244610889b062024b9a1b3a7ceee987', operation='DELETE', pgid='pgtrigger_delete_delete_ddfcd', table='questionbank_retention', when='AFTER')),
        ),
        migrations.AddField(
            model_name='retentionevent',
            name='pgh_context',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context'),
        ),
        migrations.AddField(
            model_name='retentionevent',
            name='pgh_obj',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='events', to='questionbank.retention'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['created_at', 'id'], name='audit_time'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['kind', 'created_at', 'id'], name='audit_kind'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['person', 'created_at', 'id'], name='audit_person'),
        ),
        migrations.RunSQL(
            'CREATE INDEX IF NOT EXISTS context_user ON pghistory_context ((metadata -> \'user\'))',
            'DROP INDEX IF EXISTS context_user',
        ),
        ]),
    ]
