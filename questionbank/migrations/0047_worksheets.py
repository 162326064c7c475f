"""Give the bank worksheets."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.migrations import CreateModel

from questionbank.core.migrations import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("questionbank", "0046_document_drafts"),
    ]

    operations = [
        AtOnce([
            CreateModel(
                name='Worksheet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=120, verbose_name='name')),
                    ('title', models.CharField(blank=True, max_length=200, verbose_name='title')),
                    ('instructions', models.TextField(blank=True, verbose_name='instructions')),
                    ('columns', models.PositiveSmallIntegerField(default=1, verbose_name='columns')),
                    ('paper', models.CharField(choices=[('a4', 'A4'), ('us-letter', 'US Letter')], default='a4', max_length=12, verbose_name='paper')),
                    ('has_name_field', models.BooleanField(default=True, verbose_name='line for name, class and date')),
                    ('versions', models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1), MaxValueValidator(4)], verbose_name='versions')),
                    ('seed', models.PositiveIntegerField(default=1)),
                    ('mixes_questions', models.BooleanField(default=True, verbose_name='mix the order of questions')),
                    ('mixes_options', models.BooleanField(default=True, verbose_name='mix the order of options')),
                    ('changes_numbers', models.BooleanField(default=True, verbose_name='change numbers')),
                    ('is_shared', models.BooleanField(default=False, verbose_name='shared inside the school')),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('updated_at', models.DateTimeField(auto_now=True)),
                    ('owner', models.ForeignKey(on_delete=models.CASCADE, related_name='worksheets', to=settings.AUTH_USER_MODEL)),
                    ('source_list', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to='questionbank.questionlist')),
                ],
                options={
                    'verbose_name': 'worksheet',
                    'verbose_name_plural': 'worksheets',
                    'ordering': ('-updated_at', '-pk'),
                    'constraints': [
                        models.UniqueConstraint(fields=('owner', 'name'), name='one_worksheet_a_person_and_name'),
                        models.CheckConstraint(condition=models.Q(('columns__in', (1, 2))), name='worksheet_has_one_or_two_columns'),
                        models.CheckConstraint(condition=models.Q(('versions__gte', 1), ('versions__lte', 4)), name='worksheet_has_one_to_four_versions'),
                    ],
                },
            ),
            CreateModel(
                name='QuestionUse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField(verbose_name='day')),
                    ('worksheet_name', models.CharField(max_length=120, verbose_name='worksheet')),
                    ('question', models.ForeignKey(on_delete=models.CASCADE, related_name='uses', to='questionbank.question')),
                    ('user', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('worksheet', models.ForeignKey(blank=True, null=True, on_delete=models.SET_NULL, related_name='uses', to='questionbank.worksheet')),
                ],
                options={
                    'ordering': ('-day', '-pk'),
                    'indexes': [models.Index(fields=['day', 'question'], name='use_day')],
                    'constraints': [models.UniqueConstraint(fields=('question', 'worksheet', 'day'), name='one_use_a_worksheet_and_day')],
                },
            ),
            CreateModel(
                name='WorksheetItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('heading', models.CharField(blank=True, max_length=200, verbose_name='heading')),
                    ('instructions', models.TextField(blank=True, verbose_name='instructions')),
                    ('points', models.FloatField(blank=True, null=True, verbose_name='points')),
                    ('answer_lines', models.PositiveSmallIntegerField(default=0, verbose_name='answer lines')),
                    ('question', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=models.DO_NOTHING, related_name='worksheet_items', to='questionbank.question')),
                    ('worksheet', models.ForeignKey(on_delete=models.CASCADE, related_name='items', to='questionbank.worksheet')),
                ],
                options={
                    'verbose_name': 'question on a worksheet',
                    'verbose_name_plural': 'questions on worksheets',
                    'ordering': ('position',),
                    'constraints': [
                        models.UniqueConstraint(fields=('worksheet', 'question'), name='question_once_a_worksheet'),
                        models.UniqueConstraint(deferrable=models.Deferrable['DEFERRED'], fields=('worksheet', 'position'), name='one_item_a_place_on_a_worksheet'),
                    ],
                },
            ),
        ]),
    ]
