"""Note the key through which a key or a web hook was made, and disable the hooks of accounts that are closed."""

import django.db.models.deletion
from django.db import migrations, models


def disable_hooks_of_closed_accounts(apps, _schema_editor):
    hooks = apps.get_model("questionbank", "Hook").objects.filter(is_active=True, owner__is_active=False)
    hooks.update(is_active=False, disabled_because="The account of its owner was closed.")


class Migration(migrations.Migration):

    dependencies = [
        ('questionbank', '0068_web_hooks'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='made_with',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='made_keys', to='questionbank.apikey'),
        ),
        migrations.AddField(
            model_name='hook',
            name='made_with',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='made_hooks', to='questionbank.apikey'),
        ),
        migrations.RunPython(disable_hooks_of_closed_accounts, migrations.RunPython.noop),
    ]
