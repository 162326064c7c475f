"""Note the key through which a question was written."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0070_remembered_columns'),
    ]

    operations = [
        migrations.AddField(
            model_name='question',
            name='through',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=120),
        ),
    ]
