"""Add schools, their people, and who sees a question; counts are kept for each audience."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):

    dependencies = [
        ('pghistory', '0007_auto_20250421_0444'),
        ('questionbank', '0071_question_through'),
    ]

    operations = [
        AtOnce([
        migrations.CreateModel(
            name='School',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('slug', models.SlugField(max_length=60, unique=True, verbose_name='short name')),
            ],
            options={
                'ordering': (django.db.models.functions.text.Lower('name'), 'pk'),
            },
        ),
        migrations.CreateModel(
            name='SchoolEvent',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('slug', models.SlugField(db_index=False, max_length=60, verbose_name='short name')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SchoolMembership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='SchoolMembershipEvent',
            fields=[
                ('pgh_id', models.AutoField(primary_key=True, serialize=False)),
                ('pgh_created_at', models.DateTimeField(auto_now_add=True)),
                ('pgh_label', models.TextField(help_text='The event label.')),
                ('id', models.BigIntegerField()),
            ],
            options={
                'abstract': False,
            },
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='question',
            name='count_insert',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='question',
            name='count_update',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='question',
            name='count_delete',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='question',
            name='update_update',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='question',
            name='delete_delete',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='questiontag',
            name='count_insert',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='questiontag',
            name='count_update',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='questiontag',
            name='count_delete',
        ),
        migrations.RemoveIndex(
            model_name='question',
            name='question_filter',
        ),
        migrations.AddField(
            model_name='facetcount',
            name='audience',
            field=models.BigIntegerField(db_default=0, default=0, null=True),
        ),
        migrations.AddField(
            model_name='question',
            name='visibility',
            field=models.CharField(choices=[('all', 'Everybody'), ('school', 'One school'), ('private', 'Only its author')], db_default='all', default='all', max_length=7, verbose_name='visible to'),
        ),
        migrations.AddField(
            model_name='questionevent',
            name='visibility',
            field=models.CharField(choices=[('all', 'Everybody'), ('school', 'One school'), ('private', 'Only its author')], db_default='all', default='all', max_length=7, verbose_name='visible to'),
        ),
        migrations.AddField(
            model_name='user',
            name='school_ids',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), db_default=[], default=list, editable=False, size=None),
        ),
        migrations.AlterField(
            model_name='bulkchange',
            name='kind',
            field=models.CharField(choices=[('publish', 'Publish drafts'), ('retire', 'Retire'), ('restore', 'Bring back'), ('delete_drafts', 'Delete drafts'), ('concepts', 'Change concepts'), ('grade', 'Set the grade'), ('source', 'Set the source'), ('difficulty', 'Set the difficulty'), ('visibility', 'Visible to')], max_length=16, verbose_name='kind'),
        ),
        migrations.AddField(
            model_name='question',
            name='school',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='questionbank.school', verbose_name='school'),
        ),
        migrations.AddField(
            model_name='questionevent',
            name='school',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.school', verbose_name='school'),
        ),
        migrations.AddField(
            model_name='question',
            name='audience',
            field=models.GeneratedField(db_persist=True, expression=models.Case(models.When(then=models.F('school'), visibility='school'), models.When(then=models.Func(models.F('created_by'), output_field=models.BigIntegerField(), template='(- %(expressions)s)'), visibility='private'), default=models.Value(0), output_field=models.BigIntegerField()), output_field=models.BigIntegerField(null=True)),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(fields=['status', 'audience', 'language', 'kind', 'source', 'grade', 'difficulty_percent', 'id'], name='question_filter'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('audience', 0), _negated=True), fields=['audience'], name='question_audience'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('visibility', 'school'), ('school__isnull', False)), models.Q(models.Q(('visibility', 'school'), _negated=True), ('school__isnull', True)), _connector='OR'), name='question_has_its_school'),
        ),
        migrations.AddField(
            model_name='schoolevent',
            name='pgh_context',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context'),
        ),
        migrations.AddField(
            model_name='schoolevent',
            name='pgh_obj',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='name_slug_events', to='questionbank.school'),
        ),
        migrations.AddField(
            model_name='schoolmembership',
            name='person',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='school_memberships', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='schoolmembership',
            name='school',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='questionbank.school'),
        ),
        migrations.AddField(
            model_name='school',
            name='people',
            field=models.ManyToManyField(blank=True, related_name='schools', through='questionbank.SchoolMembership', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='schoolmembershipevent',
            name='person',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='schoolmembershipevent',
            name='pgh_context',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='pghistory.context'),
        ),
        migrations.AddField(
            model_name='schoolmembershipevent',
            name='school',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.school'),
        ),
        migrations.AddConstraint(
            model_name='schoolmembership',
            constraint=models.UniqueConstraint(fields=('person', 'school'), name='one_membership_a_school'),
        ),
        migrations.AddConstraint(
            model_name='school',
            constraint=models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='one_school_a_name'),
        ),
        migrations.AddConstraint(
            model_name='school',
            constraint=models.CheckConstraint(condition=models.Q(('slug__in', ('', 'all', 'school', 'private')), _negated=True), name='school_is_not_called_like_a_visibility'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='count_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM (SELECT id, status, language, kind, source, grade, difficulty_percent, audience, 1 AS sign FROM new_rows) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='4cffdb846dd13008afcda8d3eda38471c438e80c', level='STATEMENT', operation='INSERT', pgid='pgtrigger_count_insert_b1a52', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='count_update', sql=pgtrigger.compiler.UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM (SELECT n.id, n.status, n.language, n.kind, n.source, n.grade, n.difficulty_percent, n.audience, 1 AS sign FROM old_rows o JOIN new_rows n USING (id) WHERE NOT (o.status IS NOT DISTINCT FROM n.status AND o.language IS NOT DISTINCT FROM n.language AND o.kind IS NOT DISTINCT FROM n.kind AND o.source IS NOT DISTINCT FROM n.source AND o.grade IS NOT DISTINCT FROM n.grade AND o.difficulty_percent IS NOT DISTINCT FROM n.difficulty_percent AND o.audience IS NOT DISTINCT FROM n.audience) UNION ALL SELECT o.id, o.status, o.language, o.kind, o.source, o.grade, o.difficulty_percent, o.audience, -1 AS sign FROM old_rows o JOIN new_rows n USING (id) WHERE NOT (o.status IS NOT DISTINCT FROM n.status AND o.language IS NOT DISTINCT FROM n.language AND o.kind IS NOT DISTINCT FROM n.kind AND o.source IS NOT DISTINCT FROM n.source AND o.grade IS NOT DISTINCT FROM n.grade AND o.difficulty_percent IS NOT DISTINCT FROM n.difficulty_percent AND o.audience IS NOT DISTINCT FROM n.audience)) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='ec8f1d8eb51a6789c759274aaff2774a8e8cdcec', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_count_update_5e9b6', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='count_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM (SELECT id, status, language, kind, source, grade, difficulty_percent, audience, -1 AS sign FROM old_rows) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='13d63f0d28ab62a41e19e6d11b73c659a6d44e35', level='STATEMENT', operation='DELETE', pgid='pgtrigger_count_delete_3d6a3', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."answer" IS DISTINCT FROM (NEW."answer") OR OLD."content" IS DISTINCT FROM (NEW."content") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."difficulty" IS DISTINCT FROM (NEW."difficulty") OR OLD."difficulty_scale" IS DISTINCT FROM (NEW."difficulty_scale") OR OLD."facility" IS DISTINCT FROM (NEW."facility") OR OLD."grade" IS DISTINCT FROM (NEW."grade") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."paraphrase_of_id" IS DISTINCT FROM (NEW."paraphrase_of_id") OR OLD."responses" IS DISTINCT FROM (NEW."responses") OR OLD."school_id" IS DISTINCT FROM (NEW."school_id") OR OLD."solution" IS DISTINCT FROM (NEW."solution") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."stage" IS DISTINCT FROM (NEW."stage") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."version" IS DISTINCT FROM (NEW."version") OR OLD."visibility" IS DISTINCT FROM (NEW."visibility"))', func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "school_id", "solution", "source", "source_id", "stage", "status", "text", "version", "visibility") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."responses", OLD."school_id", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version", OLD."visibility"); RETURN NULL;', hash='af8f03276fe5debdb9ce644884039646119f2640', operation='UPDATE', pgid='pgtrigger_update_update_cd11e', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='question',
            trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_questionevent" ("answer", "content", "created_at", "created_by_id", "difficulty", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "school_id", "solution", "source", "source_id", "stage", "status", "text", "version", "visibility") VALUES (OLD."answer", OLD."content", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."responses", OLD."school_id", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version", OLD."visibility"); RETURN NULL;', hash='bb8af1436bff2b201d62a355657fb206aab38d32', operation='DELETE', pgid='pgtrigger_delete_delete_f591f', table='questionbank_question', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='count_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM new_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM new_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id) EXCEPT SELECT question_id, concept_id FROM new_rows) UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='a9410670959af9748451c94eae1b8de14b8aacd4', level='STATEMENT', operation='INSERT', pgid='pgtrigger_count_insert_c1770', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='count_update', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM new_rows UNION SELECT DISTINCT question_id FROM old_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM new_rows UNION SELECT DISTINCT question_id FROM old_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id) EXCEPT SELECT question_id, concept_id FROM new_rows) UNION SELECT question_id, concept_id FROM old_rows UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='8018bb948cb88cb93f3f320e0ebd2516b127f018', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_count_update_90507', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='questiontag',
            trigger=pgtrigger.compiler.Trigger(name='count_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM old_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM old_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, audience, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, audience, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) UNION SELECT question_id, concept_id FROM old_rows UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(sign) <> 0; RETURN NULL;", hash='0437c04d49a7cadd9c27f71b65f8419fea2f9c9f', level='STATEMENT', operation='DELETE', pgid='pgtrigger_count_delete_4026a', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_questiontag', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='user',
            trigger=pgtrigger.compiler.Trigger(name='school_ids', sql=pgtrigger.compiler.UpsertTriggerSql(func='\n                    NEW.school_ids := ARRAY(\n                        SELECT m.school_id FROM questionbank_schoolmembership m\n                        WHERE m.person_id = NEW.id ORDER BY m.school_id\n                    );\n                    RETURN NEW;\n                ', hash='2365d70579b6d85940db28dccc1492bf59836c7a', operation='UPDATE OF "school_ids"', pgid='pgtrigger_school_ids_c4fda', table='questionbank_user', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='schoolmembership',
            trigger=pgtrigger.compiler.Trigger(name='school_ids', sql=pgtrigger.compiler.UpsertTriggerSql(func="\n                    UPDATE questionbank_user SET school_ids = '{}' WHERE id = coalesce(NEW.person_id, OLD.person_id);\n                    RETURN NULL;\n                ", hash='58482ca61e438d673d0611117d480d95cf941baa', operation='INSERT OR DELETE', pgid='pgtrigger_school_ids_cc6b9', table='questionbank_schoolmembership', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='schoolmembership',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_schoolmembershipevent" ("id", "person_id", "pgh_context_id", "pgh_created_at", "pgh_label", "school_id") VALUES (NEW."id", NEW."person_id", _pgh_attach_context(), NOW(), \'insert\', NEW."school_id"); RETURN NULL;', hash='76788eb53ba6a4217775693475097a3f71671975', operation='INSERT', pgid='pgtrigger_insert_insert_0c956', table='questionbank_schoolmembership', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='schoolmembership',
            trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_schoolmembershipevent" ("id", "person_id", "pgh_context_id", "pgh_created_at", "pgh_label", "school_id") VALUES (OLD."id", OLD."person_id", _pgh_attach_context(), NOW(), \'delete\', OLD."school_id"); RETURN NULL;', hash='697e86420074c8718dee77f8bab590c907b4d941', operation='DELETE', pgid='pgtrigger_delete_delete_e797f', table='questionbank_schoolmembership', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='school',
            trigger=pgtrigger.compiler.Trigger(name='insert_insert', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_schoolevent" ("name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "slug") VALUES (NEW."name", _pgh_attach_context(), NOW(), \'insert\', NEW."id", NEW."slug"); RETURN NULL;', hash='0828397272a859ef3f4dd36c46caeadde5c41216', operation='INSERT', pgid='pgtrigger_insert_insert_3e290', table='questionbank_school', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='school',
            trigger=pgtrigger.compiler.Trigger(name='update_update', sql=pgtrigger.compiler.UpsertTriggerSql(condition='WHEN (OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."slug" IS DISTINCT FROM (NEW."slug"))', func='INSERT INTO "questionbank_schoolevent" ("name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "slug") VALUES (OLD."name", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."slug"); RETURN NULL;', hash='0afe61d80e5b686e51aa62d9740b956dfc0c5065', operation='UPDATE', pgid='pgtrigger_update_update_7ed10', table='questionbank_school', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='school',
            trigger=pgtrigger.compiler.Trigger(name='delete_delete', sql=pgtrigger.compiler.UpsertTriggerSql(func='INSERT INTO "questionbank_schoolevent" ("name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "slug") VALUES (OLD."name", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."slug"); RETURN NULL;', hash='512c464a987383624275419247f3fa676b5cd4bd', operation='DELETE', pgid='pgtrigger_delete_delete_9a3d0', table='questionbank_school', when='AFTER')),
        ),
        ]),
    ]
