"""Mail: what is sent, when it is tried again, and what nobody can learn from it."""

from __future__ import annotations

import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.core import mail as outbox
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from questionbank.models import OutgoingMail, User
from questionbank.operations.checks import State
from questionbank.operations.health import health_report
from questionbank.people.mail import mail_invite, mail_request_reset, mail_send_due
from tests.mail_server import mail_server

SITE = "https://kindred.test/"
ADDRESS = "teacher@school.example"
CONSOLE = "django.core.mail.backends.console.EmailBackend"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_attempts_yet")]


@pytest.fixture
def known(teacher) -> User:
    teacher.email = ADDRESS
    teacher.save()
    return teacher


@pytest.fixture
def server(settings):
    """A mail server that the settings name."""
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        settings.DEFAULT_FROM_EMAIL = "Kindred <no-reply@school.example>"
        yield server


def health():
    return next(item for item in health_report().items if item.name == "mail")


def later(**time: int) -> None:
    """Let every waiting mail be older, and its last failure, too."""
    past = timedelta(**time)
    for mail in OutgoingMail.objects.filter(due_at__isnull=False):
        OutgoingMail.objects.filter(pk=mail.pk).update(
            due_at=mail.due_at - past,
            created_at=mail.created_at - past,
            failed_at=mail.failed_at and mail.failed_at - past,
        )


def test_a_reset_reaches_whoever_has_the_address_and_nothing_keeps_its_link(known, server, client):
    mail_request_reset(address=ADDRESS.upper(), site=SITE)
    assert mail_send_due() == 1
    (message,) = server.inbox
    assert (message["From"], message["To"]) == ("Kindred <no-reply@school.example>", ADDRESS)
    link = re.search(r"https://kindred.test(/accounts/password/reset/key/\S+)", message.get_content())[1]
    assert client.get(link)["Location"].endswith("-set-password/")
    mail = OutgoingMail.objects.get()
    assert (mail.due_at, mail.address, mail.error) == (None, "", "")
    assert not any("reset/key" in str(value) for value in vars(mail).values())
    assert health().state == State.OK
    assert mail_send_due() == 0


def test_an_address_without_an_account_gets_nothing_and_leaves_nothing(server):
    mail_request_reset(address="stranger@example.com", site=SITE)
    assert mail_send_due() == 0
    assert not server.inbox
    assert not OutgoingMail.objects.exists()


def test_a_mail_server_that_is_away_is_asked_again_and_in_the_end_no_more(known, settings, server):
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    mail_request_reset(address=ADDRESS, site=SITE)
    assert mail_send_due() == 0
    mail = OutgoingMail.objects.get()
    assert mail.error == "Connection refused"
    assert mail.due_at > timezone.now()
    assert (health().state, health().figures["Waiting"]) == (State.WARNING, "1")
    settings.EMAIL_PORT = port
    assert mail_send_due() == 0  # not due yet
    later(minutes=2)
    assert mail_send_due() == 1
    assert health().state == State.OK

    settings.EMAIL_PORT = 1
    mail_request_reset(address=ADDRESS, site=SITE)
    mail_send_due()
    later(days=2)
    mail_send_due()
    assert not OutgoingMail.objects.filter(due_at__isnull=False).exists()
    assert "Connection refused" in health().figures["Last failure"]
    assert not OutgoingMail.objects.exclude(address="").exists()


def test_mail_that_no_worker_sent_in_time_is_not_sent_late(known, server):
    mail_request_reset(address=ADDRESS, site=SITE)
    later(days=2)
    assert mail_send_due() == 0
    assert not server.inbox
    assert "not sent within a day" in health().figures["Last failure"]


def test_while_the_mail_server_is_away_one_mail_at_a_time_asks_it(known, settings, server):
    settings.EMAIL_PORT = 1
    for _ in range(5):
        mail_request_reset(address=ADDRESS, site=SITE)
    mail_send_due()
    mail_send_due()  # as each further request would
    assert OutgoingMail.objects.filter(attempts__gt=0).count() == 1


@pytest.mark.parametrize(
    ("command", "reply", "is_final"),
    [
        ("RCPT", "550 no such mailbox", True),
        ("RCPT", "451 try again", False),
        ("MAIL", "550 sender not allowed", False),  # an admin may mend it
        ("DATA", "451 try again", False),
    ],
)
def test_only_a_recipient_that_is_refused_for_good_is_given_up_at_once(known, server, command, reply, is_final):
    server.replies[command] = reply
    mail_request_reset(address=ADDRESS, site=SITE)
    assert mail_send_due() == 0
    mail = OutgoingMail.objects.get()
    assert (mail.due_at is None) is is_final
    assert ADDRESS not in mail.error
    server.replies.clear()
    later(minutes=2)
    assert mail_send_due() == (0 if is_final else 1)


def test_one_refused_recipient_keeps_no_other_mail_waiting(known, reviewer, server):
    mail_request_reset(address=ADDRESS, site=SITE)
    assert not mail_invite(person=reviewer, inviter=known, site=SITE)  # no address
    User.objects.filter(pk=reviewer.pk).update(email="reviewer@school.example")
    assert mail_invite(person=User.objects.get(pk=reviewer.pk), inviter=known, site=SITE)
    User.objects.filter(pk=known.pk).update(email="nobody\n@school.example")  # no header takes it
    OutgoingMail.objects.filter(kind="reset").update(address="nobody\n@school.example")
    assert mail_send_due() == 1
    assert server.inbox[0]["To"] == "reviewer@school.example"


def test_a_worker_that_died_while_it_sent_leaves_the_mail_to_the_next(known, server, monkeypatch):
    mail_request_reset(address=ADDRESS, site=SITE)
    monkeypatch.setattr("questionbank.people.mail._letter", Mock(side_effect=SystemExit))
    with pytest.raises(SystemExit):
        mail_send_due()
    monkeypatch.undo()
    assert mail_send_due() == 0
    later(minutes=6)
    assert mail_send_due() == 1


def ask(client, address: str) -> tuple[int, str, str]:
    """What somebody sees who asks for a reset."""
    response = client.post(reverse("account_reset_password"), {"email": address})
    done = client.get(response["Location"]).content.decode()
    return response.status_code, response["Location"], re.sub(r'value="[^"]{20,}"|Token": "[^"]+"', "", done)


@pytest.mark.parametrize("is_up", [True, False])
def test_the_page_answers_alike_for_every_address_with_the_server_up_or_down(known, server, settings, client, is_up):
    if not is_up:
        settings.EMAIL_PORT = 1
    answers, queries = [], []
    for address in (ADDRESS, "stranger@example.com"):
        with CaptureQueriesContext(connection) as asked:
            answers.append(ask(client, address))
        queries.append([re.sub(r"'[^']*'", "?", query["sql"]) for query in asked])
        mail_send_due()
    assert answers[0] == answers[1]
    assert queries[0] == queries[1]  # nothing is looked up for the one and not for the other
    assert "will arrive" in answers[0][2]


def test_without_a_mail_server_the_pages_send_people_to_an_admin_and_the_log_gets_no_link(
    known, settings, client, capsys
):
    settings.EMAIL_BACKEND = CONSOLE
    assert "This site sends no mail" in client.get(reverse("account_reset_password")).content.decode()
    _status, _location, done = ask(client, ADDRESS)
    assert "Ask an admin" in done
    assert "will arrive" not in done
    assert mail_send_due() == 0
    assert "reset/key" not in capsys.readouterr().out
    assert not OutgoingMail.objects.exists()
    assert health().state == State.OK
    assert "EMAIL_URL" in health().sentence


def test_health_warns_of_mail_without_a_sender_and_of_mail_that_nobody_sends(known, settings):
    settings.DEFAULT_FROM_EMAIL = ""
    assert "Set MAIL_FROM" in health().sentence
    mail_request_reset(address=ADDRESS, site=SITE)
    assert mail_send_due() == 0
    assert OutgoingMail.objects.get().attempts == 0
    with pytest.raises(CommandError, match="MAIL_FROM"):
        call_command("send_test_mail", "admin@school.example")
    OutgoingMail.objects.all().delete()
    settings.DEFAULT_FROM_EMAIL = "Kindred <a@b.example>"
    mail_request_reset(address=ADDRESS, site=SITE)
    assert health().state == State.OK
    later(minutes=11)
    assert (health().state, "no worker" in health().sentence) == (State.WARNING, True)


def test_a_test_mail_says_what_the_server_says(server, settings, capsys):
    call_command("send_test_mail", "admin@school.example")
    assert server.inbox[0]["To"] == "admin@school.example"
    assert "took a mail" in capsys.readouterr().out
    assert health().state == State.OK
    server.replies["MAIL"] = "535 authentication failed"
    with pytest.raises(CommandError, match="535 authentication failed"):
        call_command("send_test_mail", "admin@school.example")
    assert health().state == State.WARNING
    settings.EMAIL_BACKEND = CONSOLE
    with pytest.raises(CommandError, match="EMAIL_URL"):
        call_command("send_test_mail", "admin@school.example")
    assert not outbox.outbox
