"""The forms to edit hierarchies and their concepts."""

from __future__ import annotations

from django import forms

from questionbank.errors import ValidationFailed
from questionbank.models import KnowledgeConcept


class NameForm(forms.Form):
    """A name, for a concept or a hierarchy."""

    name = forms.CharField(label="Name", max_length=300)

    def add_problems(self, error: ValidationFailed) -> None:
        """Take over what a service found."""
        for problem in error.fields.get("name") or [str(error)]:
            self.add_error("name", problem)


class ConceptTargetForm(forms.Form):
    """Another concept: where to move to, merge into, or send the tags. Empty means none."""

    target = forms.ModelChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)
