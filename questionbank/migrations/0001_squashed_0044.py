"""Create the tables and rows of version 0.1.0, whose migrations `replaces` names for banks and backups.

Django's writer made it from the state of the models after the last of them (docs/decisions/0054).
"""

import uuid

import django.utils.timezone
from django.conf import settings
from django.contrib.auth.models import UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.db.migrations import CreateModel
from pgtrigger.compiler import Trigger, UpsertTriggerSql
from pgtrigger.migrations import AddTrigger
from pgvector.django import HalfVectorField, VectorExtension

import questionbank.models.paraphrase
from questionbank.search.default_synonyms import DEFAULT_SYNONYMS
from questionbank.core.migrations import AtOnce
from questionbank.migrations._wholeness import DRAWS_NUMBERS, SAYS_SO

REPLACED = """
    0001_initial 0002_roles 0003_history_keeps_what_was_there 0004_search_index_takes_bulk_inserts
    0005_question_filter_index 0006_model_history 0007_projection 0008_paraphrase_review
    0009_paraphrases_in_the_bank 0010_review_lease_keeps_what_is_shown 0011_pair_may_be_skipped_again
    0012_settlement_lease 0013_settled_label 0014_question_lists 0015_hierarchy_choice 0016_ways_back
    0017_facet_counts 0018_run_deaths 0019_synonyms_and_long_searches 0020_shapes_of_formulas
    0021_question_needs_figure 0022_question_submission 0023_review_batches 0024_bulk_changes 0025_report_runs
    0026_solutions 0027_graph_keys 0028_pair_solutions 0029_structure_lens 0030_ask_runs 0031_problem_variants
    0001_squashed_0031 0032_retell_runs 0033_variant_kinds_and_labels 0034_scope_of_solvers
    0035_solutions_by_retriever 0036_contradicted_solutions 0037_sets_by_language 0038_equation_history
    0039_characters_and_tasks_in_search 0040_more_synonyms 0041_outgoing_mail 0042_model_retention
    0043_questions_that_are_not_whole 0044_solutions_by_rules
"""
ROLES = ("teacher", "reviewer", "admin")
TRIGGERS = (
    ('knowledgeconcept', Trigger(name='insert_insert', sql=UpsertTriggerSql(condition='WHEN (NEW."import_run_id" IS NULL)', func='INSERT INTO "questionbank_knowledgeconceptevent" ("depth", "hierarchy_id", "id", "name", "path", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (NEW."depth", NEW."hierarchy_id", NEW."id", NEW."name", NEW."path", _pgh_attach_context(), NOW(), \'insert\', NEW."id"); RETURN NULL;', hash='743901e0ceb758ebdce3ae49fda8df7084bf7bde', operation='INSERT', pgid='pgtrigger_insert_insert_f3cd5', table='questionbank_knowledgeconcept', when='AFTER'))),
    ('knowledgeconcept', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."depth" IS DISTINCT FROM (NEW."depth") OR OLD."hierarchy_id" IS DISTINCT FROM (NEW."hierarchy_id") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."name" IS DISTINCT FROM (NEW."name") OR OLD."path" IS DISTINCT FROM (NEW."path"))', func='INSERT INTO "questionbank_knowledgeconceptevent" ("depth", "hierarchy_id", "id", "name", "path", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."depth", OLD."hierarchy_id", OLD."id", OLD."name", OLD."path", _pgh_attach_context(), NOW(), \'update\', OLD."id"); RETURN NULL;', hash='b7565da76b0d3c33494716b0c5eb38137127cd12', operation='UPDATE', pgid='pgtrigger_update_update_6c597', table='questionbank_knowledgeconcept', when='AFTER'))),
    ('knowledgeconcept', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_knowledgeconceptevent" ("depth", "hierarchy_id", "id", "name", "path", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."depth", OLD."hierarchy_id", OLD."id", OLD."name", OLD."path", _pgh_attach_context(), NOW(), \'delete\', OLD."id"); RETURN NULL;', hash='090213fb0edda896a3b4ea42693beadf7bd91337', operation='DELETE', pgid='pgtrigger_delete_delete_91da7', table='questionbank_knowledgeconcept', when='AFTER'))),
    ('knowledgehierarchy', Trigger(name='insert_insert', sql=UpsertTriggerSql(condition='WHEN (NEW."import_run_id" IS NULL)', func='INSERT INTO "questionbank_knowledgehierarchyevent" ("created_at", "description", "id", "is_default", "name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (NEW."created_at", NEW."description", NEW."id", NEW."is_default", NEW."name", _pgh_attach_context(), NOW(), \'insert\', NEW."id"); RETURN NULL;', hash='a1782d4d536032d48115ebe4e33a86368d83e3af', operation='INSERT', pgid='pgtrigger_insert_insert_66bd0', table='questionbank_knowledgehierarchy', when='AFTER'))),
    ('knowledgehierarchy', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."description" IS DISTINCT FROM (NEW."description") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."is_default" IS DISTINCT FROM (NEW."is_default") OR OLD."name" IS DISTINCT FROM (NEW."name"))', func='INSERT INTO "questionbank_knowledgehierarchyevent" ("created_at", "description", "id", "is_default", "name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."created_at", OLD."description", OLD."id", OLD."is_default", OLD."name", _pgh_attach_context(), NOW(), \'update\', OLD."id"); RETURN NULL;', hash='f77c884eb752d6d73414ad2ca571dea17f3f2208', operation='UPDATE', pgid='pgtrigger_update_update_0e0e9', table='questionbank_knowledgehierarchy', when='AFTER'))),
    ('knowledgehierarchy', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_knowledgehierarchyevent" ("created_at", "description", "id", "is_default", "name", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id") VALUES (OLD."created_at", OLD."description", OLD."id", OLD."is_default", OLD."name", _pgh_attach_context(), NOW(), \'delete\', OLD."id"); RETURN NULL;', hash='90288d80899aafbea46fa41992a447b71104c408', operation='DELETE', pgid='pgtrigger_delete_delete_f9058', table='questionbank_knowledgehierarchy', when='AFTER'))),
    ('question', Trigger(name='count_insert', sql=UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM (SELECT id, status, language, kind, source, grade, difficulty_percent, 1 AS sign FROM new_rows) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='8663dcea9b7a6c47896331a3d809a8b4a6aa8c66', level='STATEMENT', operation='INSERT', pgid='pgtrigger_count_insert_b1a52', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='count_update', sql=UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM (SELECT n.id, n.status, n.language, n.kind, n.source, n.grade, n.difficulty_percent, 1 AS sign FROM old_rows o JOIN new_rows n USING (id) WHERE NOT (o.status IS NOT DISTINCT FROM n.status AND o.language IS NOT DISTINCT FROM n.language AND o.kind IS NOT DISTINCT FROM n.kind AND o.source IS NOT DISTINCT FROM n.source AND o.grade IS NOT DISTINCT FROM n.grade AND o.difficulty_percent IS NOT DISTINCT FROM n.difficulty_percent) UNION ALL SELECT o.id, o.status, o.language, o.kind, o.source, o.grade, o.difficulty_percent, -1 AS sign FROM old_rows o JOIN new_rows n USING (id) WHERE NOT (o.status IS NOT DISTINCT FROM n.status AND o.language IS NOT DISTINCT FROM n.language AND o.kind IS NOT DISTINCT FROM n.kind AND o.source IS NOT DISTINCT FROM n.source AND o.grade IS NOT DISTINCT FROM n.grade AND o.difficulty_percent IS NOT DISTINCT FROM n.difficulty_percent)) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='b98dda91c6251b3b0a749ef27eb8036fc5f15cc4', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_count_update_5e9b6', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='count_delete', sql=UpsertTriggerSql(func="INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM (SELECT id, status, language, kind, source, grade, difficulty_percent, -1 AS sign FROM old_rows) changed CROSS JOIN LATERAL ( SELECT coalesce(array_agg(t.concept_id ORDER BY t.concept_id), '{}') AS concepts FROM questionbank_questiontag t WHERE t.question_id = changed.id ) tagged GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='8f194cad91a49c5fd39f458f0dec287b9f7a309e', level='STATEMENT', operation='DELETE', pgid='pgtrigger_count_delete_3d6a3', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."answer" IS DISTINCT FROM (NEW."answer") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."difficulty" IS DISTINCT FROM (NEW."difficulty") OR OLD."difficulty_percent" IS DISTINCT FROM (NEW."difficulty_percent") OR OLD."difficulty_scale" IS DISTINCT FROM (NEW."difficulty_scale") OR OLD."facility" IS DISTINCT FROM (NEW."facility") OR OLD."grade" IS DISTINCT FROM (NEW."grade") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."options" IS DISTINCT FROM (NEW."options") OR OLD."paraphrase_of_id" IS DISTINCT FROM (NEW."paraphrase_of_id") OR OLD."responses" IS DISTINCT FROM (NEW."responses") OR OLD."solution" IS DISTINCT FROM (NEW."solution") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."stage" IS DISTINCT FROM (NEW."stage") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."version" IS DISTINCT FROM (NEW."version"))', func='INSERT INTO "questionbank_questionevent" ("answer", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='7cb6911737858c9a0adc1b4f88df54c74ac3c475', operation='UPDATE', pgid='pgtrigger_update_update_cd11e', table='questionbank_question', when='AFTER'))),
    ('question', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_questionevent" ("answer", "created_at", "created_by_id", "difficulty", "difficulty_percent", "difficulty_scale", "facility", "grade", "id", "kind", "language", "options", "paraphrase_of_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "responses", "solution", "source", "source_id", "stage", "status", "text", "version") VALUES (OLD."answer", OLD."created_at", OLD."created_by_id", OLD."difficulty", OLD."difficulty_percent", OLD."difficulty_scale", OLD."facility", OLD."grade", OLD."id", OLD."kind", OLD."language", OLD."options", OLD."paraphrase_of_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."responses", OLD."solution", OLD."source", OLD."source_id", OLD."stage", OLD."status", OLD."text", OLD."version"); RETURN NULL;', hash='3ea2362bb3ac5496be5e9a7f6d653c2ed5dfeca5', operation='DELETE', pgid='pgtrigger_delete_delete_f591f', table='questionbank_question', when='AFTER'))),
    ('synonymgroup', Trigger(name='insert_insert', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_synonymgroupevent" ("id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "terms") VALUES (NEW."id", _pgh_attach_context(), NOW(), \'insert\', NEW."id", NEW."terms"); RETURN NULL;', hash='c37306c42d267944c4ee3332547e3aff1b7761e6', operation='INSERT', pgid='pgtrigger_insert_insert_5adad', table='questionbank_synonymgroup', when='AFTER'))),
    ('synonymgroup', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='INSERT INTO "questionbank_synonymgroupevent" ("id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "terms") VALUES (OLD."id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."terms"); RETURN NULL;', hash='49663a9c8aae45186db65eeafa44197910685552', operation='UPDATE', pgid='pgtrigger_update_update_35567', table='questionbank_synonymgroup', when='AFTER'))),
    ('synonymgroup', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_synonymgroupevent" ("id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "terms") VALUES (OLD."id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."terms"); RETURN NULL;', hash='d9b6f67891b530568f46ac0aa5c311637e682fc2', operation='DELETE', pgid='pgtrigger_delete_delete_49c69', table='questionbank_synonymgroup', when='AFTER'))),
    ('user', Trigger(name='last_admin', sql=UpsertTriggerSql(func="\n                    IF TG_OP = 'UPDATE' AND OLD.is_active = NEW.is_active\n                        AND OLD.is_superuser = NEW.is_superuser THEN RETURN NULL;\n                    END IF;\n                    IF OLD.is_active AND (OLD.is_superuser OR EXISTS (\n                        SELECT FROM questionbank_user_groups m JOIN auth_group g ON g.id = m.group_id\n                        WHERE m.user_id = OLD.id AND g.name = 'admin'\n                    )) THEN \n    PERFORM pg_advisory_xact_lock(7201010);\n    IF NOT EXISTS (\n        SELECT FROM questionbank_user u\n        WHERE u.is_active AND (u.is_superuser OR EXISTS (\n            SELECT FROM questionbank_user_groups m JOIN auth_group g ON g.id = m.group_id\n            WHERE m.user_id = u.id AND g.name = 'admin'\n        ))\n    ) THEN\n        RAISE EXCEPTION 'The last active admin cannot lose the role.' USING ERRCODE = 'check_violation';\n    END IF;\n\n                    END IF;\n                    RETURN NULL;\n                ", hash='0828f2772fcc8f877b6b7af040544a30db4851b9', operation='UPDATE OR DELETE', pgid='pgtrigger_last_admin_8f454', table='questionbank_user', when='AFTER'))),
    ('user', Trigger(name='insert_insert', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_userevent" ("is_active", "is_superuser", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "username") VALUES (NEW."is_active", NEW."is_superuser", _pgh_attach_context(), NOW(), \'insert\', NEW."id", NEW."username"); RETURN NULL;', hash='345acda6d2588b81588eace97f3aaf89518ece7c', operation='INSERT', pgid='pgtrigger_insert_insert_92915', table='questionbank_user', when='AFTER'))),
    ('user', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."is_active" IS DISTINCT FROM (NEW."is_active") OR OLD."is_superuser" IS DISTINCT FROM (NEW."is_superuser") OR OLD."username" IS DISTINCT FROM (NEW."username"))', func='INSERT INTO "questionbank_userevent" ("is_active", "is_superuser", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "username") VALUES (OLD."is_active", OLD."is_superuser", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."username"); RETURN NULL;', hash='adfa1b62f2c9a39e892db5ae0b1cbaca2d60bc67', operation='UPDATE', pgid='pgtrigger_update_update_36ce2', table='questionbank_user', when='AFTER'))),
    ('user', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_userevent" ("is_active", "is_superuser", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "username") VALUES (OLD."is_active", OLD."is_superuser", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."username"); RETURN NULL;', hash='13b8959b2bdc508cd50d5003042e4c5f3dfe828b', operation='DELETE', pgid='pgtrigger_delete_delete_7fdb3', table='questionbank_user', when='AFTER'))),
    ('paraphrasepair', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."added_id" IS DISTINCT FROM (NEW."added_id") OR OLD."batch" IS DISTINCT FROM (NEW."batch") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."created_by_id" IS DISTINCT FROM (NEW."created_by_id") OR OLD."generator" IS DISTINCT FROM (NEW."generator") OR OLD."hides_machine" IS DISTINCT FROM (NEW."hides_machine") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."language" IS DISTINCT FROM (NEW."language") OR OLD."opinions_wanted" IS DISTINCT FROM (NEW."opinions_wanted") OR OLD."original" IS DISTINCT FROM (NEW."original") OR OLD."outcome" IS DISTINCT FROM (NEW."outcome") OR OLD."outcome_text" IS DISTINCT FROM (NEW."outcome_text") OR OLD."paraphrase" IS DISTINCT FROM (NEW."paraphrase") OR OLD."question_id" IS DISTINCT FROM (NEW."question_id") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_id" IS DISTINCT FROM (NEW."source_id") OR OLD."state" IS DISTINCT FROM (NEW."state"))', func='INSERT INTO "questionbank_paraphrasepairevent" ("added_id", "batch", "created_at", "created_by_id", "generator", "hides_machine", "id", "language", "opinions_wanted", "original", "outcome", "outcome_text", "paraphrase", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "question_id", "source", "source_id", "state") VALUES (OLD."added_id", OLD."batch", OLD."created_at", OLD."created_by_id", OLD."generator", OLD."hides_machine", OLD."id", OLD."language", OLD."opinions_wanted", OLD."original", OLD."outcome", OLD."outcome_text", OLD."paraphrase", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."question_id", OLD."source", OLD."source_id", OLD."state"); RETURN NULL;', hash='7face20df7b3a17a2a1ade37421bce06dcc6e9af', operation='UPDATE', pgid='pgtrigger_update_update_34149', table='questionbank_paraphrasepair', when='AFTER'))),
    ('paraphrasepair', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_paraphrasepairevent" ("added_id", "batch", "created_at", "created_by_id", "generator", "hides_machine", "id", "language", "opinions_wanted", "original", "outcome", "outcome_text", "paraphrase", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "question_id", "source", "source_id", "state") VALUES (OLD."added_id", OLD."batch", OLD."created_at", OLD."created_by_id", OLD."generator", OLD."hides_machine", OLD."id", OLD."language", OLD."opinions_wanted", OLD."original", OLD."outcome", OLD."outcome_text", OLD."paraphrase", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."question_id", OLD."source", OLD."source_id", OLD."state"); RETURN NULL;', hash='f005d2b3cf945356e8b27a624cda2effc47a162b', operation='DELETE', pgid='pgtrigger_delete_delete_c977a', table='questionbank_paraphrasepair', when='AFTER'))),
    ('questionequation', Trigger(name='insert_insert', sql=UpsertTriggerSql(condition='WHEN (NEW."set_by" = \'person\')', func='INSERT INTO "questionbank_questionequationevent" ("expression", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "question_id", "set_by", "user_id") VALUES (NEW."expression", _pgh_attach_context(), NOW(), \'insert\', NEW."question_id", NEW."question_id", NEW."set_by", NEW."user_id"); RETURN NULL;', hash='c609595035fd403ad51d1f3df96faf36f04ad56d', operation='INSERT', pgid='pgtrigger_insert_insert_8a625', table='questionbank_questionequation', when='AFTER'))),
    ('questionequation', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."expression" IS DISTINCT FROM (NEW."expression") OR OLD."question_id" IS DISTINCT FROM (NEW."question_id") OR OLD."set_by" IS DISTINCT FROM (NEW."set_by") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))', func='INSERT INTO "questionbank_questionequationevent" ("expression", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "question_id", "set_by", "user_id") VALUES (OLD."expression", _pgh_attach_context(), NOW(), \'update\', OLD."question_id", OLD."question_id", OLD."set_by", OLD."user_id"); RETURN NULL;', hash='90252756e2d3cc8bd67e8f0b38ffec63258bac09', operation='UPDATE', pgid='pgtrigger_update_update_9bc0d', table='questionbank_questionequation', when='AFTER'))),
    ('questionequation', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_questionequationevent" ("expression", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "question_id", "set_by", "user_id") VALUES (OLD."expression", _pgh_attach_context(), NOW(), \'delete\', OLD."question_id", OLD."question_id", OLD."set_by", OLD."user_id"); RETURN NULL;', hash='c3a656776c7aa960154bc212794f20c08ee20849', operation='DELETE', pgid='pgtrigger_delete_delete_90818', table='questionbank_questionequation', when='AFTER'))),
    ('questiontag', Trigger(name='count_insert', sql=UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM new_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM new_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id) EXCEPT SELECT question_id, concept_id FROM new_rows) UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='c8721b9fcf2443750864ea08d5ee923f03199904', level='STATEMENT', operation='INSERT', pgid='pgtrigger_count_insert_c1770', referencing='REFERENCING NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER'))),
    ('questiontag', Trigger(name='count_update', sql=UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM new_rows UNION SELECT DISTINCT question_id FROM old_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM new_rows UNION SELECT DISTINCT question_id FROM old_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id) EXCEPT SELECT question_id, concept_id FROM new_rows) UNION SELECT question_id, concept_id FROM old_rows UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='e342083cc51f203551a341480b9f82150eeab764', level='STATEMENT', operation='UPDATE', pgid='pgtrigger_count_update_90507', referencing='REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ', table='questionbank_questiontag', when='AFTER'))),
    ('questiontag', Trigger(name='count_delete', sql=UpsertTriggerSql(func="PERFORM 1 FROM questionbank_question WHERE id IN (SELECT DISTINCT question_id FROM old_rows) ORDER BY id FOR NO KEY UPDATE; WITH touched AS MATERIALIZED (SELECT DISTINCT question_id FROM old_rows) INSERT INTO questionbank_facetcount (status, language, kind, source, grade, difficulty, concepts, questions) SELECT status, language, kind, source, grade, floor(difficulty_percent) + ceil(difficulty_percent), concepts, sum(sign) FROM ( SELECT question_id, 1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM (SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) pairs GROUP BY question_id UNION ALL SELECT question_id, -1 AS sign, coalesce(array_agg(concept_id ORDER BY concept_id) FILTER (WHERE concept_id IS NOT NULL), '{}') AS concepts FROM ((SELECT w.question_id, t.concept_id FROM touched w LEFT JOIN questionbank_questiontag t USING (question_id)) UNION SELECT question_id, concept_id FROM old_rows UNION SELECT question_id, NULL::bigint FROM touched) pairs GROUP BY question_id ) sets JOIN questionbank_question q ON q.id = sets.question_id GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(sign) <> 0; RETURN NULL;", hash='4ce527fbcef3555c2466ac3f2cb16217c52c1aa4', level='STATEMENT', operation='DELETE', pgid='pgtrigger_count_delete_4026a', referencing='REFERENCING OLD TABLE AS old_rows ', table='questionbank_questiontag', when='AFTER'))),
    ('questiontag', Trigger(name='insert_insert', sql=UpsertTriggerSql(condition='WHEN (NEW."import_run_id" IS NULL)', func='INSERT INTO "questionbank_questiontagevent" ("concept_id", "created_at", "id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "probability", "question_id", "set_by", "user_id") VALUES (NEW."concept_id", NEW."created_at", NEW."id", _pgh_attach_context(), NOW(), \'insert\', NEW."id", NEW."probability", NEW."question_id", NEW."set_by", NEW."user_id"); RETURN NULL;', hash='74034c04a1720431330be4c13400ce76265c1bcb', operation='INSERT', pgid='pgtrigger_insert_insert_7e648', table='questionbank_questiontag', when='AFTER'))),
    ('questiontag', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD."concept_id" IS DISTINCT FROM (NEW."concept_id") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."probability" IS DISTINCT FROM (NEW."probability") OR OLD."question_id" IS DISTINCT FROM (NEW."question_id") OR OLD."set_by" IS DISTINCT FROM (NEW."set_by") OR OLD."user_id" IS DISTINCT FROM (NEW."user_id"))', func='INSERT INTO "questionbank_questiontagevent" ("concept_id", "created_at", "id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "probability", "question_id", "set_by", "user_id") VALUES (OLD."concept_id", OLD."created_at", OLD."id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."probability", OLD."question_id", OLD."set_by", OLD."user_id"); RETURN NULL;', hash='24f2cb68ad3cb62154370fc620706c572f75f768', operation='UPDATE', pgid='pgtrigger_update_update_d926d', table='questionbank_questiontag', when='AFTER'))),
    ('questiontag', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_questiontagevent" ("concept_id", "created_at", "id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "probability", "question_id", "set_by", "user_id") VALUES (OLD."concept_id", OLD."created_at", OLD."id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."probability", OLD."question_id", OLD."set_by", OLD."user_id"); RETURN NULL;', hash='b57455e97478a38e00ddd83646066ccdd2a598a4', operation='DELETE', pgid='pgtrigger_delete_delete_5f7d8', table='questionbank_questiontag', when='AFTER'))),
    ('reviewdecision', Trigger(name='update_update', sql=UpsertTriggerSql(condition='WHEN (OLD.* IS DISTINCT FROM NEW.*)', func='INSERT INTO "questionbank_reviewdecisionevent" ("comment", "created_at", "guideline_id", "id", "is_adjudication", "is_label", "is_random", "pair_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "probability", "reason", "reviewer_id", "score", "scorer_id", "scorer_name", "seconds", "text", "undone_at", "verdict") VALUES (OLD."comment", OLD."created_at", OLD."guideline_id", OLD."id", OLD."is_adjudication", OLD."is_label", OLD."is_random", OLD."pair_id", _pgh_attach_context(), NOW(), \'update\', OLD."id", OLD."probability", OLD."reason", OLD."reviewer_id", OLD."score", OLD."scorer_id", OLD."scorer_name", OLD."seconds", OLD."text", OLD."undone_at", OLD."verdict"); RETURN NULL;', hash='cc793d2c1704661e7bc1441176e11156f226ae81', operation='UPDATE', pgid='pgtrigger_update_update_277f5', table='questionbank_reviewdecision', when='AFTER'))),
    ('reviewdecision', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_reviewdecisionevent" ("comment", "created_at", "guideline_id", "id", "is_adjudication", "is_label", "is_random", "pair_id", "pgh_context_id", "pgh_created_at", "pgh_label", "pgh_obj_id", "probability", "reason", "reviewer_id", "score", "scorer_id", "scorer_name", "seconds", "text", "undone_at", "verdict") VALUES (OLD."comment", OLD."created_at", OLD."guideline_id", OLD."id", OLD."is_adjudication", OLD."is_label", OLD."is_random", OLD."pair_id", _pgh_attach_context(), NOW(), \'delete\', OLD."id", OLD."probability", OLD."reason", OLD."reviewer_id", OLD."score", OLD."scorer_id", OLD."scorer_name", OLD."seconds", OLD."text", OLD."undone_at", OLD."verdict"); RETURN NULL;', hash='f145ac5a0c7e1d76c0e2e4009ba119843beb7215', operation='DELETE', pgid='pgtrigger_delete_delete_52cb1', table='questionbank_reviewdecision', when='AFTER'))),
    ('userrole', Trigger(name='last_admin', sql=UpsertTriggerSql(func="\n                    IF EXISTS (SELECT FROM auth_group g WHERE g.id = OLD.group_id AND g.name = 'admin')\n                        AND EXISTS (SELECT FROM questionbank_user u WHERE u.id = OLD.user_id AND u.is_active)\n                    THEN \n    PERFORM pg_advisory_xact_lock(7201010);\n    IF NOT EXISTS (\n        SELECT FROM questionbank_user u\n        WHERE u.is_active AND (u.is_superuser OR EXISTS (\n            SELECT FROM questionbank_user_groups m JOIN auth_group g ON g.id = m.group_id\n            WHERE m.user_id = u.id AND g.name = 'admin'\n        ))\n    ) THEN\n        RAISE EXCEPTION 'The last active admin cannot lose the role.' USING ERRCODE = 'check_violation';\n    END IF;\n\n                    END IF;\n                    RETURN NULL;\n                ", hash='7c46284184d18bef26e933f8c5dac38e0e03ae82', operation='UPDATE OR DELETE', pgid='pgtrigger_last_admin_23d01', table='questionbank_user_groups', when='AFTER'))),
    ('userrole', Trigger(name='insert_insert', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_userroleevent" ("group_id", "id", "pgh_context_id", "pgh_created_at", "pgh_label", "user_id") VALUES (NEW."group_id", NEW."id", _pgh_attach_context(), NOW(), \'insert\', NEW."user_id"); RETURN NULL;', hash='8dfcf89c3fdf483757ba667832b343c23d99c5e8', operation='INSERT', pgid='pgtrigger_insert_insert_0b756', table='questionbank_user_groups', when='AFTER'))),
    ('userrole', Trigger(name='delete_delete', sql=UpsertTriggerSql(func='INSERT INTO "questionbank_userroleevent" ("group_id", "id", "pgh_context_id", "pgh_created_at", "pgh_label", "user_id") VALUES (OLD."group_id", OLD."id", _pgh_attach_context(), NOW(), \'delete\', OLD."user_id"); RETURN NULL;', hash='5b89d872d0d53c7e128cdf62be6078ba351c1187', operation='DELETE', pgid='pgtrigger_delete_delete_71e54', table='questionbank_user_groups', when='AFTER'))),
)


HISTORY = (  # the fields that every table of a history begins with
    ("pgh_id", models.AutoField(primary_key=True, serialize=False)),
    ("pgh_created_at", models.DateTimeField(auto_now_add=True)),
    ("pgh_label", models.TextField(help_text="The event label.")),
    ("pgh_context", models.ForeignKey(db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name="+", to="pghistory.context")),
)


def create_roles(apps, schema_editor):
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.get_or_create(name=name)


def add_default_synonyms(apps, schema_editor):
    groups = apps.get_model("questionbank", "SynonymGroup").objects
    groups.bulk_create(groups.model(terms=terms) for terms in DEFAULT_SYNONYMS)


class Migration(migrations.Migration):
    initial = True
    replaces = [("questionbank", name) for name in REPLACED.split()]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("pghistory", "0007_auto_20250421_0444"),
    ]

    operations = [
        VectorExtension(),
        AtOnce([
            CreateModel(
                name='FacetCount',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('status', models.CharField(max_length=12)),
                    ('language', models.CharField(max_length=12)),
                    ('kind', models.CharField(max_length=12)),
                    ('source', models.CharField(max_length=120)),
                    ('grade', models.CharField(max_length=40)),
                    ('difficulty', models.SmallIntegerField(null=True)),
                    ('concepts', ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                    ('questions', models.IntegerField()),
                ],
            ),
            CreateModel(
                name='KnowledgeConcept',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('path', models.CharField(max_length=255, unique=True)),
                    ('depth', models.PositiveIntegerField()),
                    ('numchild', models.PositiveIntegerField(default=0)),
                    ('name', models.CharField(max_length=300, verbose_name='name')),
                    ('hierarchy', models.ForeignKey(on_delete=models.CASCADE, related_name='concepts', to='questionbank.knowledgehierarchy')),
                    ('import_run', models.ForeignKey(blank=True, editable=False, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'indexes': [models.Index(fields=['hierarchy', 'name'], name='concept_hierarchy_name')],
                },
            ),
            CreateModel(
                name='KnowledgeHierarchy',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200, unique=True, verbose_name='name')),
                    ('description', models.TextField(blank=True, verbose_name='description')),
                    ('is_default', models.BooleanField(default=False, verbose_name='default of the bank')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('import_run', models.ForeignKey(blank=True, editable=False, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'ordering': ('name',),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('is_default',), name='one_default_hierarchy')],
                },
            ),
            CreateModel(
                name='LongQuery',
                fields=[
                    ('key', models.CharField(max_length=24, primary_key=True, serialize=False)),
                    ('text', models.TextField()),
                    ('used_at', models.DateTimeField(auto_now=True)),
                ],
            ),
            CreateModel(
                name='Question',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('source', models.CharField(blank=True, max_length=120, verbose_name='source')),
                    ('source_id', models.CharField(blank=True, max_length=200, verbose_name='identifier in its source')),
                    ('text', models.TextField(verbose_name='question')),
                    ('language', models.CharField(default='en', max_length=12, verbose_name='language')),
                    ('kind', models.CharField(choices=[('open', 'Open answer'), ('choice', 'Multiple choice'), ('blank', 'Fill in the blank')], default='open', max_length=12, verbose_name='type')),
                    ('options', models.JSONField(blank=True, default=list, verbose_name='options')),
                    ('answer', models.TextField(blank=True, verbose_name='answer')),
                    ('solution', models.TextField(blank=True, verbose_name='worked solution')),
                    ('grade', models.CharField(blank=True, max_length=40, verbose_name='grade')),
                    ('stage', models.CharField(blank=True, max_length=80, verbose_name='stage')),
                    ('status', models.CharField(choices=[('draft', 'Draft'), ('ready', 'Ready'), ('retired', 'Retired')], default='ready', max_length=12, verbose_name='status')),
                    ('difficulty', models.FloatField(blank=True, null=True, verbose_name='published difficulty')),
                    ('difficulty_scale', models.CharField(blank=True, max_length=20, verbose_name='difficulty scale')),
                    ('difficulty_percent', models.FloatField(blank=True, null=True, verbose_name='difficulty in per cent')),
                    ('facility', models.FloatField(blank=True, null=True, verbose_name='observed share of correct responses')),
                    ('responses', models.PositiveIntegerField(default=0, verbose_name='number of responses')),
                    ('content_hash', models.BinaryField(max_length=32)),
                    ('search_vector', SearchVectorField(editable=False, null=True)),
                    ('version', models.PositiveIntegerField(default=1)),
                    ('submission', models.UUIDField(editable=False, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='questions', to=settings.AUTH_USER_MODEL)),
                    ('paraphrase_of', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='reworded', to='questionbank.question', verbose_name='paraphrase of')),
                    ('import_run', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                    ('needs_figure', models.GeneratedField(db_persist=True, expression=SAYS_SO, output_field=models.BooleanField(), verbose_name='needs a figure')),
                    ('draws_numbers', models.GeneratedField(db_persist=True, expression=DRAWS_NUMBERS, output_field=models.BooleanField(), verbose_name='draws its numbers')),
                ],
                options={
                    'indexes': [
                        GinIndex(fields=['search_vector'], name='question_search'),
                        models.Index(fields=['content_hash'], name='question_content_hash'),
                        models.Index(fields=['source', 'source_id'], name='question_source'),
                        models.Index(fields=['status', 'language', 'kind', 'source', 'grade', 'difficulty_percent', 'id'], name='question_filter'),
                        models.Index(fields=['created_by', '-updated_at'], name='question_owner'),
                        models.Index(condition=models.Q(('import_run__isnull', False)), fields=['import_run'], name='question_import'),
                        models.Index(condition=models.Q(('needs_figure', True)), fields=['id'], name='question_figure'),
                        models.Index(condition=models.Q(('draws_numbers', True)), fields=['id'], name='question_draws'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('facility__isnull', True), models.Q(('facility__gte', 0), ('facility__lte', 1)), _connector='OR'), name='question_facility_is_a_share'),
                        models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='question_has_text'),
                        models.UniqueConstraint(condition=models.Q(('submission__isnull', False)), fields=('submission',), name='one_question_a_form'),
                    ],
                },
            ),
            CreateModel(
                name='SynonymGroup',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('terms', ArrayField(base_field=models.CharField(max_length=80), size=None, verbose_name='terms')),
                ],
                options={
                    'ordering': ('terms',),
                },
            ),
            CreateModel(
                name='SynonymGroupEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('terms', ArrayField(base_field=models.CharField(max_length=80), size=None, verbose_name='terms')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.synonymgroup')),
                ],
            ),
            CreateModel(
                name='UserEvent',
                fields=[
                    *HISTORY,
                    ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, validators=[UnicodeUsernameValidator()], verbose_name='username')),
                    ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                    ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='username_is_active_is_superuser_events', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            CreateModel(
                name='UserRoleEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('group', models.ForeignKey(db_constraint=False, db_tablespace='', on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='auth.group')),
                    ('user', models.ForeignKey(db_constraint=False, db_tablespace='', on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            CreateModel(
                name='VocabularyWord',
                fields=[
                    ('word', models.CharField(max_length=100, primary_key=True, serialize=False)),
                    ('questions', models.PositiveIntegerField()),
                ],
            ),
            CreateModel(
                name='WorkerHeartbeat',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, unique=True)),
                    ('queues', models.CharField(blank=True, max_length=120)),
                    ('seen_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ('name',),
                },
            ),
            CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                    ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[UnicodeUsernameValidator()], verbose_name='username')),
                    ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                    ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                    ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                    ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                    ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                    ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                    ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                    ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                    ('hierarchy', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.knowledgehierarchy', verbose_name='hierarchy for predictions')),
                ],
                options={
                    'verbose_name': 'user',
                    'verbose_name_plural': 'users',
                    'abstract': False,
                },
                managers=[('objects', UserManager())],
            ),
            CreateModel(
                name='BatchDeletion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('batch', models.CharField(max_length=120, verbose_name='batch')),
                    ('deleted', models.PositiveIntegerField(verbose_name='deleted')),
                    ('kept', models.PositiveIntegerField(verbose_name='kept')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('-pk',),
                },
            ),
            CreateModel(
                name='BulkChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('retire', 'Retire'), ('restore', 'Bring back'), ('delete_drafts', 'Delete drafts'), ('concepts', 'Change concepts'), ('grade', 'Set the grade'), ('source', 'Set the source'), ('difficulty', 'Set the difficulty')], max_length=16, verbose_name='kind')),
                    ('values', models.JSONField(blank=True, default=dict)),
                    ('selection', models.JSONField(blank=True, default=dict)),
                    ('changed', models.PositiveIntegerField(default=0)),
                    ('refused', models.JSONField(blank=True, default=dict)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('applied_at', models.DateTimeField(blank=True, null=True)),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ('kept', models.JSONField(blank=True, default=list)),
                    ('person', models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name='bulk_changes', to=settings.AUTH_USER_MODEL)),
                    ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                },
            ),
            CreateModel(
                name='BulkChangeItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('question_id', models.BigIntegerField()),
                    ('before', models.JSONField(null=True)),
                    ('after', models.JSONField(null=True)),
                    ('change', models.ForeignKey(on_delete=models.CASCADE, related_name='items', to='questionbank.bulkchange')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('change', 'question_id'), name='question_once_a_bulk_change')],
                },
            ),
            CreateModel(
                name='KnowledgeConceptEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('path', models.CharField(max_length=255)),
                    ('depth', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=300, verbose_name='name')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.knowledgeconcept')),
                    ('hierarchy', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.knowledgehierarchy')),
                ],
            ),
            CreateModel(
                name='KnowledgeHierarchyEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('name', models.CharField(max_length=200, verbose_name='name')),
                    ('description', models.TextField(blank=True, verbose_name='description')),
                    ('is_default', models.BooleanField(default=False, verbose_name='default of the bank')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.knowledgehierarchy')),
                ],
            ),
            CreateModel(
                name='ModelArtifact',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('capability', models.CharField(max_length=12, verbose_name='capability')),
                    ('scope', models.CharField(blank=True, max_length=300, verbose_name='scope')),
                    ('name', models.CharField(max_length=200, verbose_name='name')),
                    ('state', models.CharField(choices=[('candidate', 'Candidate'), ('champion', 'Champion'), ('archived', 'Archived')], default='candidate', max_length=10, verbose_name='state')),
                    ('manifest', models.JSONField(default=dict, verbose_name='manifest')),
                    ('checksum', models.CharField(max_length=64)),
                    ('location', models.CharField(max_length=300)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('parent', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='children', to='questionbank.modelartifact')),
                ],
                options={
                    'verbose_name': 'model',
                    'verbose_name_plural': 'models',
                    'ordering': ('-created_at',),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'champion')), fields=('capability', 'scope'), name='one_champion_a_capability_and_scope')],
                },
            ),
            CreateModel(
                name='EmbeddingSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('lens', models.CharField(max_length=12, verbose_name='lens')),
                    ('encoder_name', models.CharField(max_length=120, verbose_name='encoder')),
                    ('dimension', models.PositiveIntegerField(verbose_name='dimension')),
                    ('state', models.CharField(choices=[('building', 'Building'), ('ready', 'Ready'), ('retired', 'Retired')], default='building', max_length=10, verbose_name='state')),
                    ('is_current', models.BooleanField(default=False, verbose_name='in use')),
                    ('unknown_shares', models.JSONField(blank=True, default=dict)),
                    ('recall', models.JSONField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('artifact', models.ForeignKey(blank=True, null=True, on_delete=models.PROTECT, related_name='embedding_sets', to='questionbank.modelartifact')),
                    ('scope', models.CharField(blank=True, max_length=300, verbose_name='scope')),
                ],
                options={
                    'verbose_name': 'embedding set',
                    'verbose_name_plural': 'embedding sets',
                    'constraints': [models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('lens', 'scope'), name='one_current_embedding_set_a_lens_and_scope')],
                },
            ),
            CreateModel(
                name='ModelEvent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('registered', 'Registered'), ('promoted', 'Promoted'), ('rolled_back', 'Rolled back'), ('archived', 'Archived'), ('deleted', 'Deleted')], max_length=12, verbose_name='what happened')),
                    ('capability', models.CharField(max_length=12, verbose_name='capability')),
                    ('scope', models.CharField(blank=True, max_length=300, verbose_name='scope')),
                    ('artifact_name', models.CharField(max_length=200, verbose_name='model')),
                    ('former_name', models.CharField(blank=True, max_length=200, verbose_name='former model')),
                    ('reason', models.TextField(blank=True, verbose_name='reason')),
                    ('gate', models.JSONField(blank=True, default=dict, verbose_name='gate')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('artifact', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='events', to='questionbank.modelartifact')),
                    ('former', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                    'indexes': [models.Index(fields=['capability', '-created_at'], name='model_event_capability')],
                },
            ),
            CreateModel(
                name='ParaphrasePair',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('original', models.TextField(verbose_name='original')),
                    ('paraphrase', models.TextField(verbose_name='paraphrase')),
                    ('language', models.CharField(default='en', max_length=12, verbose_name='language')),
                    ('source', models.CharField(choices=[('upload', 'Uploaded'), ('typed', 'Typed by hand'), ('rules', 'Written by rules'), ('model', 'Written by a model')], max_length=8, verbose_name='source')),
                    ('generator', models.CharField(blank=True, max_length=200, verbose_name='written by')),
                    ('batch', models.CharField(blank=True, max_length=120, verbose_name='batch')),
                    ('source_id', models.CharField(blank=True, max_length=200, verbose_name='identifier in its file')),
                    ('score', models.FloatField(blank=True, null=True, verbose_name='score')),
                    ('verdict', models.FloatField(blank=True, null=True, verbose_name='probability that it is valid')),
                    ('findings', models.JSONField(blank=True, null=True, verbose_name='findings')),
                    ('solved', models.JSONField(blank=True, null=True, verbose_name='solutions')),
                    ('scored_at', models.DateTimeField(blank=True, null=True)),
                    ('state', models.CharField(choices=[('open', 'Waiting for reviewers'), ('adjudication', 'Reviewers disagree'), ('decided', 'Decided')], default='open', max_length=12, verbose_name='state')),
                    ('outcome', models.CharField(blank=True, choices=[('accept', 'Accepted'), ('reject', 'Rejected'), ('edit', 'Accepted with changes')], max_length=8, verbose_name='outcome')),
                    ('outcome_text', models.TextField(blank=True, verbose_name='accepted text')),
                    ('opinions_wanted', models.PositiveSmallIntegerField(default=questionbank.models.paraphrase.opinions_wanted, verbose_name='opinions wanted')),
                    ('hides_machine', models.BooleanField(db_default=False, default=False, verbose_name="the machine's opinion is hidden until it is decided")),
                    ('priority', models.FloatField(default=2.5, editable=False)),
                    ('shuffle', models.FloatField(default=questionbank.models.paraphrase.shuffle_number, editable=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('scored_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                    ('added', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='accepted_pairs', to='questionbank.question')),
                    ('question', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='paraphrases', to='questionbank.question')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['state', 'priority', 'id'], name='paraphrase_uncertain'),
                        models.Index(fields=['state', 'shuffle', 'id'], name='paraphrase_shuffled'),
                        models.Index(fields=['batch'], name='paraphrase_batch'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('original', ''), _negated=True), models.Q(('paraphrase', ''), _negated=True)), name='paraphrase_has_both_texts'),
                        models.CheckConstraint(condition=models.Q(('verdict__isnull', True), models.Q(('verdict__gte', 0), ('verdict__lte', 1)), _connector='OR'), name='paraphrase_verdict_is_a_probability'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state', 'decided'), models.Q(('outcome', ''), _negated=True)), models.Q(models.Q(('state', 'decided'), _negated=True), ('outcome', '')), _connector='OR'), name='paraphrase_outcome_when_decided'),
                    ],
                },
            ),
            CreateModel(
                name='Projection',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('method', models.CharField(choices=[('tsne', 't-SNE'), ('pca', 'principal components')], max_length=8, verbose_name='method')),
                    ('settings', models.JSONField(blank=True, default=dict, verbose_name='settings')),
                    ('questions', models.PositiveIntegerField(verbose_name='questions')),
                    ('question_ids', models.BinaryField()),
                    ('coordinates', models.BinaryField()),
                    ('created_at', models.DateTimeField()),
                    ('embedding_set', models.OneToOneField(on_delete=models.CASCADE, related_name='projection', to='questionbank.embeddingset')),
                ],
            ),
            CreateModel(
                name='QuestionEquation',
                fields=[
                    ('question', models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name='equation', serialize=False, to='questionbank.question')),
                    ('expression', models.TextField(verbose_name='equation')),
                    ('numbers', models.JSONField(blank=True, default=list, verbose_name='numbers in order of appearance')),
                    ('set_by', models.CharField(choices=[('source', 'Source'), ('person', 'Person')], default='source', max_length=8, verbose_name='set by')),
                    ('graph_key', models.CharField(blank=True, default='', editable=False, max_length=200)),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('graph_key', ''), _negated=True), fields=['graph_key', 'question'], name='equation_graph_key')],
                },
            ),
            CreateModel(
                name='QuestionSolution',
                fields=[
                    ('question', models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name='machine_solution', serialize=False, to='questionbank.question')),
                    ('content_hash', models.BinaryField(max_length=32)),
                    ('alternatives', models.JSONField(blank=True, default=list, verbose_name='equations')),
                    ('reason', models.TextField(blank=True, verbose_name='why there is none')),
                    ('probability', models.FloatField(blank=True, null=True, verbose_name='probability')),
                    ('graph_key', models.CharField(blank=True, default='', editable=False, max_length=200)),
                    ('solved_at', models.DateTimeField(auto_now=True)),
                    ('artifact', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                    ('retriever', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('graph_key', ''), _negated=True), fields=['graph_key', '-probability'], name='solution_graph_key')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('probability__isnull', True), models.Q(('probability__gte', 0), ('probability__lte', 1)), _connector='OR'), name='solution_probability_is_a_probability')],
                },
            ),
            CreateModel(
                name='ProblemVariant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('original', models.TextField(verbose_name='original')),
                    ('text', models.TextField(verbose_name='text')),
                    ('language', models.CharField(default='en', max_length=12, verbose_name='language')),
                    ('equation', models.TextField(verbose_name='equation')),
                    ('answer', models.TextField(verbose_name='answer')),
                    ('is_predicted', models.BooleanField(default=False, verbose_name="similar by the solver's equation")),
                    ('generator', models.CharField(max_length=200, verbose_name='written by')),
                    ('state', models.CharField(choices=[('open', 'Waiting for reviewers'), ('accepted', 'Accepted'), ('rejected', 'Rejected')], default='open', max_length=8, verbose_name='state')),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('added', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.question')),
                    ('question', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='variants', to='questionbank.question')),
                    ('kind', models.CharField(choices=[('similar', 'Similar problem'), ('reversed', 'Reversed: asks for a known number'), ('reordered', 'Question first')], default='similar', max_length=9, verbose_name='kind')),
                ],
                options={
                    'indexes': [models.Index(fields=['state', 'id'], name='variant_state')],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), models.Q(('equation', ''), _negated=True), models.Q(('answer', ''), _negated=True)), name='variant_is_a_worked_problem'),
                        models.CheckConstraint(condition=models.Q(('added__isnull', True), ('state', 'accepted'), _connector='OR'), name='variant_added_when_accepted'),
                    ],
                },
            ),
            CreateModel(
                name='ParaphrasePairEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('original', models.TextField(verbose_name='original')),
                    ('paraphrase', models.TextField(verbose_name='paraphrase')),
                    ('language', models.CharField(default='en', max_length=12, verbose_name='language')),
                    ('source', models.CharField(choices=[('upload', 'Uploaded'), ('typed', 'Typed by hand'), ('rules', 'Written by rules'), ('model', 'Written by a model')], max_length=8, verbose_name='source')),
                    ('generator', models.CharField(blank=True, max_length=200, verbose_name='written by')),
                    ('batch', models.CharField(blank=True, max_length=120, verbose_name='batch')),
                    ('source_id', models.CharField(blank=True, max_length=200, verbose_name='identifier in its file')),
                    ('state', models.CharField(choices=[('open', 'Waiting for reviewers'), ('adjudication', 'Reviewers disagree'), ('decided', 'Decided')], default='open', max_length=12, verbose_name='state')),
                    ('outcome', models.CharField(blank=True, choices=[('accept', 'Accepted'), ('reject', 'Rejected'), ('edit', 'Accepted with changes')], max_length=8, verbose_name='outcome')),
                    ('outcome_text', models.TextField(blank=True, verbose_name='accepted text')),
                    ('opinions_wanted', models.PositiveSmallIntegerField(default=questionbank.models.paraphrase.opinions_wanted, verbose_name='opinions wanted')),
                    ('hides_machine', models.BooleanField(db_default=False, default=False, verbose_name="the machine's opinion is hidden until it is decided")),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.paraphrasepair')),
                    ('added', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.question')),
                    ('question', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.question')),
                ],
            ),
            CreateModel(
                name='QuestionEmbedding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('vector', HalfVectorField(blank=True, null=True)),
                    ('content_hash', models.BinaryField(max_length=32)),
                    ('embedding_set', models.ForeignKey(on_delete=models.CASCADE, related_name='embeddings', to='questionbank.embeddingset')),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='embeddings', to='questionbank.question')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('embedding_set', 'question'), name='one_embedding_a_question_and_set')],
                },
            ),
            CreateModel(
                name='QuestionEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('source', models.CharField(blank=True, max_length=120, verbose_name='source')),
                    ('source_id', models.CharField(blank=True, max_length=200, verbose_name='identifier in its source')),
                    ('text', models.TextField(verbose_name='question')),
                    ('language', models.CharField(default='en', max_length=12, verbose_name='language')),
                    ('kind', models.CharField(choices=[('open', 'Open answer'), ('choice', 'Multiple choice'), ('blank', 'Fill in the blank')], default='open', max_length=12, verbose_name='type')),
                    ('options', models.JSONField(blank=True, default=list, verbose_name='options')),
                    ('answer', models.TextField(blank=True, verbose_name='answer')),
                    ('solution', models.TextField(blank=True, verbose_name='worked solution')),
                    ('grade', models.CharField(blank=True, max_length=40, verbose_name='grade')),
                    ('stage', models.CharField(blank=True, max_length=80, verbose_name='stage')),
                    ('status', models.CharField(choices=[('draft', 'Draft'), ('ready', 'Ready'), ('retired', 'Retired')], default='ready', max_length=12, verbose_name='status')),
                    ('difficulty', models.FloatField(blank=True, null=True, verbose_name='published difficulty')),
                    ('difficulty_scale', models.CharField(blank=True, max_length=20, verbose_name='difficulty scale')),
                    ('difficulty_percent', models.FloatField(blank=True, null=True, verbose_name='difficulty in per cent')),
                    ('facility', models.FloatField(blank=True, null=True, verbose_name='observed share of correct responses')),
                    ('responses', models.PositiveIntegerField(default=0, verbose_name='number of responses')),
                    ('version', models.PositiveIntegerField(default=1)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                    ('paraphrase_of', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.question', verbose_name='paraphrase of')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.question')),
                ],
            ),
            CreateModel(
                name='QuestionList',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('is_shared', models.BooleanField(default=False, verbose_name='shared inside the school')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('owner', models.ForeignKey(on_delete=models.CASCADE, related_name='question_lists', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'list of questions',
                    'verbose_name_plural': 'lists of questions',
                    'ordering': ('-updated_at', '-pk'),
                    'constraints': [models.UniqueConstraint(fields=('owner', 'name'), name='one_list_a_person_and_name')],
                },
            ),
            CreateModel(
                name='QuestionListItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='list_items', to='questionbank.question')),
                    ('question_list', models.ForeignKey(on_delete=models.CASCADE, related_name='items', to='questionbank.questionlist')),
                ],
                options={
                    'verbose_name': 'question in a list',
                    'verbose_name_plural': 'questions in lists',
                    'ordering': ('position',),
                    'constraints': [
                        models.UniqueConstraint(fields=('question_list', 'question'), name='question_once_a_list'),
                        models.UniqueConstraint(deferrable=models.Deferrable['DEFERRED'], fields=('question_list', 'position'), name='one_question_a_place_in_a_list'),
                    ],
                },
            ),
            CreateModel(
                name='QuestionTag',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('set_by', models.CharField(choices=[('import', 'Imported'), ('person', 'Person'), ('model', 'Model')], default='person', max_length=8, verbose_name='set by')),
                    ('probability', models.FloatField(blank=True, null=True, verbose_name='probability given by the model')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('concept', models.ForeignKey(on_delete=models.CASCADE, related_name='question_tags', to='questionbank.knowledgeconcept')),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='tags', to='questionbank.question')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('import_run', models.ForeignKey(blank=True, db_constraint=False, db_index=False, editable=False, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('question', 'concept'), name='tag_once_per_question_and_concept')],
                },
            ),
            CreateModel(
                name='QuestionTagEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('set_by', models.CharField(choices=[('import', 'Imported'), ('person', 'Person'), ('model', 'Model')], default='person', max_length=8, verbose_name='set by')),
                    ('probability', models.FloatField(blank=True, null=True, verbose_name='probability given by the model')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('concept', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.knowledgeconcept')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.questiontag')),
                    ('question', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.question')),
                    ('user', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            CreateModel(
                name='ReviewDecision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scorer_name', models.CharField(blank=True, max_length=200)),
                    ('score', models.FloatField(blank=True, null=True)),
                    ('probability', models.FloatField(blank=True, null=True)),
                    ('verdict', models.CharField(choices=[('accept', 'Accept'), ('reject', 'Reject'), ('edit', 'Accept with changes'), ('unsure', 'Unsure'), ('skip', 'Skip')], max_length=8, verbose_name='decision')),
                    ('reason', models.CharField(blank=True, choices=[('number', 'A number is wrong or missing'), ('unit', 'A unit is wrong or missing'), ('entity', 'A name or thing is mixed up'), ('information', 'Something needed is missing or added'), ('target', 'It asks for something else'), ('meaning', 'The quantities are related in another way'), ('language', 'It is unclear or ungrammatical'), ('same', 'It is the same text'), ('labelled', 'Labelled in an uploaded file')], max_length=12, verbose_name='reason')),
                    ('text', models.TextField(blank=True, verbose_name='changed text')),
                    ('comment', models.TextField(blank=True, verbose_name='comment')),
                    ('seconds', models.FloatField(default=0, verbose_name='seconds taken')),
                    ('is_adjudication', models.BooleanField(default=False, verbose_name='settles a disagreement')),
                    ('is_random', models.BooleanField(default=False)),
                    ('is_label', models.BooleanField(db_default=False, default=False, verbose_name='a label of an uploaded file')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ('pair', models.ForeignKey(on_delete=models.CASCADE, related_name='decisions', to='questionbank.paraphrasepair')),
                    ('reviewer', models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name='review_decisions', to=settings.AUTH_USER_MODEL)),
                    ('scorer', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                    ('guideline', models.ForeignKey(on_delete=models.PROTECT, related_name='decisions', to='questionbank.reviewguideline')),
                ],
                options={
                    'indexes': [models.Index(fields=['reviewer', '-id'], name='review_decision_reviewer')],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('undone_at__isnull', True), models.Q(('verdict', 'skip'), _negated=True)), fields=('pair', 'reviewer', 'is_adjudication'), name='one_decision_a_pair_and_reviewer'),
                        models.UniqueConstraint(condition=models.Q(('is_adjudication', True), ('undone_at__isnull', True)), fields=('pair',), name='one_adjudication_a_pair'),
                        models.CheckConstraint(condition=models.Q(models.Q(('verdict', 'reject'), models.Q(('reason', ''), _negated=True)), models.Q(models.Q(('verdict', 'reject'), _negated=True), ('reason', '')), _connector='OR'), name='review_reason_when_rejected'),
                        models.CheckConstraint(condition=models.Q(models.Q(('verdict', 'edit'), models.Q(('text', ''), _negated=True)), models.Q(models.Q(('verdict', 'edit'), _negated=True), ('text', '')), _connector='OR'), name='review_text_when_edited'),
                    ],
                },
            ),
            CreateModel(
                name='ReviewGuideline',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField(unique=True, verbose_name='version')),
                    ('text', models.TextField(verbose_name='guidelines')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('created_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('-version',),
                },
            ),
            CreateModel(
                name='ReviewDecisionEvent',
                fields=[
                    *HISTORY,
                    ('id', models.BigIntegerField()),
                    ('scorer_name', models.CharField(blank=True, max_length=200)),
                    ('score', models.FloatField(blank=True, null=True)),
                    ('probability', models.FloatField(blank=True, null=True)),
                    ('verdict', models.CharField(choices=[('accept', 'Accept'), ('reject', 'Reject'), ('edit', 'Accept with changes'), ('unsure', 'Unsure'), ('skip', 'Skip')], max_length=8, verbose_name='decision')),
                    ('reason', models.CharField(blank=True, choices=[('number', 'A number is wrong or missing'), ('unit', 'A unit is wrong or missing'), ('entity', 'A name or thing is mixed up'), ('information', 'Something needed is missing or added'), ('target', 'It asks for something else'), ('meaning', 'The quantities are related in another way'), ('language', 'It is unclear or ungrammatical'), ('same', 'It is the same text'), ('labelled', 'Labelled in an uploaded file')], max_length=12, verbose_name='reason')),
                    ('text', models.TextField(blank=True, verbose_name='changed text')),
                    ('comment', models.TextField(blank=True, verbose_name='comment')),
                    ('seconds', models.FloatField(default=0, verbose_name='seconds taken')),
                    ('is_adjudication', models.BooleanField(default=False, verbose_name='settles a disagreement')),
                    ('is_random', models.BooleanField(default=False)),
                    ('is_label', models.BooleanField(db_default=False, default=False, verbose_name='a label of an uploaded file')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ('pair', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.paraphrasepair')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.reviewdecision')),
                    ('reviewer', models.ForeignKey(db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                    ('scorer', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.modelartifact')),
                    ('guideline', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to='questionbank.reviewguideline')),
                ],
            ),
            CreateModel(
                name='ReviewLease',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scorer_name', models.CharField(blank=True, max_length=200)),
                    ('score', models.FloatField(blank=True, null=True)),
                    ('probability', models.FloatField(blank=True, null=True)),
                    ('taken_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField(db_index=True)),
                    ('is_random', models.BooleanField(default=False)),
                    ('guideline', models.ForeignKey(on_delete=models.PROTECT, related_name='+', to='questionbank.reviewguideline')),
                    ('pair', models.ForeignKey(on_delete=models.CASCADE, related_name='leases', to='questionbank.paraphrasepair')),
                    ('reviewer', models.OneToOneField(on_delete=models.CASCADE, related_name='review_lease', to=settings.AUTH_USER_MODEL)),
                    ('scorer', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                ],
                options={
                    'abstract': False,
                },
            ),
            CreateModel(
                name='ReviewPreference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('keys', models.JSONField(default=dict)),
                    ('guideline_seen', models.PositiveIntegerField(db_default=0, default=0)),
                    ('reviewer', models.OneToOneField(on_delete=models.CASCADE, related_name='review_preference', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            CreateModel(
                name='Run',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=10, verbose_name='kind')),
                    ('capability', models.CharField(blank=True, max_length=12, verbose_name='capability')),
                    ('title', models.CharField(blank=True, max_length=200, verbose_name='title')),
                    ('queue', models.CharField(default='default', max_length=10, verbose_name='queue')),
                    ('state', models.CharField(choices=[('queued', 'Waiting'), ('running', 'Running'), ('succeeded', 'Finished'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10, verbose_name='state')),
                    ('parameters', models.JSONField(blank=True, default=dict)),
                    ('result', models.JSONField(blank=True, default=dict)),
                    ('error', models.TextField(blank=True, verbose_name='error')),
                    ('done', models.BigIntegerField(default=0, verbose_name='done')),
                    ('total', models.BigIntegerField(default=0, verbose_name='of')),
                    ('message', models.CharField(blank=True, max_length=300, verbose_name='what it is doing')),
                    ('message_id', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('lease', models.UUIDField(blank=True, editable=False, null=True)),
                    ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                    ('worker', models.CharField(blank=True, max_length=120, verbose_name='worker')),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('deaths', models.PositiveSmallIntegerField(default=0)),
                    ('pauses', models.PositiveSmallIntegerField(default=0)),
                    ('cancel_requested', models.BooleanField(default=False)),
                    ('is_dismissed', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('finished_at', models.DateTimeField(blank=True, null=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='runs', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'job',
                    'verbose_name_plural': 'jobs',
                    'ordering': ('-created_at', '-pk'),
                    'indexes': [models.Index(fields=['state', 'created_at'], name='run_state')],
                },
            ),
            CreateModel(
                name='ModelComparison',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('figures', models.JSONField(default=dict, verbose_name='figures')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('candidate', models.ForeignKey(on_delete=models.CASCADE, related_name='comparisons', to='questionbank.modelartifact')),
                    ('champion', models.ForeignKey(on_delete=models.CASCADE, related_name='comparisons_as_champion', to='questionbank.modelartifact')),
                    ('run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='comparisons', to='questionbank.run')),
                ],
                options={
                    'ordering': ('-created_at', '-pk'),
                },
            ),
            CreateModel(
                name='ImportDuplicate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='import_duplicates', to='questionbank.question')),
                    ('run', models.ForeignKey(on_delete=models.CASCADE, related_name='+', to='questionbank.run')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('run', 'question'), name='import_duplicate_once_a_run')],
                },
            ),
            CreateModel(
                name='RunLog',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('level', models.CharField(choices=[('info', 'Information'), ('warning', 'Warning'), ('error', 'Error')], default='info', max_length=8)),
                    ('text', models.TextField()),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('run', models.ForeignKey(on_delete=models.CASCADE, related_name='logs', to='questionbank.run')),
                ],
                options={
                    'ordering': ('pk',),
                },
            ),
            CreateModel(
                name='RunMetric',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('step', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=80)),
                    ('value', models.FloatField()),
                    ('run', models.ForeignKey(on_delete=models.CASCADE, related_name='metrics', to='questionbank.run')),
                ],
                options={
                    'ordering': ('name', 'step'),
                    'constraints': [models.UniqueConstraint(fields=('run', 'name', 'step'), name='one_metric_a_run_name_and_step')],
                },
            ),
            CreateModel(
                name='SettlementLease',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scorer_name', models.CharField(blank=True, max_length=200)),
                    ('score', models.FloatField(blank=True, null=True)),
                    ('probability', models.FloatField(blank=True, null=True)),
                    ('taken_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField(db_index=True)),
                    ('guideline', models.ForeignKey(on_delete=models.PROTECT, related_name='+', to='questionbank.reviewguideline')),
                    ('pair', models.OneToOneField(on_delete=models.CASCADE, related_name='settlement_lease', to='questionbank.paraphrasepair')),
                    ('reviewer', models.ForeignKey(on_delete=models.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('scorer', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.modelartifact')),
                ],
                options={
                    'abstract': False,
                },
            ),
            CreateModel(
                name='UserRole',
                fields=[
                ],
                options={
                    'proxy': True,
                },
                bases=('questionbank.user_groups',),
            ),
            CreateModel(
                name='QuestionEquationEvent',
                fields=[
                    *HISTORY,
                    ('expression', models.TextField(verbose_name='equation')),
                    ('set_by', models.CharField(choices=[('source', 'Source'), ('person', 'Person')], default='source', max_length=8, verbose_name='set by')),
                    ('pgh_obj', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='events', to='questionbank.questionequation')),
                    ('question', models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', serialize=False, to='questionbank.question')),
                    ('user', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='+', related_query_name='+', to=settings.AUTH_USER_MODEL)),
                ],
            ),
            CreateModel(
                name='OutgoingMail',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('reset', 'Password reset'), ('invitation', 'Invitation'), ('test', 'Test')], max_length=10, verbose_name='kind')),
                    ('address', models.EmailField(blank=True, max_length=254, verbose_name='address')),
                    ('site', models.CharField(blank=True, max_length=300)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('due_at', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('failed_at', models.DateTimeField(blank=True, null=True)),
                    ('error', models.CharField(blank=True, max_length=200)),
                    ('inviter', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('person', models.ForeignKey(blank=True, null=True, on_delete=models.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'mail',
                    'verbose_name_plural': 'mail',
                    'ordering': ('due_at', 'pk'),
                    'indexes': [models.Index(fields=['due_at'], name='mail_due')],
                },
            ),
            CreateModel(
                name='ModelRetention',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('capability', models.CharField(max_length=12, unique=True, verbose_name='capability')),
                    ('keep', models.PositiveSmallIntegerField(verbose_name='how many are kept')),
                    ('set_at', models.DateTimeField(auto_now=True)),
                    ('set_by', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ('capability',),
                },
            ),
            *(AddTrigger(model_name=model, trigger=trigger) for model, trigger in TRIGGERS),
        ]),
        migrations.RunPython(create_roles, migrations.RunPython.noop),
        migrations.RunPython(add_default_synonyms, migrations.RunPython.noop),
    ]
