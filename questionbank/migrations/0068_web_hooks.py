"""Add web hooks, and the triggers that record what happens."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
import uuid
from django.conf import settings
from django.db import migrations, models

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0067_solutions_read_with_a_model'),
    ]

    operations = [
        AtOnce([
        migrations.CreateModel(
            name='Hook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=2000, verbose_name='address')),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('import.finished', 'An import finished'), ('question.changed', 'Questions changed'), ('review.settled', 'Paraphrases were decided'), ('model.promoted', 'A model was put into use'), ('statistics.updated', 'The statistics of questions were updated')], max_length=20), default=list, size=None)),
                ('site', models.CharField(max_length=300)),
                ('salt', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('is_active', models.BooleanField(default=True)),
                ('failing_since', models.DateTimeField(editable=False, null=True)),
                ('disabled_because', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'verbose_name': 'web hook',
                'verbose_name_plural': 'web hooks',
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='HookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(max_length=20)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('began_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('attempts', models.JSONField(default=list)),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ('-pk',),
            },
        ),
        migrations.CreateModel(
            name='HookEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('import.finished', 'An import finished'), ('question.changed', 'Questions changed'), ('review.settled', 'Paraphrases were decided'), ('model.promoted', 'A model was put into use'), ('statistics.updated', 'The statistics of questions were updated')], max_length=20)),
                ('ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('are_deleted', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
        ),
        migrations.AlterField(
            model_name='outgoingmail',
            name='kind',
            field=models.CharField(choices=[('reset', 'Password reset'), ('invitation', 'Invitation'), ('test', 'Test'), ('hooks', 'Web hooks that were disabled')], max_length=10, verbose_name='kind'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='itemstatistics',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'statistics.updated' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'statistics.updated', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM new_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='5ed2fa1304e82936934c2245d183e623dfaed84a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_hook_insert_720a9', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_itemstatistics', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='modelevent',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (NEW.kind IN ('promoted', 'rolled_back') AND NEW.artifact_id IS NOT NULL)", func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'model.promoted' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'model.promoted', array_agg(DISTINCT id), False FROM (SELECT NEW.artifact_id AS id) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='6fb78404894690114f483e3f879c6c0de2a5cdaf', operation='INSERT', pgid='pgtrigger_hook_insert_e0f6d', table='questionbank_modelevent', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='paraphrasepair',
            trigger=pgtrigger.compiler.Trigger(name='hook_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (NEW.state = 'decided' AND OLD.state <> 'decided')", func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'review.settled' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'review.settled', array_agg(DISTINCT id), False FROM (SELECT NEW.id AS id) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='80154ab3196c66243190575b646f0cfa275f6942', operation='UPDATE', pgid='pgtrigger_hook_update_327bc', table='questionbank_paraphrasepair', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT id FROM new_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='e6934446871b7f546100a99219ea5226882efffa', level='STATEMENT', operation='INSERT', pgid='pgtrigger_hook_insert_35fe2', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='hook_update', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT n.id FROM old_rows o JOIN new_rows n USING (id) WHERE n.version <> o.version) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='56ad16e266c8b5daf7f2b1821b888ad901d6270a', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_hook_update_f62f5', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='hook_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), True FROM (SELECT id FROM old_rows WHERE status <> 'draft') changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='cae0d956ee77df510f45dfab44420f236a9314ac', level='STATEMENT', operation='DELETE', pgid='pgtrigger_hook_delete_e1720', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questionequation',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM new_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='e5ac6f04b859a1e794f8bb4788727434a784f603', level='STATEMENT', operation='INSERT', pgid='pgtrigger_hook_insert_f62af', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_questionequation', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questionequation',
            trigger=pgtrigger.compiler.Trigger(name='hook_update', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM new_rows UNION SELECT question_id AS id FROM old_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='a0825d5135b9169a2c8b7aaa266b0558f111657d', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_hook_update_4bc7a', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_questionequation', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questionequation',
            trigger=pgtrigger.compiler.Trigger(name='hook_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM old_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='1619eb0e76e5b8000db706bec69294ac30de57b7', level='STATEMENT', operation='DELETE', pgid='pgtrigger_hook_delete_ef1b7', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_questionequation', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM new_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='fd81b844273dec9992dff68faf5d8327d0877914', level='STATEMENT', operation='INSERT', pgid='pgtrigger_hook_insert_d81d8', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='hook_update', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM new_rows UNION SELECT question_id AS id FROM old_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='6bae19f66956359d8289ff894c492ec647c82c6a', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_hook_update_4cf07', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='hook_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'question.changed' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'question.changed', array_agg(DISTINCT id), False FROM (SELECT question_id AS id FROM old_rows) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='ef8b7ce625e553bb5b7fab90f9de2328818d3f14', level='STATEMENT', operation='DELETE', pgid='pgtrigger_hook_delete_15799', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='run',
            trigger=pgtrigger.compiler.Trigger(name='hook_insert', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (NEW.kind = 'import' AND NEW.finished_at IS NOT NULL AND NEW.parameters ->> 'dry_run' IS DISTINCT FROM 'true')", func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'import.finished' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'import.finished', array_agg(DISTINCT id), False FROM (SELECT NEW.id AS id) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='de00cf1de84fcb6455acac3fa5de400c4cc532a8', operation='INSERT', pgid='pgtrigger_hook_insert_282dc', table='questionbank_run', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='run',
            trigger=pgtrigger.compiler.Trigger(name='hook_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (OLD.finished_at IS NULL AND NEW.kind = 'import' AND NEW.finished_at IS NOT NULL AND NEW.parameters ->> 'dry_run' IS DISTINCT FROM 'true')", func="IF EXISTS (SELECT FROM questionbank_hook WHERE is_active AND 'import.finished' = ANY(events)) THEN INSERT INTO questionbank_hookevent (kind, ids, are_deleted) SELECT 'import.finished', array_agg(DISTINCT id), False FROM (SELECT NEW.id AS id) changed HAVING count(*) > 0; END IF; RETURN NULL;", hash='6f0a6bfab3064bbedfaac4a38bba8cf593452b03', operation='UPDATE', pgid='pgtrigger_hook_update_b9544', table='questionbank_run', when='AFTER')),
        ),
        migrations.AddField(
            model_name='hook',
            name='owner',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hooks', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='hookdelivery',
            name='hook',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='questionbank.hook'),
        ),
        migrations.AddConstraint(
            model_name='hook',
            constraint=models.UniqueConstraint(fields=('owner', 'address'), name='one_hook_an_address'),
        ),
        migrations.AddIndex(
            model_name='hookdelivery',
            index=models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='hook_due'),
        ),
        ]),
    ]
