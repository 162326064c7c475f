"""Single sign-on as an installation configures it: the TOML file that `SIGN_ON` names (docs/sign-on.md).

No process starts with a mistake in the file; all mistakes are reported at once. Settings import this module, so it
imports no model.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from questionbank.core.wording import counted

ANY = "*"
LDAP = "ldap"
"""The name of the directory among the providers."""
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")

Role = Literal["teacher", "reviewer", "admin"]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _read(name: str, info: ValidationInfo) -> str:
    """Return the text of a file, whose path is relative to the folder of the TOML file."""
    path = _path(name, info)
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from error


def _path(name: str, info: ValidationInfo) -> Path:
    folder: Path = (info.context or {}).get("folder", Path())
    return folder / name


def _https(address: str) -> str:
    """Return an address that starts with https; plain HTTP is allowed for this machine."""
    url = urlsplit(address)
    if not url.hostname or (url.scheme != "https" and (url.scheme, url.hostname in LOCAL_HOSTS) != ("http", True)):
        raise ValueError("write an address that starts with https://")
    return address


def _metadata(place: str, info: ValidationInfo) -> str:
    """Return the address of metadata; that of a file starts with ``file:``."""
    if "://" in place:
        return _https(place)
    _read(place, info)
    return _path(place, info).resolve().as_uri()


def _directory(address: str) -> str:
    if urlsplit(address).scheme not in ("ldap", "ldaps", "ldapi"):
        raise ValueError("write an address that starts with ldaps:// or ldap://")
    return address


FileText = Annotated[str, AfterValidator(_read)]
HttpsAddress = Annotated[str, AfterValidator(_https)]


class _Part(BaseModel):
    """A table of the file; unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Table = TypeVar("Table", bound=_Part)


class Rule(_Part):
    """What people get if one of their claims has a value.

    Attributes:
        claim: its name; ``realm_access.roles`` is the claim `roles` within `realm_access`.
        value: the value, compared exactly; ``*`` is any value.
        role: the role that they get, if any.
        school: the short name of the school to which they belong, if any; ``*`` is the claim's value.
    """

    claim: Filled
    value: Filled = ANY
    role: Role | None = None
    school: str = ""

    @model_validator(mode="after")
    def _gives_something(self) -> Self:
        if self.role is None and not self.school:
            raise ValueError("a rule needs a role or a school")
        return self

    def matched(self, claims: Mapping[str, Any]) -> list[str]:
        """Return the values of the claim that the rule accepts."""
        return [value for value in claim_values(claims, self.claim) if self.value in (ANY, value)]


class Provider(_Part):
    """What all kinds of providers have.

    Attributes:
        name: on the button of the log-in page, and in sentences.
        trusted_domains: e-mail addresses of these domains count as verified, even if the provider does not say so.
        link_by_address: whether somebody who logs in for the first time takes over the account here that has the same
            address, which must be verified.
    """

    name: Filled
    rules: tuple[Rule, ...] = ()
    trusted_domains: tuple[str, ...] = ()
    link_by_address: bool = False

    def granted(self, claims: Mapping[str, Any]) -> tuple[set[str], set[str]]:
        """Return the roles and the short names of the schools that the rules give for these claims."""
        roles: set[str] = set()
        schools: set[str] = set()
        for rule in self.rules:
            values = rule.matched(claims)
            if values and rule.role:
                roles.add(rule.role)
            if rule.school:
                schools.update(values if rule.school == ANY else [rule.school] * bool(values))
        return roles, schools

    def vouches_for(self, address: str, *, is_verified: bool) -> bool:
        """Return whether an address counts as verified."""
        domain = address.rpartition("@")[2].casefold()
        return bool(address) and (is_verified or domain in {known.casefold() for known in self.trusted_domains})


class OpenId(Provider):
    """A provider of OpenID Connect."""

    issuer: HttpsAddress
    client_id: Filled
    client_secret: FileText = Field(default="", alias="client_secret_file", repr=False)
    scopes: tuple[str, ...] = ("openid", "profile", "email")


class Saml(Provider):
    """An identity provider of SAML.

    Attributes:
        metadata: its metadata: an address, or a file.
        entity_id: its name in the metadata.
        attributes: the attributes that hold a person's `uid`, `email`, `username`, `first_name` and `last_name`;
            the others have their usual names.
    """

    metadata: Annotated[str, AfterValidator(_metadata)]
    entity_id: Filled
    attributes: dict[Literal["uid", "email", "username", "first_name", "last_name"], Filled] = {}

    @model_validator(mode="after")
    def _is_installed(self) -> Self:
        return _needs("onelogin", self, extra="saml")


class Ldap(Provider):
    """A directory that checks the passwords typed into the log-in form.

    Attributes:
        person_filter: the filter that finds a person; ``%(user)s`` is the name that they typed.
        id_attribute: what stays the same if a person is renamed.
    """

    url: Annotated[str, AfterValidator(_directory)]
    start_tls: bool = False
    ca_file: str = ""
    bind_dn: str = ""
    bind_password: FileText = Field(default="", alias="bind_password_file", repr=False)
    people_base: Filled
    person_filter: Filled = "(uid=%(user)s)"
    groups_base: str = ""
    group_filter: Filled = "(|(objectClass=groupOfNames)(objectClass=group))"
    id_attribute: Filled = "uid"
    email_attribute: Filled = "mail"
    first_name_attribute: Filled = "givenName"
    last_name_attribute: Filled = "sn"

    @model_validator(mode="after")
    def _is_installed(self) -> Self:
        return _needs("django_auth_ldap", self, extra="ldap")


class SignOn(_Part):
    """The whole file; without one, people have passwords of their own and nothing else.

    Attributes:
        local_passwords: whether accounts have passwords here.
        break_glass: the log-in name of the account whose password works even if `local_passwords` is false.
        second_factor: roles whose holders must have a second factor.
        unknown_people: what people get if no rule gives them a role or a school. `refuse` keeps out those who have no
            account here yet.
    """

    local_passwords: bool = True
    break_glass: str = ""
    second_factor: tuple[Role, ...] = ()
    unknown_people: Literal["refuse", "no role", "teacher", "reviewer"] = "refuse"
    oidc: dict[Slug, OpenId] = {}
    saml: dict[Slug, Saml] = {}
    ldap: Ldap | None = None

    @model_validator(mode="after")
    def _lets_somebody_in(self) -> Self:
        both = sorted({LDAP, *self.saml} & {*self.oidc} | {LDAP} & {*self.saml})
        if both:
            raise ValueError(f"two providers have the name {both[0]}")
        if not self.local_passwords and not self.break_glass:
            raise ValueError("local_passwords = false needs break_glass, the log-in name of one account")
        if not self.local_passwords and not self.providers:
            raise ValueError("local_passwords = false needs a provider")
        return self

    @property
    def providers(self) -> dict[str, Provider]:
        """The providers by their names in addresses and in the bank."""
        return {**self.oidc, **self.saml, **({LDAP: self.ldap} if self.ldap else {})}

    @property
    def buttons(self) -> list[tuple[str, Provider, str]]:
        """The name, the provider and the name of its first address, for each provider with a page of its own."""
        return [
            *((slug, one, "openid_connect_login") for slug, one in self.oidc.items()),
            *((slug, one, "saml_login") for slug, one in self.saml.items()),
        ]

    @property
    def asks_for_passwords(self) -> bool:
        """Whether everybody has a password to type: one of their own, or the directory's."""
        return self.local_passwords or self.ldap is not None

    def is_break_glass(self, username: str) -> bool:
        """Return whether an account is the one for emergencies."""
        return bool(self.break_glass) and username.casefold() == self.break_glass.casefold()

    def takes_password_of(self, username: str) -> bool:
        """Return whether an account's own password works."""
        return self.local_passwords or self.is_break_glass(username)


def claim_values(claims: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a claim as text; none if it is missing."""
    value: Any = claims.get(name)
    if name not in claims:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, Mapping):
        return []
    values = value if isinstance(value, list | tuple | set) else [value]
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in values]


def configured(file: str) -> SignOn:
    """Read the file that `SIGN_ON` names, if any; end the process with all of its mistakes, if there are any."""
    if not file:
        return SignOn()
    path = Path(file).expanduser()
    try:
        return SignOn.model_validate(tomllib.loads(path.read_text(encoding="utf-8")), context={"folder": path.parent})
    except OSError as error:
        sys.exit(f"Error: SIGN_ON: {file} cannot be read: {error.strerror or error}.")
    except ValidationError as error:
        mistakes = list(_mistakes(error))
        sys.exit(
            "\n  ".join([f"Error: SIGN_ON: {counted(len(mistakes), 'mistake', 'mistakes')} in {file}:", *mistakes])
        )
    except ValueError as error:  # not TOML, or not UTF-8
        sys.exit(f"Error: SIGN_ON: {file} is not TOML: {error}.")


_SENTENCES = {"extra_forbidden": "is unknown here", "missing": "is missing"}  # by kind of mistake; a literal table


def _mistakes(error: ValidationError) -> Iterator[str]:
    for mistake in error.errors():
        where = ".".join(str(part) for part in mistake["loc"] if part != "[key]")
        said = mistake["msg"].removeprefix("Value error, ")
        sentence = _SENTENCES.get(mistake["type"]) or f"{said[0].lower()}{said[1:]}"
        separator = " " if mistake["type"] in _SENTENCES else ": "
        yield f"{where}{separator}{sentence}" if where else sentence


def _needs(package: str, table: Table, *, extra: str) -> Table:
    if find_spec(package) is None:
        raise ValueError(f"needs the packages of the extra {extra}: pip install '.[{extra}]'")
    return table
