"""Deleting a person: nothing names them any more, and what they did for others stays readable."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pghistory
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from questionbank import models
from questionbank.api.key_services import api_key_create
from questionbank.core.database import references_to
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.core.storage import KnownBackup, backup_remember
from questionbank.models import Question, QuestionList, Run, User, Worksheet
from questionbank.people.services import person_set_active, person_update
from questionbank.people.sign_on import SignOn
from questionbank.protection import erasure_services, traces
from questionbank.protection.erasure_services import people_erase_again, person_erase
from questionbank.protection.person_selectors import erasure_plan, person_archive, recorded_deletion
from questionbank.review.agreement_selectors import agreement
from tests.factories import QuestionFactory, UserFactory
from tests.questionbank.review.test_selectors import make_pairs, opinion

pytestmark = pytest.mark.django_db

LOGIN, FIRST, LAST, ADDRESS = "izwoelftel", "Ingeborg", "Zwölftel", "i.zwoelftel@school.example"
NAME = f"{FIRST} {LAST}"
WORDS = (LOGIN, FIRST, LAST, ADDRESS)
UNTOUCHED = {
    "questionbank_user",
    "django_migrations",
    "django_content_type",
    "auth_permission",
    "auth_group",
}  # never about this person
CODES = {
    "path",
    "pgh_label",
    "session_data",
    "upload",
    "location",
    "digest",
    "checksum",
    "sha256",
    "session_key",
    "key",
    "fingerprint",
}


@pytest.fixture
def var(settings, tmp_path) -> Path:
    """Storages, logs and the index of backups of this test alone."""
    settings.VAR_DIR = folder = tmp_path / "var"
    (folder / "logs").mkdir(parents=True)
    backend = "django.core.files.storage.FileSystemStorage"
    places = {name: {"BACKEND": backend, "OPTIONS": {"location": folder / name}} for name in ("default", "uploads")}
    settings.STORAGES = {**settings.STORAGES, **places}
    return folder


@pytest.fixture
def person(bank, var) -> User:
    """Somebody with work of every kind, whose name stands in every text column of the database that has a row."""
    person = User.objects.create_user(LOGIN, ADDRESS, "correct horse", first_name=FIRST, last_name=LAST)
    person.groups.set(Group.objects.filter(name__in=("teacher", "reviewer")))
    _work_of(person, bank)
    _plant()
    line = {"user_id": person.pk, "ip": "192.0.2.77", "user_agent": "Her browser", "request": f"GET /?q={LAST}"}
    (var / "logs" / "web.log").write_text(json.dumps(line) + "\n" + json.dumps({"user_id": 0, "ip": "192.0.2.1"}))
    (var / "logs" / "postgres.log").write_text(
        f"DETAIL: Key (username)=({LOGIN}), (email)=({ADDRESS}) exists: {NAME}\n"
    )
    return User.objects.get(pk=person.pk)


def _work_of(person: User, bank) -> None:
    now = timezone.now()
    with pghistory.context(user=person.pk, url="/questions/1/", api_key=f"Key of {NAME}"):
        question = QuestionFactory(created_by=person, source=f"{NAME}'s collection")
        models.QuestionTag.objects.create(question=question, concept=bank.linear, user=person)
        Question.objects.filter(pk=question.pk).update(grade="7")
    for seen in ("all", "private"):
        mine = QuestionList.objects.create(owner=person, name=f"List {seen}", visibility=seen)
        models.QuestionListItem.objects.create(question_list=mine, question=question, position=1)
        sheet = Worksheet.objects.create(owner=person, name=f"Sheet {seen}", visibility=seen)
        models.WorksheetItem.objects.create(worksheet=sheet, position=1, heading=NAME)
        models.QuestionUse.objects.create(question=question, day=now.date(), worksheet=sheet, user=person)
    stored = storages["uploads"].save("paper.docx", ContentFile(NAME.encode()))
    run = Run.objects.create(
        kind="import", state="succeeded", requested_by=person, title=f"{NAME}.csv", finished_at=now
    )
    Run.objects.create(
        kind="ask", state="succeeded", requested_by=person, parameters={"asked_by": person.pk, "text": "?"}
    )
    models.RunLog.objects.create(run=run, text="Read")
    models.DocumentDraft.objects.create(owner=person, name="Test", state="ready", upload=stored, lines=[{"text": "1"}])
    models.ResponseSet.objects.create(owner=person, title="Test", layout="Table", class_label="7b")
    models.BulkChange.objects.create(kind="grade", values={"grade": "7"}, person=person, applied_at=now)
    models.ModelEvent.objects.create(
        kind="promoted", capability="encoder", artifact_name="A", person=person, reason="Better"
    )
    models.ReviewPreference.objects.create(reviewer=person)
    key, _secret = api_key_create(user=person, name="Nightly export", scopes=["read"])
    models.ApiRequest.objects.create(user=person, key="1", fingerprint="f", status=200, body=b"{}")
    hook = models.Hook.objects.create(
        owner=person, address="https://example.org/hook", site="https://a.example", made_with=key
    )
    models.HookDelivery.objects.create(hook=hook, kind="hook.test", body="{}")
    models.OutgoingMail.objects.create(kind="invitation", person=person)
    models.LongQuery.objects.create(key="k", text="A long search")
    EmailAddress.objects.create(user=person, email=f"other.{ADDRESS}", primary=False)
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": "s"})
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(user=person, content_type=people, object_id=str(person.pk), object_repr=NAME, action_flag=2)
    session = SessionStore()
    session["_auth_user_id"] = str(person.pk)
    session.save()
    colleague = UserFactory(username="colleague", email="colleague@school.example")
    other = models.ApiRequest(
        user=colleague, key="2", fingerprint="f", status=200, body=json.dumps({"by": NAME}).encode()
    )
    other.save()
    for pair, verdict in zip(make_pairs(3), ("accept", "reject", "accept"), strict=True):
        opinion(pair, person, verdict)
        opinion(pair, colleague, "accept", comment="Fine")
    with pghistory.context(user=person.pk):
        root = UserFactory(username="root", is_superuser=True)
        person_update(
            user=root, person=person, email=ADDRESS, first_name=FIRST, last_name=LAST, roles=["reviewer", "teacher"]
        )


def _text_columns(longest: int = 0) -> list[tuple[str, str, str]]:
    """Every text, JSON and array column of every table; straight from PostgreSQL, not from our models."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c"
            " JOIN information_schema.tables t USING (table_schema, table_name)"
            " WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'"
            " AND c.data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY')"
            " AND (c.character_maximum_length IS NULL OR c.character_maximum_length >= %s)",
            [longest],
        )
        return cursor.fetchall()


def _plant() -> None:
    """Write the name into every text column of every table, wherever the table takes it."""
    tables = {model._meta.db_table: model for model in traces._tables()}
    for table, column, kind in _text_columns(longest=len(NAME) + 2):
        named = {field.column: field for field in tables[table]._meta.concrete_fields} if table in tables else {}
        is_code = column in CODES or column not in named or bool(named[column].choices) or named[column].primary_key
        if table in UNTOUCHED or is_code or kind == "ARRAY" or column in traces.MATHEMATICS.get(table, "").split():
            continue
        added = """|| '{"by": "%s"}'""" if kind == "jsonb" else "|| ' %s'"
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"UPDATE {table} SET {column} = {column} {added % NAME} WHERE {column} IS NOT NULL")
        except (IntegrityError, DataError):
            continue


def found_in_tables(words: tuple[str, ...] = WORDS) -> list[tuple[str, str]]:
    found = []
    with connection.cursor() as cursor:
        for table, column, _kind in _text_columns():
            cursor.execute(
                f"SELECT EXISTS (SELECT FROM {table} WHERE {column}::text ILIKE ANY(%s))",
                [[f"%{word}%" for word in words]],
            )
            if cursor.fetchone()[0]:
                found.append((table, column))
    return found


def found_in_files(folder: Path) -> list[Path]:
    spellings = [spelled for word in WORDS for spelled in (word.encode(), json.dumps(word)[1:-1].encode())]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(word in path.read_bytes() for word in spellings)]


def test_nothing_names_a_deleted_person(person, admin_person, var, django_capture_on_commit_callbacks) -> None:
    planted = found_in_tables()
    assert len(planted) > 40
    assert len(found_in_files(var)) == 3
    backup_remember(KnownBackup("/backups/bank.tar", timezone.now(), 9))
    before = agreement()
    with django_capture_on_commit_callbacks(execute=True):
        left = person_erase(user=admin_person, person=person)
    assert left == []
    assert found_in_tables() == []
    assert found_in_files(var) == []
    log = (var / "logs" / "web.log").read_text()
    assert "192.0.2.77" not in log
    assert "Her browser" not in log
    assert "192.0.2.1" in log
    for line in log.splitlines():
        json.loads(line)
    assert not Session.objects.exists()
    assert not storages["uploads"].exists("paper.docx")
    assert agreement().alpha == before.alpha
    assert len(agreement().kappas) == len(before.kappas)
    assert str(User.objects.get(pk=person.pk)) == "a former colleague"


def test_every_row_that_was_the_persons_own_is_gone(person, admin_person) -> None:
    person_erase(user=admin_person, person=person)
    stay = {QuestionList, Worksheet, LogEntry}
    own = [key for key in references_to(User) if key.remote_field.on_delete.__name__ == "CASCADE"]
    assert len(own) > 10
    for key in own:
        rows = key.model._base_manager.filter(**{key.name: person.pk})
        assert rows.exists() == (key.model in stay), key
    assert [each.name[:8] for each in QuestionList.objects.filter(owner=person.pk)] == ["List all"]
    assert Run.objects.get(kind="ask").parameters == {"asked_by": person.pk}


def test_pages_and_history_read_after_a_deletion(person, as_admin, admin_person) -> None:
    question = Question.objects.get(created_by=person)
    event = models.ModelEvent.objects.get(person=person)
    person_erase(user=admin_person, person=person)
    shared = QuestionList.objects.get(owner=person.pk)
    for address in (
        reverse("question_detail", args=[question.pk]),
        reverse("change_list"),
        reverse("change_list") + "?kind=people",
        reverse("model_history", args=[event.capability]),
        reverse("run_list"),
        reverse("review_progress"),
        reverse("list_detail", args=[shared.pk]),
        reverse("bulk_change_list"),
    ):
        content = as_admin.get(address).content.decode()
        assert "a former colleague" in content, address
        assert LAST not in content
    assert LAST not in as_admin.get(reverse("person_list")).content.decode()
    assert as_admin.get(reverse("person_detail", args=[person.pk])).status_code == 404


def test_with_their_work_go_lists_worksheets_and_the_questions_that_nobody_else_uses(person, admin_person) -> None:
    used = QuestionFactory(created_by=person)
    theirs = QuestionList.objects.create(owner=admin_person, name="Homework")
    models.QuestionListItem.objects.create(question_list=theirs, question=used, position=1)
    free = QuestionFactory(created_by=person, text="How much is 2 + 2?")
    Question.objects.filter(pk=free.pk).update(text="How much is 2 + 3?")
    assert erasure_plan(person=person, with_work=True).deleted["questions"] == 1
    person_erase(user=admin_person, person=person, with_work=True)
    assert Question.objects.filter(pk=used.pk).exists()
    assert not Question.objects.filter(pk=free.pk).exists()
    assert not question_events().filter(pgh_obj_id=free.pk).exists()
    assert not QuestionList.objects.filter(owner=person.pk).exists()
    assert not Worksheet.objects.filter(owner=person.pk).exists()


def question_events():
    return Question.events.rel.related_model._base_manager  # type: ignore[attr-defined]


def test_a_name_in_a_problem_is_left_and_reported(person, admin_person) -> None:
    problem = QuestionFactory(text=f"{NAME} buys 3 apples and 4 pears ({ADDRESS}). How many are there?")
    left = person_erase(user=admin_person, person=person)
    where = f"question {problem.pk}, question"
    assert [str(trace) for trace in left] == [where, f"{where}, in its history"]
    problem.refresh_from_db()
    assert problem.text.startswith(NAME)
    assert ADDRESS not in problem.text


def test_a_name_that_is_a_word_of_the_bank_stays_in_texts(admin_person, var) -> None:
    models.VocabularyWord.objects.create(word="price", questions=3)
    person = User.objects.create_user("price", "v.price@school.example", first_name="Vincent", last_name="Price")
    kept = QuestionList.objects.create(owner=admin_person, name="Price and discount, by Vincent Price")
    person_erase(user=admin_person, person=person)
    kept.refresh_from_db()
    assert kept.name == "Price and discount, by a former colleague"
    assert found_in_tables(("v.price@school",)) == []


def test_namesakes_roles_and_the_history_are_left_alone(admin_person, var) -> None:
    """A log-in name or a first name may also be somebody else's, a role's, or a word of the program."""
    namesake = User.objects.create_user("anna.b", "anna@other.example", first_name="Anna", last_name="Berg")
    school = models.School.objects.create(name="Anna Grammar School", slug="anna")
    for login in ("anna", "admin", "user", "encoder"):
        with pghistory.context(user=admin_person.pk):
            question = QuestionFactory()
            Question.objects.filter(pk=question.pk).update(grade="7")
        models.ModelEvent.objects.create(kind="promoted", capability="encoder", artifact_name="A", person=admin_person)
        if login == "admin":
            User.objects.filter(pk=admin_person.pk).update(username="boss")
        person = User.objects.create_user(login, f"{login}@school.example", first_name="Anna", last_name="Amann")
        person_erase(user=admin_person, person=person)
    after = User.objects.get(pk=namesake.pk)
    assert (after.username, after.email, after.first_name) == ("anna.b", "anna@other.example", "Anna")
    events = apps.get_model("questionbank", "UserEvent")._base_manager.filter(pgh_obj_id=namesake.pk)
    assert set(events.values_list("username", flat=True)) == {"anna.b"}
    assert models.School.objects.values_list("name", "slug").get(pk=school.pk) == ("Anna Grammar School", "anna")
    assert set(Group.objects.values_list("name", flat=True)) >= {"teacher", "reviewer", "admin"}
    assert set(models.ModelEvent.objects.values_list("capability", flat=True)) == {"encoder"}
    changes = question_events().exclude(pgh_context=None)
    assert changes.exists()
    assert not changes.exclude(pgh_context__metadata__user=admin_person.pk).exists()


def test_names_that_must_differ_still_do(admin_person, var) -> None:
    person = User.objects.create_user("izwoelftel", first_name=FIRST, last_name=LAST)
    for name in (f"{LAST} 7b", f"{LAST.upper()} 7b"):
        QuestionList.objects.create(owner=admin_person, name=name)
    person_erase(user=admin_person, person=person)
    names = set(QuestionList.objects.values_list("name", flat=True))
    assert len(names) == 2
    assert all("a former colleague 7b" in name for name in names)


def test_the_rest_of_a_row_loses_the_name_too_where_its_title_must_differ(admin_person, var) -> None:
    person = User.objects.create_user("izwoelftel", first_name=FIRST, last_name=LAST)
    for name in (f"{LAST} 7b", f"{LAST.upper()} 7b"):
        parameters = {"q": f"by {NAME}"}
        models.SavedSearch.objects.create(owner=admin_person, name=name, parameters=parameters)
    person_erase(user=admin_person, person=person)
    searches = models.SavedSearch.objects.all()
    assert [search.parameters for search in searches] == [{"q": "by a former colleague"}] * 2
    assert len({search.name for search in searches}) == 2


def test_who_cannot_be_deleted(admin_person, teacher, var) -> None:
    with pytest.raises(NotAllowed, match="Only admins"):
        person_erase(user=teacher, person=admin_person)
    with pytest.raises(ValidationFailed, match="cannot delete yourself"):
        person_erase(user=admin_person, person=admin_person)
    with pytest.raises(ValidationFailed, match="last admin"):
        person_erase(user=None, person=admin_person)
    assert recorded_deletion(person=admin_person) is None
    root = UserFactory(username="root", is_superuser=True)
    with pytest.raises(NotAllowed, match="Only a superuser"):
        person_erase(user=admin_person, person=root)


def test_the_account_for_emergencies_is_neither_deleted_nor_closed(admin_person, teacher, var, settings) -> None:
    settings.SIGN_ON = SignOn(break_glass="Teacher")
    for refused in (
        lambda: person_erase(user=admin_person, person=teacher),
        lambda: person_set_active(user=admin_person, person=teacher, is_active=False),
    ):
        with pytest.raises(ValidationFailed, match="account for emergencies"):
            refused()
    teacher.refresh_from_db()
    assert (teacher.is_active, teacher.erased_at) == (True, None)


def test_a_running_job_with_what_the_person_entered_is_asked_to_stop(teacher, admin_person, var) -> None:
    waiting = Run.objects.create(kind="import", requested_by=teacher)
    running = Run.objects.create(kind="read", requested_by=teacher, state="running", title="Paper")
    training = Run.objects.create(kind="train", requested_by=teacher, state="running")
    with pytest.raises(Conflict, match="“Paper” of this person is running"):
        person_erase(user=admin_person, person=teacher)
    assert User.objects.get(pk=teacher.pk).erased_at is None
    for run in (waiting, running, training):
        run.refresh_from_db()
    assert (waiting.state, running.cancel_requested, training.cancel_requested) == ("cancelled", True, False)
    Run.objects.filter(pk=running.pk).update(state="cancelled")
    person_erase(user=admin_person, person=teacher)
    training.refresh_from_db()
    assert (training.state, training.requester) == ("running", "a former colleague")


@pytest.mark.django_db(transaction=True)
def test_the_record_stays_if_only_the_files_cannot_be_cleaned(var, monkeypatch) -> None:
    person = UserFactory(username="izwoelftel")

    def fail(*_words: object, **_person: object) -> None:
        raise PermissionError

    monkeypatch.setattr(erasure_services, "logs_mask", fail)
    UserFactory(username="root", is_superuser=True)
    joined = User.objects.get(pk=person.pk)
    with pytest.raises(PermissionError):
        person_erase(user=None, person=person)
    assert User.objects.get(pk=person.pk).erased_at is not None
    assert recorded_deletion(person=joined) is not None


def test_somebody_whom_a_backup_brings_back_is_deleted_again(person, admin_person, var) -> None:
    row = User.objects.filter(pk=person.pk).values().get()
    person_erase(user=admin_person, person=person)
    row.pop("id")
    User.objects.filter(pk=person.pk).update(**row)  # what a restore brings back
    again = people_erase_again()
    assert again.people == 1
    assert User.objects.get(pk=person.pk).username.startswith("former-colleague-")
    assert people_erase_again().people == 0
    [record] = (var / "default" / "deleted-people").iterdir()
    assert LOGIN not in record.name + record.read_text()


def test_an_admin_whom_an_old_backup_knows_as_the_only_one_is_deleted_again(admin_person, teacher, var) -> None:
    row = User.objects.filter(pk=admin_person.pk).values().get()
    teacher.groups.add(Group.objects.get_or_create(name="admin")[0])
    person_erase(user=teacher, person=admin_person)
    row.pop("id")
    User.objects.filter(pk=admin_person.pk).update(**row)
    admin_person.groups.add(Group.objects.get_or_create(name="admin")[0])
    teacher.groups.clear()
    assert people_erase_again().people == 1


def test_the_page_says_what_happens_and_asks_for_the_log_in_name(person, as_admin, var) -> None:
    backup_remember(KnownBackup("/backups/before.tar", person.date_joined - timedelta(days=1), 9))
    backup_remember(KnownBackup("/backups/with.tar", timezone.now(), 9))
    here = reverse("person_delete", args=[person.pk])
    content = as_admin.get(here).content.decode()
    assert "/backups/with.tar" in content
    assert "/backups/before.tar" not in content
    response = as_admin.post(here, {"work": "keep", "username": "somebody"})
    assert response.status_code == 422
    assert "This is not the log-in name" in response.content.decode()
    response = as_admin.post(here, {"work": "keep", "username": LOGIN})
    assert response.status_code == 200
    assert "/backups/with.tar" in response.content.decode()
    assert found_in_tables((ADDRESS,)) == []


def test_everything_of_a_person_is_exported_without_secrets(person, client) -> None:
    file = BytesIO()
    person_archive(person=person, file=file)
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        tables = {name: json.loads(archive.read(name)) for name in names if name.endswith(".json")}
        assert archive.read("files/uploads/paper.docx") == NAME.encode()
    assert tables["account.json"][0]["email"] == ADDRESS
    assert "password" not in tables["account.json"][0]
    assert {"question-created_by.json", "questionlist-owner.json", "reviewdecision-reviewer.json"} <= names
    assert "digest" not in tables["apikey-owner.json"][0]
    assert "secret" not in json.dumps(tables["authenticator-user.json"])
    assert any(change["table"] == "questionevent" for change in tables["changes.json"])
    client.force_login(person)
    response = client.get(reverse("account_data"))
    assert response["Content-Type"] == "application/zip"


def test_the_command_says_what_it_would_do_and_does_it(person, tmp_path, capsys, admin_person) -> None:
    with pytest.raises(CommandError, match="nobody with the log-in name"):
        call_command("person", "delete", "nobody")
    call_command("person", "export", LOGIN, str(tmp_path / "data.zip"))
    with pytest.raises(CommandError, match="exists already"):
        call_command("person", "export", LOGIN, str(tmp_path / "data.zip"))
    call_command("person", "delete", LOGIN)
    assert User.objects.filter(username=LOGIN).exists()
    assert "give --yes" in capsys.readouterr().out
    call_command("person", "delete", LOGIN, "--yes")
    assert not User.objects.filter(Q(username=LOGIN) | Q(email=ADDRESS)).exists()
