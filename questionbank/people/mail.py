"""Sending mail in the background, so that no page waits for a mail server or tells whether it answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException

import structlog
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from questionbank.core import task_queue
from questionbank.core.database import database_now
from questionbank.core.errors import ServiceUnavailable
from questionbank.models import OutgoingMail, User

_SENDS_NOTHING = ("console", "dummy")  # backends


def mail_is_on() -> bool:
    """Return whether a mail server is set; without one nothing is sent, into no log either."""
    return settings.EMAIL_BACKEND.split(".")[-2] not in _SENDS_NOTHING


logger = structlog.get_logger(__name__)

GIVE_UP_AFTER = timedelta(days=1)
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(minutes=30)  # between two tries of one mail
CLAIM = timedelta(minutes=5)  # to send a mail; if the worker dies, the next one takes the mail
REST = timedelta(seconds=30)  # for a mail server that did not answer
KEEP = timedelta(days=90)
_FAILURES = (OSError, SMTPException, ValueError)  # ValueError: an address that cannot be written in a header


def mail_request_reset(*, address: str, site: str) -> None:
    """Queue a reset link for an address; only the job finds out whether anybody has it."""
    if mail_is_on():
        _queue(OutgoingMail(kind=OutgoingMail.Kind.RESET, address=address, site=site))


def mail_invite(*, person: User, inviter: User, site: str) -> bool:
    """Queue the mail by which a person chooses a password; returns False where no mail is sent."""
    if not person.email or not mail_is_on():
        return False
    _queue(OutgoingMail(kind=OutgoingMail.Kind.INVITATION, person=person, inviter=inviter, site=site))
    return True


def mail_send_test(*, address: str) -> None:
    """Send a test mail at once.

    Raises:
        ServiceUnavailable: no mail server is set, or it does not take the mail.
    """
    if not mail_is_on():
        raise ServiceUnavailable("No mail server is set: set EMAIL_URL.")
    if not settings.DEFAULT_FROM_EMAIL:
        raise ServiceUnavailable("Mail has no sender: set MAIL_FROM.")
    mail = OutgoingMail.objects.create(kind=OutgoingMail.Kind.TEST, address=address)
    try:
        with _connected() as connection:
            body = "Kindred can send mail. Nobody has to do anything."
            _message("A test from Kindred", body, address, connection).send()
    except _FAILURES as error:
        _give_up(mail, error)
        raise ServiceUnavailable(f"The mail was not sent: {_reason(error)}") from error
    _sent(mail)


def mail_send_due() -> int:
    """Send what is due and return how many mails the server took; it stops where the server does not answer.

    Without a sender mail waits for one: Health says so.
    """
    now = database_now()
    OutgoingMail.objects.filter(due_at=None, created_at__lt=now - KEEP).delete()
    due = OutgoingMail.objects.filter(due_at__isnull=False)
    _give_up_late(now)
    if not mail_is_on() or not settings.DEFAULT_FROM_EMAIL or due.filter(failed_at__gt=now - REST).exists():
        return 0
    sent = 0
    for mail in due.filter(due_at__lte=now).select_related("person", "inviter"):
        claimed = OutgoingMail.objects.filter(pk=mail.pk, due_at=mail.due_at)
        if not claimed.update(due_at=now + CLAIM, attempts=F("attempts") + 1):
            continue  # another worker was faster
        recipients = _recipients(mail)
        if not recipients:  # nobody has this address, or not any more
            mail.delete()
            continue
        try:
            with _connected() as connection:
                for person in recipients:
                    _letter(mail, person, connection).send()
        except _FAILURES as error:
            logger.warning("mail_not_sent", mail=mail.pk, kind=mail.kind, error=type(error).__name__)
            if _is_final(error):
                _give_up(mail, error)
                continue
            delay = min(FIRST_DELAY * 2 ** min(mail.attempts, 10), LONGEST_DELAY)
            waiting = OutgoingMail.objects.filter(pk=mail.pk)
            waiting.update(due_at=now + delay, failed_at=Now(), error=_reason(error))
            break
        _sent(mail)
        sent += 1
    return sent


def _give_up_late(now: datetime) -> None:
    late = OutgoingMail.objects.filter(due_at__isnull=False, created_at__lt=now - GIVE_UP_AFTER)
    late.filter(failed_at=None).update(failed_at=now, error="not sent within a day")
    late.update(due_at=None, address="")


def password_link(*, person: User, site: str) -> str:
    """Return the address where a person chooses a password; it ends when they have, or after three days."""
    key = default_token_generator.make_token(person)
    return site.rstrip("/") + reverse(
        "account_reset_password_from_key", args=[user_pk_to_url_str(person), key]
    )


def _queue(mail: OutgoingMail) -> None:
    mail.due_at = database_now()
    mail.save()
    task_queue.wake("send_mail", queue="light")


def _recipients(mail: OutgoingMail) -> list[User]:
    if mail.kind == OutgoingMail.Kind.INVITATION:
        person = mail.person
        return [person] if person and person.email and person.is_active else []
    # The mail goes to the address that the account has: another one may only look the same to the database.
    return list(User.objects.filter(email__iexact=mail.address, is_active=True))


def _letter(mail: OutgoingMail, person: User, connection: BaseEmailBackend) -> EmailMessage:
    link = password_link(person=person, site=mail.site)
    if mail.kind == OutgoingMail.Kind.INVITATION:
        context = {"person": person, "inviter": mail.inviter, "link": link}
        subject, body = "Your invitation to Kindred", render_to_string("people/invitation.txt", context)
    else:
        context = {"username": person.username, "link": link}
        subject, body = "Choose a new password for Kindred", render_to_string("people/reset.txt", context)
    return _message(subject, body, person.email, connection)


def _message(subject: str, body: str, address: str, connection: BaseEmailBackend) -> EmailMessage:
    return EmailMessage(subject, body, to=[address], connection=connection)


@contextmanager
def _connected() -> Iterator[BaseEmailBackend]:
    connection = get_connection()
    try:
        connection.open()
        yield connection
    finally:
        connection.close()


def _is_final(error: Exception) -> bool:
    """Return whether the server knows that it will never take this mail for these people."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= 500 for code, _said in error.recipients.values())
    return isinstance(error, ValueError)


def _reason(error: Exception) -> str:
    """Return what a mail server said, as an admin has to know it, without anybody's address."""
    if isinstance(error, SMTPRecipientsRefused):
        return "the mail server refuses the recipient"
    if isinstance(error, SMTPResponseException):
        said = error.smtp_error
        return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"[:200]
    return str(getattr(error, "strerror", None) or error or type(error).__name__)[:200]


def _sent(mail: OutgoingMail) -> None:
    OutgoingMail.objects.filter(pk=mail.pk).update(due_at=None, sent_at=Now(), address="")


def _give_up(mail: OutgoingMail, error: Exception) -> None:
    OutgoingMail.objects.filter(pk=mail.pk).update(
        due_at=None, failed_at=Now(), error=_reason(error), address=""
    )
