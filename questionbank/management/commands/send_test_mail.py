"""Send a mail to check whether the mail server accepts it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from questionbank.management.base import BankCommand
from questionbank.people.mail import mail_send_test


class Command(BankCommand):
    """If the mail server rejects the mail, print its message and exit with code 1."""

    help = "Send a test mail to an address and report what the mail server says."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the address argument."""
        parser.add_argument("address", metavar="ADDRESS", help="the recipient")

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        """Send the mail."""
        mail_send_test(address=address)
        self.stdout.write(f"The mail server took a mail from {settings.DEFAULT_FROM_EMAIL} to {address}.")
