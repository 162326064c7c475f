"""Adding, changing and deleting groups of synonyms; each function is one transaction for admins."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from analytics.text.tokens import search_tokens
from questionbank.errors import ValidationFailed
from questionbank.models import SynonymGroup, User
from questionbank.services.permissions import require

TERM_LIMIT = 80  # characters
_MOST_TERMS = 30


@transaction.atomic
def synonym_group_save(
    *, user: User, terms: Iterable[str], group: SynonymGroup | None = None
) -> SynonymGroup:
    """Add a group of terms that mean the same, or replace a group's terms.

    Raises:
        ValidationFailed: fewer than two terms, a long one, or one that is in another group.
        NotAllowed: the person is not an admin.
    """
    require(user, "concepts_edit", "Only admins change synonyms.")
    group = group or SynonymGroup()
    group.terms = _checked(terms, SynonymGroup.objects.exclude(pk=group.pk))
    group.save()
    return group


@transaction.atomic
def synonym_group_delete(*, user: User, group: SynonymGroup) -> None:
    """Delete a group; its terms stay in the history.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "concepts_edit", "Only admins change synonyms.")
    group.delete()


def _checked(terms: Iterable[str], others: Iterable[SynonymGroup]) -> list[str]:
    """Return the terms without blanks around them, each once.

    Two terms are the same where a search reads them alike, whatever their case and plural.
    """
    tidy = (" ".join(line.split()) for line in terms)
    by_meaning = {tokens: term for term in tidy if (tokens := tuple(search_tokens(term)))}
    distinct = list(by_meaning.values())
    problems = []
    if len(distinct) < 2:
        problems.append("A group needs two different terms, each on its own line.")
    if len(distinct) > _MOST_TERMS:
        problems.append(f"A group has at most {_MOST_TERMS} terms.")
    problems += [
        f"“{term[:20]}…” is longer than {TERM_LIMIT} characters."
        for term in distinct
        if len(term) > TERM_LIMIT
    ]
    for group in others:
        problems += [
            f"“{term}” is in the group “{group}”."
            for term in group.terms
            if tuple(search_tokens(term)) in by_meaning
        ]
    if problems:
        raise ValidationFailed(problems[0], {"terms": problems})
    return distinct
