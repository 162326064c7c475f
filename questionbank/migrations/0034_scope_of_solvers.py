from django.db import migrations

# A solver is for one language, its scope: that of most problems that it learned from.
FORWARD = """
UPDATE questionbank_modelartifact
SET scope = coalesce(split_part(manifest #>> '{extra,languages,0}', '-', 1), 'en')
WHERE capability = 'solver' AND scope = '';
UPDATE questionbank_modelevent AS event
SET scope = coalesce(
  (SELECT artifact.scope FROM questionbank_modelartifact AS artifact WHERE artifact.id = event.artifact_id), 'en'
)
WHERE capability = 'solver' AND scope = '';
"""
BACKWARD = """
UPDATE questionbank_modelevent SET scope = '' WHERE capability = 'solver';
UPDATE questionbank_modelartifact SET state = 'archived'
WHERE capability = 'solver' AND state = 'champion' AND scope <> 'en';
UPDATE questionbank_modelartifact SET scope = '' WHERE capability = 'solver';
"""


class Migration(migrations.Migration):

    dependencies = [
        ("questionbank", "0033_variant_kinds_and_labels"),
    ]

    operations = [
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
