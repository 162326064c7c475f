"""Give the bank test papers."""

from django.conf import settings
from django.db import migrations, models
from django.db.migrations import CreateModel

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0045_question_content"),
    ]

    operations = [
        AtOnce([
            CreateModel(
                name='DocumentDraft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('state', models.CharField(choices=[('reading', 'Being read'), ('ready', 'Ready to review'), ('refused', 'Cannot be read'), ('imported', 'Imported')], default='reading', max_length=10)),
                    ('reason', models.TextField(blank=True)),
                    ('upload', models.CharField(blank=True, max_length=100)),
                    ('lines', models.JSONField(blank=True, default=list)),
                    ('roles', models.JSONField(blank=True, default=list)),
                    ('pictures', models.JSONField(blank=True, default=dict)),
                    ('notices', models.JSONField(blank=True, default=list)),
                    ('corrections', models.JSONField(blank=True, default=list)),
                    ('applied', models.PositiveIntegerField(default=0)),
                    ('with_headings', models.BooleanField(default=False, verbose_name='headings become concepts')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('hierarchy', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.knowledgehierarchy')),
                    ('import_run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                    ('owner', models.ForeignKey(on_delete=models.CASCADE, related_name='document_drafts', to=settings.AUTH_USER_MODEL)),
                    ('read_run', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.run')),
                ],
                options={
                    'verbose_name': 'test paper',
                    'verbose_name_plural': 'test papers',
                    'ordering': ('-updated_at', '-pk'),
                },
            ),
        ]),
    ]
