"""Words that identify a person, and where they occur: in every text of every table, and in the log files.

Tables are found by their models, so that a new one is included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, connection, transaction
from django.db.models import CharField, Field, JSONField, Model, TextField
from pghistory.models import Event
from psycopg import sql

from analytics.catalog import CAPABILITIES
from analytics.text.tokens import search_tokens
from questionbank.models import FacetCount, KnowledgeConcept, School, User, VocabularyWord
from questionbank.models.user import FORMER_COLLEAGUE

SHORTEST = 3  # characters of a single word that is looked for

OF_OTHERS = {
    name
    for model in (User, EmailAddress, SocialAccount, School, Group, Permission, ContentType)
    for name in (model._meta.db_table, f"{model._meta.db_table}event")
}
"""Tables, with their histories, that name other people, schools or parts of the program. A namesake keeps their log-in;
of the deleted person, `questionbank.protection.erasure_services` has emptied these before texts are searched."""

MATHEMATICS = {  # table -> columns where a name may be a character's in a word problem; a literal table
    "questionbank_question": "text options answer solution content",
    "questionbank_questionevent": "text options answer solution content",
    "questionbank_questionequation": "expression numbers",
    "questionbank_questionequationevent": "expression numbers",
    "questionbank_paraphrasepair": "original paraphrase outcome_text findings solved",
    "questionbank_paraphrasepairevent": "original paraphrase outcome_text",
    "questionbank_problemvariant": "original text equation answer",
    "questionbank_reviewdecision": "text",
    "questionbank_reviewdecisionevent": "text",
    "questionbank_importupdate": "before incoming",
    "questionbank_bulkchangeitem": "before after",
    "questionbank_documentdraft": "lines roles corrections model_reading",
    "questionbank_languagemodelanswer": "answer",
    "questionbank_modelartifact": "manifest",  # a copy of the file of this name
}


@dataclass(frozen=True, slots=True, order=True)
class Trace:
    """A row whose mathematics still has a word of a person; only people can judge whom it means."""

    what: str
    number: int
    column: str
    is_history: bool

    def __str__(self) -> str:
        return f"{self.what} {self.number}, {self.column}{', in its history' if self.is_history else ''}"


@dataclass(frozen=True)
class Words:
    """The words by which a person is found in texts.

    Attributes:
        addresses: e-mail addresses; they are replaced everywhere.
        names: full names, in both orders, and single words that the bank's questions do not use.
        common: single words that are also words of the bank; texts keep them.
    """

    addresses: tuple[str, ...]
    names: tuple[str, ...]
    common: tuple[str, ...] = ()

    @classmethod
    def of(cls, person: User) -> Words:
        """Return the words of a person; call it before the person is deleted."""
        addresses = {person.email, *EmailAddress.objects.filter(user=person).values_list("email", flat=True)}
        full = {
            person.get_full_name(),
            f"{person.last_name}, {person.first_name}",
            f"{person.last_name} {person.first_name}",
        }
        names = {" ".join(name.split()) for name in full} if person.first_name and person.last_name else set()
        words = {person.username, person.last_name.strip(), person.first_name.strip()}
        if "@" in person.username:
            addresses.add(person.username)
        words = {word for word in words - addresses if len(word) >= SHORTEST}
        common = {word for word in words if _is_common(word)}
        return cls(
            *(
                tuple(sorted(filter(None, found), key=len, reverse=True))
                for found in (addresses, names | words - common, common)
            )
        )

    @cached_property
    def replaced(self) -> re.Pattern[str]:
        """The pattern of all that is replaced in texts that are not mathematics."""
        return _pattern((*self.addresses, *self.names))

    @cached_property
    def addressed(self) -> re.Pattern[str]:
        """The pattern of the addresses, which are replaced in mathematics too."""
        return _pattern(self.addresses)

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.addresses, *self.names, *self.common)


def _is_common(word: str) -> bool:
    """Return whether a word is one of the bank's questions or concepts, such as "Price", or a kind of model."""
    tokens = [*search_tokens(word), word.casefold()]
    if word.casefold() in CAPABILITIES or VocabularyWord.objects.filter(word__in=tokens).exists():
        return True
    return KnowledgeConcept.objects.filter(name__iregex=rf"\m{re.escape(word)}\M").exists()


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(word) for word in words) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)


def texts_replace(words: Words) -> list[Trace]:
    """Replace a person's words in every text, and return the rows whose mathematics still has one.

    Tables that triggers write, such as the history, come last: changing a row writes the former row there.
    """
    left: set[Trace] = set()
    for model in _tables():
        fields = {field.name: field for field in model._meta.concrete_fields if _holds_text(field)}
        mathematics = set(MATHEMATICS.get(model._meta.db_table, "").split())
        for row in _rows_with(model, list(fields.values()), words):
            number = row.pop("pk")
            changed = {}
            for name, value in row.items():
                pattern = words.addressed if name in mathematics else words.replaced
                after = _replaced(value, partial(pattern.sub, FORMER_COLLEAGUE))
                if after != value:
                    changed[name] = _shortened(after, fields[name])
                if name in mathematics and words.names and words.replaced.search(str(after)):
                    left.add(_trace(model, number, str(fields[name].verbose_name)))
            if changed:
                _store(model, number, changed)
    return sorted(left)


def _trace(model: type[Model], number: int, column: str) -> Trace:
    if not issubclass(model, Event):
        return Trace(str(model._meta.verbose_name), number, column, is_history=False)
    history: Any = model
    row = history._base_manager.values_list("pgh_obj_id", flat=True).get(pk=number)
    return Trace(str(history.pgh_tracked_model._meta.verbose_name), row, column, is_history=True)


def _tables() -> Iterator[type[Model]]:
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    found = (model for model in models if not model._meta.proxy and model._meta.db_table not in OF_OTHERS)
    yield from sorted(found, key=_is_written_by_triggers)


def _is_written_by_triggers(model: type[Model]) -> bool:
    return issubclass(model, Event | FacetCount)


def _holds_text(field: Field[Any, Any]) -> bool:
    if field.primary_key or field.choices or getattr(field, "generated", False):
        return False
    if isinstance(field, ArrayField):
        return _holds_text(field.base_field)
    return isinstance(field, CharField | TextField | JSONField)


def _rows_with(model: type[Model], fields: list[Field[Any, Any]], words: Words) -> list[dict[str, Any]]:
    """Return the texts of the rows in which a word occurs, by the name of the field; one scan of the table."""
    if not fields or not words.all:
        return []
    options: Any = model._meta
    texts: list[Any] = [sql.SQL("{}::text").format(sql.Identifier(str(field.column))) for field in fields]
    columns = sql.SQL(", ").join(texts)
    found = sql.SQL("SELECT {key} FROM {table} WHERE concat_ws(' ', {columns}) ILIKE ANY(%s)").format(
        key=sql.Identifier(options.pk.column), table=sql.Identifier(options.db_table), columns=columns
    )
    with connection.cursor() as cursor:  # as plain text, because pghistory understands only strings
        cursor.execute(found.as_string(), [[f"%{_escaped(word)}%" for word in (*words.addresses, *words.names)]])
        keys = [row[0] for row in cursor.fetchall()]
    names = [field.name for field in fields]
    return list(model._base_manager.filter(pk__in=keys).values("pk", *names)) if keys else []


def _escaped(word: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", word)


def _replaced(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_replaced(part, change) for part in value]
    if isinstance(value, dict):
        return {  # a plain word as a key is the program's, such as the "user" of the history
            name if name.isidentifier() else change(name): _replaced(part, change) for name, part in value.items()
        }
    return value


def _shortened(value: Any, field: Any) -> Any:
    longest = getattr(field, "max_length", None) or getattr(getattr(field, "base_field", None), "max_length", None)
    return _replaced(value, lambda text: text[:longest]) if longest else value


def _store(model: type[Model], number: Any, changed: dict[str, Any]) -> None:
    rows = model._base_manager.filter(pk=number)
    try:
        with transaction.atomic():
            rows.update(**changed)
    except IntegrityError:  # texts that must differ, and did so only in the person's name
        marked = {name: f"{number} {value}" for name, value in changed.items() if isinstance(value, str)}
        shortened = {name: _shortened(value, model._meta.get_field(name)) for name, value in marked.items()}
        rows.update(**changed | shortened)


def logs_mask(words: Words, *, person_id: int) -> int:
    """Overwrite a person's words, and their address and browser, in this machine's log files; return how many.

    Each is replaced by as many characters, so that programs that append to the files are not disturbed.
    """
    spellings: set[bytes] = {_in_log(word, spelled) for word in words.all for spelled in _SPELLINGS}
    longest_first = sorted(spellings, key=lambda spelling: -len(spelling))
    told = re.compile(rb"(?<![\w])(?:" + b"|".join(longest_first) + rb")(?![\w])", re.I)
    number = str(person_id).encode()
    owned = re.compile(rb'^.*"user_id": ' + number + rb"\b.*$|^.*\buser_id=" + number + rb"\b.*$", re.M)
    masked = 0
    for path in sorted((Path(settings.VAR_DIR) / "logs").glob("*.log*")):
        content = path.read_bytes()
        spans = [found.span() for found in told.finditer(content)] if spellings else []
        for line in owned.finditer(content):
            spans += [field.span(field.lastindex or 0) for field in _CLIENT.finditer(content, *line.span())]
        with path.open("r+b") as file:
            for start, end in spans:
                file.seek(start)
                file.write(b"x" * (end - start))
        masked += len(spans)
    return masked


_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    lambda word: word.encode("ascii", "backslashreplace").decode().replace("\\x", "\\u00"),  # JSON's
    quote,
    quote_plus,
)
_CLIENT = re.compile(rb'"(?:ip|user_agent)": "([^"]*)"|\b(?:ip|user_agent)=(\'[^\']*\'|\S+)')


def _in_log(word: str, spelled: Callable[[str], str]) -> bytes:
    return re.escape(spelled(word)).encode()
