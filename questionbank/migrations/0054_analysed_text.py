"""Have search text, vectors and solutions made anew where more than the stem of a question is read now.

The job that computes vectors does it: `bank.search_index.search_text_fill`, `worker.embedding`. Rows that say the same
as before and are chosen all the same cost a vector each, and nothing else.
"""

from django.db import migrations, models
from django.db.models import Q

# Parts, pairs, drop-downs and shared text; descriptions of pictures; options of a text without mathematics.
OUTDATED = r"""
    q.content ?| array['parts', 'pairs', 'blanks', 'stimulus'] OR q.text LIKE '%](%'
    OR (q.options <> '[]' AND q.text !~ '[0-9$\\=<>]')
"""
FORGET = f"""
    UPDATE questionbank_questionembedding e SET content_hash = '' FROM questionbank_question q
    WHERE e.question_id = q.id AND ({OUTDATED});
    DELETE FROM questionbank_questionsolution s USING questionbank_question q
    WHERE s.question_id = q.id AND q.content ? 'parts';
    UPDATE questionbank_question q SET search_vector = NULL WHERE {OUTDATED};
"""


class Migration(migrations.Migration):
    dependencies = (("questionbank", "0053_large_banks"),)

    operations = (
        migrations.AddIndex(
            model_name="question",
            index=models.Index(
                fields=["id"], name="question_unsearched", condition=Q(search_vector__isnull=True)
            ),
        ),
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
    )
