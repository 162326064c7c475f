"""Reviewers' settings: the versioned guidelines, and each reviewer's keys."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from questionbank.core.database import advisory_lock
from questionbank.core.errors import ValidationFailed
from questionbank.models import ReviewGuideline, ReviewPreference, User
from questionbank.people.permissions import require
from questionbank.review.selectors import DEFAULT_KEYS

FIRST_GUIDELINES = """\
Accept a paraphrase if somebody who solves it instead of the original does the same calculation and gets the \
same answer.

- Names, things and the story may change, if they change everywhere.
- Numbers in words, abbreviated units and converted quantities are fine: “1 km” for “1000 metres”.
- Reject it where a number, a unit, a name or a relation (more, fewer, each, the rest) is lost, added or mixed up, \
where it asks for something else, or where nobody could understand it.
- Clumsy language is fine as long as it is clear. Change it if a few words make it good.
- Say “unsure” where you cannot tell: somebody else will look. Skip what you would rather not decide."""


def require_reviewer(person: User) -> None:
    """Check that somebody may review; raise NotAllowed if not."""
    require(person, "review", "You may not review paraphrases.")


def guideline_current() -> ReviewGuideline:
    """Return the latest version of the guidelines, creating the first one if there is none."""
    latest = ReviewGuideline.objects.order_by("-version").first()
    return latest or ReviewGuideline.objects.get_or_create(version=1, defaults={"text": FIRST_GUIDELINES})[0]


@transaction.atomic
def guideline_publish(*, text: str, user: User) -> ReviewGuideline:
    """Publish a new version of the guidelines; earlier decisions keep theirs.

    Raises:
        NotAllowed: the person is not an admin.
        ValidationFailed: the text is unchanged.
    """
    require(user, "guidelines_edit", "You may not change the guidelines.")
    text = text.replace("\r\n", "\n")
    advisory_lock("guidelines")  # two admins may save at once
    latest = guideline_current()
    if text == latest.text:
        raise ValidationFailed.beside("text", "Nothing is changed.")
    return ReviewGuideline.objects.create(version=latest.version + 1, text=text, created_by=user)


def guideline_read(*, reviewer: User, version: int) -> None:
    """Record that a reviewer has read the guidelines up to a version.

    Raises:
        NotAllowed: the person is not a reviewer.
    """
    require_reviewer(reviewer)
    latest = guideline_current().version
    preference = ReviewPreference.objects.get_or_create(reviewer=reviewer)[0]
    preference.guideline_seen = max(preference.guideline_seen, min(version, latest))
    preference.save(update_fields=["guideline_seen"])


def review_keys_save(*, reviewer: User, keys: Mapping[str, str]) -> ReviewPreference:
    """Store the keys that a reviewer chose; an empty one disables the key of its action.

    Raises:
        NotAllowed: the person is not a reviewer.
        ValidationFailed: a key is not a single visible character, or is used for two actions.
    """
    require_reviewer(reviewer)
    fields: dict[str, list[str]] = {}
    chosen: dict[str, str] = {}
    for action, usual in DEFAULT_KEYS.items():
        key = keys.get(action, usual).strip().lower()
        if len(key) > 1 or not key.isprintable():
            fields[action] = ["One character, or nothing."]
        elif key and key in chosen.values():
            fields[action] = ["This key is already used for another action."]
        chosen[action] = key
    if fields:
        raise ValidationFailed.of(fields)
    return ReviewPreference.objects.update_or_create(reviewer=reviewer, defaults={"keys": chosen})[0]
