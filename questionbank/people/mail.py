"""Sending mail in the background, so that no page waits for the mail server or reveals whether it answers."""

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
from questionbank.models import Hook, OutgoingMail, User

_SENDS_NOTHING = ("console", "dummy")  # mail backends


def mail_is_on() -> bool:
    """Return whether a mail server is configured; without one nothing is sent, not even to a log."""
    return settings.EMAIL_BACKEND.split(".")[-2] not in _SENDS_NOTHING


logger = structlog.get_logger(__name__)

GIVE_UP_AFTER = timedelta(days=1)
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=1), timedelta(minutes=30)  # between attempts at a mail
CLAIM = timedelta(minutes=5)  # how long a worker holds an email; if the worker dies, another one then takes over
REST = timedelta(seconds=30)  # pause after a mail server gave no answer
_FAILURES = (OSError, SMTPException, ValueError)  # ValueError: an address that is invalid in a header


def mail_request_reset(*, address: str, site: str) -> None:
    """Queue a reset link for an address; only the background job looks up whether anybody has this address."""
    if mail_is_on():
        _queue(OutgoingMail(kind=OutgoingMail.Kind.RESET, address=address, site=site))


def mail_invite(*, person: User, inviter: User, site: str) -> bool:
    """Queue the invitation by which a person chooses a password; return False if no mail is sent."""
    if not person.email or not mail_is_on():
        return False
    _queue(OutgoingMail(kind=OutgoingMail.Kind.INVITATION, person=person, inviter=inviter, site=site))
    return True


def mail_hook_disabled(*, person: User, site: str) -> None:
    """Queue the notice that a person's web hooks were disabled, unless one is already waiting."""
    notice = OutgoingMail(kind=OutgoingMail.Kind.HOOKS, person=person, site=site)
    waiting = OutgoingMail.objects.filter(kind=notice.kind, person=person, due_at__isnull=False)
    if person.email and mail_is_on() and not waiting.exists():
        _queue(notice)


def mail_retrained(*, person: User, subject: str, body: str) -> None:
    """Queue a notice of what came of a retraining."""
    if person.email and mail_is_on():
        _queue(OutgoingMail(kind=OutgoingMail.Kind.RETRAINED, person=person, subject=subject[:200], body=body))


def mail_send_test(*, address: str) -> None:
    """Send a test mail at once.

    Raises:
        ServiceUnavailable: no mail server is configured, or it rejects the mail.
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
    """Send due mails and return how many were accepted by the server; stops if the server does not answer.

    If no sender is configured, mail waits; the health page reports it.
    """
    now = database_now()
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
        if not recipients:  # nobody has this address (any more)
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
    """Return the URL where a person chooses a password; it expires on use, or after three days."""
    key = default_token_generator.make_token(person)
    return site.rstrip("/") + reverse("account_reset_password_from_key", args=[user_pk_to_url_str(person), key])


def _queue(mail: OutgoingMail) -> None:
    mail.due_at = database_now()
    mail.save()
    task_queue.wake("send_mail", queue="light")


def _recipients(mail: OutgoingMail) -> list[User]:
    if mail.person_id is not None:
        person = mail.person
        return [person] if person and person.email and person.is_active else []
    # Send to the account's address: the database may match a requested address that is not exactly the same.
    return list(User.objects.filter(email__iexact=mail.address, is_active=True))


def _letter(mail: OutgoingMail, person: User, connection: BaseEmailBackend) -> EmailMessage:
    if mail.kind == OutgoingMail.Kind.HOOKS:
        return _message("Kindred disabled a web hook", _hooks_notice(mail, person), person.email, connection)
    if mail.kind == OutgoingMail.Kind.RETRAINED:
        greeting = f"Hello {person.get_short_name() or person.username},"
        return _message(mail.subject, f"{greeting}\n\n{mail.body}", person.email, connection)
    link = password_link(person=person, site=mail.site)
    if mail.kind == OutgoingMail.Kind.INVITATION:
        context = {"person": person, "inviter": mail.inviter, "link": link}
        subject, body = "Your invitation to Kindred", render_to_string("people/invitation.txt", context)
    else:
        context = {"username": person.username, "link": link}
        subject, body = "Choose a new password for Kindred", render_to_string("people/reset.txt", context)
    return _message(subject, body, person.email, connection)


def _hooks_notice(mail: OutgoingMail, person: User) -> str:
    hooks = Hook.objects.filter(owner=person, is_active=False).exclude(disabled_because="")
    link = mail.site.rstrip("/") + reverse("hook_list")
    return render_to_string("people/hooks_disabled.txt", {"person": person, "hooks": hooks, "link": link})


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
    """Return whether the server will never accept this mail for these recipients."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= 500 for code, _said in error.recipients.values())
    return isinstance(error, ValueError)


def _reason(error: Exception) -> str:
    """Return the mail server's error message for an admin, without any addresses."""
    if isinstance(error, SMTPRecipientsRefused):
        return "the mail server refuses the recipient"
    if isinstance(error, SMTPResponseException):
        said = error.smtp_error
        return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"[:200]
    return str(getattr(error, "strerror", None) or error or type(error).__name__)[:200]


def _sent(mail: OutgoingMail) -> None:
    OutgoingMail.objects.filter(pk=mail.pk).update(due_at=None, sent_at=Now(), address="")


def _give_up(mail: OutgoingMail, error: Exception) -> None:
    OutgoingMail.objects.filter(pk=mail.pk).update(due_at=None, failed_at=Now(), error=_reason(error), address="")
