"""Note when a person was deleted, whose row stays without what identifies them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0074_shown_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='deleted'),
        ),
    ]
