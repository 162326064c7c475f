"""The forms to edit hierarchies and their concepts."""

from __future__ import annotations

from django import forms

from questionbank.forms.problems import ServiceForm
from questionbank.models import KnowledgeConcept


class NameForm(ServiceForm):
    """A name, for a concept or a hierarchy."""

    main_field = "name"

    name = forms.CharField(label="Name", max_length=300)


class ConceptTargetForm(ServiceForm):
    """Another concept: where to move to, merge into, or send the tags. Empty means none."""

    target = forms.ModelChoiceField(queryset=KnowledgeConcept.objects.all(), required=False)
