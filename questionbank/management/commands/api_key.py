"""Make, list and revoke API keys."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.utils import timezone

from questionbank.api.key_services import api_key_create, api_key_revoke, api_keys
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.management.base import BankCommand
from questionbank.models import ApiKey, User


class Command(BankCommand):
    """`create` prints nothing but the key on standard output."""

    help = "Make, list or revoke the keys with which programs use the API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a key and print it")
        create.add_argument("username", help="the owner's log-in name")
        create.add_argument("name", help="what the key is for")
        create.add_argument(
            "--scope", action="append", choices=ApiKey.Scope.values, help="may be repeated; the default is read"
        )
        create.add_argument("--days", type=int, help="how long it works; by default until it is revoked")
        create.add_argument("--rate", type=int, default=600, help="requests per minute (600)")
        listing = actions.add_parser("list", help="list the keys that are not revoked")
        listing.add_argument("username", nargs="?", help="only the keys of this person")
        revoke = actions.add_parser("revoke", help="revoke a key")
        revoke.add_argument("number", type=int, help="as `api_key list` prints it")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        {"create": self._create, "list": self._list, "revoke": self._revoke}[action](options)

    def _create(self, options: dict[str, Any]) -> None:
        days = options["days"]
        if days is not None and not 1 <= days <= 36_500:
            raise ValidationFailed("--days must be between 1 and 36500.")
        _key, secret = api_key_create(
            user=_person(options["username"]),
            name=options["name"],
            scopes=options["scope"] or [ApiKey.Scope.READ],
            expires_at=timezone.now() + timedelta(days=days) if days else None,
            rate_limit=options["rate"],
        )
        self.stderr.write("Keep this key: it cannot be shown again.")
        self.stdout.write(secret)

    def _list(self, options: dict[str, Any]) -> None:
        username = options["username"]
        for key in api_keys(owner=_person(username) if username else None):
            expiry = f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never expires"
            self.stdout.write(
                f"{key.pk:>6}  {key.beginning}…  {key.owner.username}  {','.join(key.scopes)}  {expiry}  {key.name}"
            )

    def _revoke(self, options: dict[str, Any]) -> None:
        revoked = api_key_revoke(user=None, key_id=options["number"])
        said = f"The key “{revoked.key}” of {revoked.key.owner.username} is revoked. {revoked.others}"
        self.stderr.write(said.strip())


def _person(username: str) -> User:
    return get_or_not_found(
        User.objects.filter(username=username), f"There is nobody with the log-in name {username!r}."
    )
